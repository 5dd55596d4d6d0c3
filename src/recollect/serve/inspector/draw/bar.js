// The parts of a score: a stacked bar, and the same numbers as text.

import { contributions } from "../contributions.js";
import { h } from "../dom.js";
import { number, words } from "../format.js";
import { t } from "../language.js";

/**
 * Common parts have fixed colours that differ within a recipe. Other parts get a colour from their name.
 * @type {Record<string, number>}
 */
const COLOURS = {
  ...{ lexical: 0, vector: 1, graph: 2, recency: 3, importance: 4, strength: 5, confidence: 6, link: 7 },
  ...{ frequency: 2, neighbours: 3, session: 7, turns: 5 },
  ...{ vec_full: 1, vec_user: 2, vec_asst: 3, vec_next_user: 7, facet_personal_info: 5, facet_preferences: 6 },
};
const HUES = 8;

/** @param {string} name */
export function colour(name) {
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return `part-${COLOURS[name] ?? sum % HUES}`;
}

/**
 * The length of the longest bar. All hits are drawn on this scale.
 * @param {{explanation: import("../contributions.js").Explanation}[]} hits
 */
export function scaleOf(hits) {
  return Math.max(
    ...hits.map(({ explanation }) => Math.max(explanation.value, contributions(explanation).before)),
    1e-9,
  );
}

/**
 * @param {import("../contributions.js").Explanation} score
 * @param {number} scale
 */
export function scoreBar(score, scale) {
  const { added, factors, before } = contributions(score);
  const told = added.map(({ name, value }) => `${words(name)} ${number(value)}`).join(" + ");
  const bar = h("div", { class: "stack", role: "img", "aria-label": t("ask.score_of", { score: number(score.value), parts: told }) });
  for (const { name, value } of added)
    bar.append(segment(colour(name), value / scale, `${words(name)} ${number(value)}`));
  const lost = before - score.value;
  if (lost > scale / 200) bar.append(segment("lost", lost / scale, t("ask.lost", { lost: number(lost) })));
  return h("div", { class: "score" }, bar, legend(added, factors));
}

/**
 * A legend of colours and parts, for bars without text.
 * @param {{explanation: import("../contributions.js").Explanation}[]} hits
 */
export function colourKey(hits) {
  const named = new Set(hits.flatMap(({ explanation }) => contributions(explanation).added.map(({ name }) => name)));
  return h(
    "ul",
    { class: "legend", "aria-label": t("ask.parts_of_scores") },
    [...named].map((name) => h("li", {}, swatch(name), words(name))),
  );
}

/** @param {string} name */
const swatch = (name) => h("span", { class: `swatch ${colour(name)}`, "aria-hidden": "true" });

/**
 * @param {string} kind
 * @param {number} share
 * @param {string} title
 */
function segment(kind, share, title) {
  const drawn = h("span", { class: kind, title });
  drawn.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return drawn;
}

/**
 * @param {import("../contributions.js").Share[]} added
 * @param {(import("../contributions.js").Share & {note?: string})[]} factors
 */
function legend(added, factors) {
  const shown = factors.filter(({ value }) => Math.abs(value - 1) > 1e-9);
  return h(
    "ul",
    { class: "legend", "aria-label": t("ask.parts_of_score") },
    added.map(({ name, value }) => h("li", {}, swatch(name), `${words(name)} `, h("b", {}, number(value)))),
    shown.map(({ name, value, note }) =>
      h("li", { class: "factor", title: note || false }, "× ", `${words(name)} `, h("b", {}, number(value))),
    ),
  );
}
