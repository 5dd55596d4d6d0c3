// A time line of one memory: when it was true, when it changed, when it was recalled.

import { h, svg } from "../dom.js";
import { dayInWords, moment } from "../format.js";
import { named, t } from "../language.js";

const HEIGHT = 26;
/** Room at both ends, so that marks are not cut. */
const EDGE_PERCENT = 2;

/** @typedef {{at: string, title: string, kind?: string}} Mark */

/**
 * @param {any} memory
 * @param {{at: string, action: string}[]} events
 * @param {{at: string, query: string, used: boolean | null}[]} recalls
 */
export function timeline(memory, events, recalls) {
  const now = new Date().toISOString();
  const from = memory.valid_from ?? memory.occurred_at ?? memory.created_at;
  const known = [memory.created_at, memory.occurred_at, from, memory.valid_to, memory.expires_at, now];
  const moments = [...known, ...events.map(({ at }) => at), ...recalls.map(({ at }) => at)]
    .filter(Boolean)
    .map(Date.parse);
  const [start, end] = [Math.min(...moments), Math.max(...moments)];
  /** @param {string} at */
  const x = (at) => EDGE_PERCENT + ((Date.parse(at) - start) / (end - start || 1)) * (100 - 2 * EDGE_PERCENT);

  const ahead =
    end > Date.parse(now)
      ? svg("line", { class: "now", x1: `${x(now)}%`, x2: `${x(now)}%`, y1: 0, y2: HEIGHT }, svg("title", {}, t("home.now")))
      : null;
  /** @param {string} label @param {SVGElement[]} marks */
  const row = (label, marks) => lane(label, [ahead?.cloneNode(true), ...marks]);

  const told = heldFor(memory, from);
  const holds = memory.status === "quarantined" ? [] : [bar(x(from), x(memory.valid_to ?? memory.expires_at ?? now), !memory.valid_to, told)];
  if (memory.occurred_at)
    holds.push(dot(x, { at: memory.occurred_at, title: `${t("memory.happened")} ${moment(memory.occurred_at)}` }));
  if (memory.expires_at) holds.push(tick(x, { at: memory.expires_at, title: `${t("memory.expires")} ${moment(memory.expires_at)}` }));
  const changed = events.map(({ at, action }) =>
    dot(x, { at, title: `${named("memory.action", action)} ${moment(at)}`, kind: "event" }),
  );
  const asked = recalls.map(({ at, query, used }) =>
    dot(x, { at, title: `${moment(at)}: ${query}`, kind: used ? "used" : "unused" }),
  );
  return h(
    "figure",
    { class: "timeline" },
    h("figcaption", {}, told),
    row(t("memory.row_held"), holds),
    row(t("memory.row_changed"), changed),
    recalls.length > 0 && row(t("memory.row_recalled"), asked),
    h(
      "div",
      { class: "lane axis", "aria-hidden": "true" },
      h("span", {}),
      h(
        "span",
        { class: "ends" },
        h("span", {}, dayInWords(new Date(start).toISOString())),
        h("span", {}, end > Date.parse(now) ? dayInWords(new Date(end).toISOString()) : t("home.now")),
      ),
    ),
  );
}

/**
 * From when to when it was true, in words.
 * @param {any} memory
 * @param {string} start
 */
function heldFor({ status, valid_to, expires_at }, start) {
  const from = dayInWords(start);
  if (status === "quarantined") return t("memory.held_since", { from });
  const held = valid_to ? t("memory.true_until", { from, to: dayInWords(valid_to) }) : t("memory.true_from", { from });
  return expires_at ? `${held} ${t("memory.expires_on", { day: dayInWords(expires_at) })}` : held;
}

/**
 * @param {string} label
 * @param {(Node | undefined)[]} marks
 */
function lane(label, marks) {
  const base = svg("line", { class: "base", x1: "0%", x2: "100%", y1: HEIGHT / 2, y2: HEIGHT / 2 });
  return h(
    "div",
    { class: "lane" },
    h("span", {}, label),
    svg("svg", { height: HEIGHT, "aria-hidden": "true" }, base, marks),
  );
}

/**
 * @param {number} from
 * @param {number} to
 * @param {boolean} open still holding
 * @param {string} title
 */
function bar(from, to, open, title) {
  const width = Math.max(to - from, 0.6);
  return svg(
    "rect",
    { class: open ? "holds open" : "holds", x: `${from}%`, width: `${width}%`, y: HEIGHT / 2 - 5, height: 10, rx: 5 },
    svg("title", {}, title),
  );
}

/**
 * @param {(at: string) => number} x
 * @param {Mark} mark
 */
const dot = (x, { at, title, kind }) =>
  svg("circle", { class: kind ?? "moment", cx: `${x(at)}%`, cy: HEIGHT / 2, r: 5 }, svg("title", {}, title));

/**
 * @param {(at: string) => number} x
 * @param {Mark} mark
 */
const tick = (x, { at, title }) =>
  svg("line", { class: "tick", x1: `${x(at)}%`, x2: `${x(at)}%`, y1: 3, y2: HEIGHT - 3 }, svg("title", {}, title));
