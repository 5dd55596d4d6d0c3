// One hit of an answer: the memory, why it was found, its conversation, and behind a toggle its score.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { number } from "../format.js";
import { named, sentence, t } from "../language.js";
import { may } from "../role.js";
import { memoryHref } from "../route.js";
import { scaleOf, scoreBar } from "./bar.js";
import { meta, opener } from "./card.js";
import { talkAround } from "./talk.js";
import { explanationTree } from "./tree.js";

/** @typedef {import("../app.js").Context} Context */

/** The reader's probability that a newer memory is about the same, from which on the page says so. */
const SURE = 0.75;

/**
 * @param {any[]} hits
 * @param {any} found
 * @param {Context} context
 * @param {string} [kind]
 */
export function hitList(hits, found, context, kind = "hits") {
  const scale = scaleOf(hits);
  return h(
    "ol",
    { class: kind },
    hits.map((hit, n) => hitItem(hit, n + 1, scale, found, context)),
  );
}

/**
 * @param {any} hit
 * @param {number} rank
 * @param {number} scale
 * @param {any} found
 * @param {Context} context
 */
function hitItem(hit, rank, scale, found, context) {
  const tree = h("div", { class: "tree-place", hidden: true, id: `why-${rank}` });
  const talk = talkAround(hit.memory, context.signal);
  return h(
    "li",
    { class: "hit", "data-item": hit.memory.id },
    h("div", { class: "rank", "aria-hidden": "true" }, rank),
    h(
      "div",
      { class: "body" },
      opener(hit.memory),
      meta(hit.memory),
      clash(hit, found.hits) ?? earlier(hit, found.hits),
      h("p", { class: "why-found" }, reason(hit)),
      h(
        "div",
        { class: "points" },
        h("span", { class: "total" }, h("span", { class: "unseen" }, t("ask.score")), " ", number(hit.score)),
        scoreBar(hit.explanation, scale),
      ),
      around(hit),
      h("div", { class: "row" }, why(hit, rank, tree), routes(hit), talk && talk.button, helped(hit, found, context)),
      talk && talk.place,
      tree,
    ),
  );
}

/**
 * How it was found, in words.
 * @param {any} hit
 */
function reason({ routes: found }) {
  const ways = Object.keys(found).map((route) => named("ask.route", route.replace(/[ _:].*$/, "")));
  return ways.length ? [...new Set(ways)].join(" · ") : t("ask.linked");
}

/** @param {any} hit */
const routes = (hit) =>
  h(
    "span",
    { class: "routes" },
    Object.entries(hit.routes).map(([route, rank]) => h("span", {}, `${route} #${rank}`)),
  );

/**
 * @param {any} hit
 * @param {number} rank
 * @param {HTMLElement} tree
 */
function why(hit, rank, tree) {
  /** @param {Event} event */
  const toggled = (event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    if (!tree.firstChild) tree.append(explanationTree(hit.explanation, t("ask.explanation", { rank })));
    tree.hidden = !tree.hidden;
    button.setAttribute("aria-expanded", String(!tree.hidden));
  };
  return h(
    "button",
    { type: "button", class: "why quiet-button", "data-why": true, "aria-expanded": "false", "aria-controls": tree.id, onclick: toggled },
    t("ask.why"),
  );
}

/**
 * Says that a newer memory gives another value of the same thing, and which one.
 * @param {any} hit
 * @param {any[]} hits
 */
function earlier({ earlier_than: newer, explanation }, hits) {
  const sure = explanation.parts?.find((/** @type {any} */ part) => part.name === "newer")?.value ?? 1;
  if (!newer || sure < SURE) return null;
  const rank = hits.findIndex(({ memory }) => memory.id === newer) + 1;
  const which = rank ? t("ask.newer_hit", { rank }) : t("ask.newer_other");
  return h("p", { class: "meta" }, h("span", { class: "badge earlier" }, t("ask.earlier")), h("a", { href: memoryHref(newer) }, which));
}

/**
 * Says that another hit contradicts this one; the server notes it on the weaker of the two.
 * @param {any} hit
 * @param {any[]} hits
 */
function clash(hit, hits) {
  const stronger = (/** @type {any} */ each) => each.explanation.note?.match(/^contradicted by (\S+),/)?.[1];
  const other = hits.find((each) => each !== hit && (stronger(hit) === each.memory.id || stronger(each) === hit.memory.id));
  if (!other) return null;
  const rank = t("ask.other_hit", { rank: hits.indexOf(other) + 1 });
  return h("p", { class: "clash" }, sentence("ask.clash", { other: h("a", { href: memoryHref(other.memory.id) }, rank) }));
}

/**
 * The parts of a round or session, and the neighbours of a turn.
 * @param {any} hit
 */
function around(hit) {
  const parts = hit.parts.map((/** @type {any} */ part) => [part.memory, number(part.score)]);
  const beside = hit.neighbours.map((/** @type {any} */ memory) => [memory, ""]);
  return [folded(t("ask.parts", { count: parts.length }), parts), folded(t("ask.beside", { count: beside.length }), beside)];
}

/**
 * @param {string} title
 * @param {[any, string][]} memories each with a word on it
 */
function folded(title, memories) {
  if (!memories.length) return null;
  const rows = memories.map(([memory, word]) => h("li", {}, opener(memory, 200), " ", h("span", { class: "figure numbers" }, word)));
  return h("details", {}, h("summary", {}, title), h("ul", { class: "plain" }, rows));
}

/**
 * A button for what was recorded as a recall.
 * @param {any} hit
 * @param {any} found
 * @param {Context} context
 */
function helped(hit, found, { notice, route, session }) {
  if (!route.params.has("record") || !may(session, "write") || !found.hits.includes(hit)) return null;
  /** @param {Event} event */
  const told = async (event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    button.disabled = true;
    const body = { recall_id: found.id, used: [hit.memory.id], outcome: "helped" };
    await ask("POST", "feedback", { body }).then(
      () => notice(t("ask.feedback_saved")),
      (error) => notice(error.message),
    );
  };
  return h("button", { type: "button", class: "quiet-button", onclick: told }, t("ask.helped"));
}
