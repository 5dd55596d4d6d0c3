// The sections of one memory: time line, links, recalls and history.

import { ask, memoryPath } from "../api.js";
import { h, prose, show } from "../dom.js";
import { meta, opener } from "../draw/card.js";
import { few } from "../draw/few.js";
import { teller } from "../draw/teller.js";
import { linkGraph, MOST } from "../draw/graph.js";
import { filled } from "../draw/states.js";
import { timeline } from "../draw/timeline.js";
import { fieldInWords, moment, shortened } from "../format.js";
import { named, t } from "../language.js";
import { may } from "../role.js";
import { href, memoryHref } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const RECALLS_SHOWN = 8;
const EVENTS_SHOWN = 15;

/**
 * Fills the sections, each as soon as its data has arrived.
 * @param {HTMLElement} life
 * @param {any} memory
 * @param {Context} context
 */
export async function lived(life, memory, context) {
  const asked = askedOnce(memory.id, context.signal);
  const places = Object.fromEntries(["validity", "links", "recalls", "history"].map((name) => [name, h("div", {})]));
  show(
    life,
    section(t("memory.time_line"), places.validity),
    section(t("memory.links"), places.links),
    section(t("memory.recalls"), places.recalls),
    section(t("memory.history"), places.history),
  );
  await Promise.all([
    filled(places.validity, asked("history", "recalls"), ([{ events }, { recalls }]) =>
      timeline(memory, events, recalls),
    ),
    filled(places.links, asked("links"), ([{ links }]) => linked(memory.id, links)),
    filled(places.recalls, asked("recalls"), ([{ recalls }]) => recalled(recalls)),
    filled(places.history, asked("history", "links"), ([{ events }, { links }]) =>
      history(memory, events, links, context),
    ),
  ]);
}

/**
 * Shares one request among several sections. Only a request that failed is sent again.
 * @param {string} id
 * @param {AbortSignal} signal
 */
function askedOnce(id, signal) {
  /** @type {Map<string, Promise<any>>} */
  const kept = new Map();
  /** @param {string} of */
  const one = (of) => {
    const held = kept.get(of) ?? ask("GET", memoryPath(id, of), { signal });
    kept.set(of, held);
    held.catch(() => kept.delete(of));
    return held;
  };
  return (/** @type {string[]} */ ...of) =>
    () =>
      Promise.all(of.map(one));
}

/**
 * @param {string} title
 * @param {HTMLElement} place
 */
const section = (title, place) => h("section", { class: "panel", "aria-label": title }, h("h2", {}, title), place);

/**
 * @param {string} id
 * @param {import("../draw/graph.js").Neighbour[]} links
 */
function linked(id, links) {
  if (!links.length) return h("p", { class: "quiet" }, t("memory.no_links"));
  const list = few(
    "ol",
    "linked",
    MOST,
    links.map(({ link, memory }) =>
      h(
        "li",
        { "data-item": memory.id },
        h(
          "span",
          { class: "kind" },
          link.a === id ? `${named("memory.link", link.kind)} →` : `← ${named("memory.link", link.kind)}`,
        ),
        opener(memory, 160),
        meta(memory),
      ),
    ),
  );
  return h(
    "div",
    { class: "around" },
    linkGraph(id, links),
    h("div", {}, list, links.length > MOST && h("p", { class: "quiet" }, t("memory.strongest", { count: MOST }))),
  );
}

/** @param {any[]} recalls */
function recalled(recalls) {
  if (!recalls.length) return h("p", { class: "quiet" }, t("memory.not_recalled"));
  return few(
    "ul",
    "recalls",
    RECALLS_SHOWN,
    recalls.map((each) =>
      h(
        "li",
        {},
        h("a", { href: href("ask", { q: each.query, recipe: each.recipe }) }, prose(each.query)),
        h(
          "p",
          { class: "meta" },
          h("span", {}, moment(each.at)),
          h("span", {}, t("memory.rank", { recipe: each.recipe, rank: each.rank })),
          each.actor && h("span", {}, t("memory.for", { who: teller(each.actor) })),
          use(each),
        ),
      ),
    ),
  );
}

/** @param {{used: boolean | null, outcome: number | null}} recall outcome: −1 it did harm, 1 it helped */
function use({ used, outcome }) {
  if (used === null && outcome === null) return h("span", { class: "badge" }, t("log.no_feedback"));
  const told = t(used ? "log.was_used" : "log.was_not_used");
  const helped = outcome === null ? "" : ` · ${t(outcome > 0 ? "log.helped" : outcome < 0 ? "log.failed" : "memory.no_difference")}`;
  return h("span", { class: used ? "badge used" : "badge" }, `${told}${helped}`);
}

/**
 * @param {any} memory
 * @param {any[]} events oldest first
 * @param {import("../draw/graph.js").Neighbour[]} links
 * @param {Context} context
 */
function history(memory, events, links, context) {
  const values = { ...memory };
  const texts = new Map(links.map((each) => [each.memory.id, each.memory.text]));
  const drawn = [...events]
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .map((event) => entry(memory.id, event, values, texts, context));
  return drawn.length
    ? few("ol", "history", EVENTS_SHOWN, drawn)
    : h("p", { class: "quiet" }, t("memory.no_events"));
}

/**
 * @param {string} id
 * @param {any} event
 * @param {Record<string, unknown>} values the values after this event; this function changes them to those before it
 * @param {Map<string, string>} texts of the memories linked with it
 * @param {Context} context
 */
function entry(id, event, values, texts, context) {
  const rows = [];
  for (const change of event.changes.filter((/** @type {any} */ each) => each.memory_id === id)) {
    for (const [name, former] of Object.entries(change.before ?? {})) {
      rows.push(
        h(
          "div",
          {},
          h("dt", {}, named("memory.field", name)),
          h(
            "dd",
            {},
            h("del", {}, prose(fieldInWords(name, former))),
            h("span", { class: "unseen" }, ` ${t("memory.became")} `),
            h("ins", {}, prose(fieldInWords(name, values[name]))),
          ),
        ),
      );
      values[name] = former;
    }
  }
  return h(
    "li",
    { class: event.undone_by ? "undone" : "" },
    h(
      "p",
      { class: "happened" },
      h("b", {}, named("memory.action", event.action)),
      h("span", {}, t("log.by", { who: teller(event.actor) })),
      h("time", { datetime: event.at }, moment(event.at)),
      event.undone_by && h("span", { class: "badge" }, t("memory.undone")),
      undo(event, context),
    ),
    rows.length > 0 && h("dl", { class: "changes" }, rows),
    joined(id, event, texts),
  );
}

/**
 * The links that an event added or removed.
 * @param {string} id
 * @param {any} event
 * @param {Map<string, string>} texts
 */
function joined(id, event, texts) {
  const rows = ["linked", "unlinked"].flatMap((way) =>
    (event.detail?.[way] ?? [])
      .filter((/** @type {unknown} */ each) => Array.isArray(each) && each.includes(id))
      .map((/** @type {string[]} */ [a, b, kind]) => {
        const other = a === id ? b : a;
        return h(
          "li",
          {},
          `${t(way === "linked" ? "memory.linked" : "memory.unlinked")} ${a === id ? "" : "← "}${named("memory.link", kind)}${a === id ? " →" : ""} `,
          h("a", { href: memoryHref(other) }, prose(shortened(texts.get(other) ?? other, 70))),
        );
      }),
  );
  return rows.length > 0 && h("ul", { class: "joined" }, rows);
}

/**
 * Undo is not offered for the event that created a memory: forget it instead.
 * @param {any} event
 * @param {Context} context
 */
function undo(event, { session, notice, reload }) {
  const changes = event.changes.some((/** @type {any} */ change) => change.before);
  if (!changes || event.undone_by || event.action === "undo" || !may(session, "write")) return null;
  const act = async () => {
    await ask("POST", `events/${encodeURIComponent(event.id)}/undo`).then(
      () => (notice(t("common.taken_back")), reload()),
      (error) => notice(error.message),
    );
  };
  return h(
    "button",
    { type: "button", class: "quiet-button", onclick: act },
    t("common.undo"),
    h("span", { class: "unseen" }, ` ${named("memory.action", event.action)}`),
  );
}
