// One recall of the log: what was asked, and what was given.

import { ask, memoryPath } from "../api.js";
import { h, prose, show } from "../dom.js";
import { meta, opener } from "../draw/card.js";
import { empty, filled } from "../draw/states.js";
import { teller } from "../draw/teller.js";
import { milliseconds, moment, number, percent } from "../format.js";
import { t } from "../language.js";
import { href } from "../route.js";
import { beside, outcome } from "./log.js";

/** @typedef {import("../app.js").Context} Context */

/** The most hits whose words are looked up as they were. */
const MOST_LOGS = 25;
const NEAREST = 3;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function recalledView(root, context) {
  const place = h("div", {});
  root.append(ways(context), place);
  await filled(
    place,
    () => read(context),
    (found) => drawn(found, context),
  );
}

/**
 * Back to the list as it was filtered, and to the entries beside this one.
 * @param {Context} context
 */
function ways({ route: { id, params } }) {
  const filters = Object.fromEntries(params);
  const { newer, older } = beside(id);
  return h(
    "nav",
    { class: "row", "aria-label": t("log.list") },
    h("a", { href: href("log", filters) }, t("log.back")),
    newer && h("a", { href: href("log", filters, newer) }, t("log.newer")),
    older && h("a", { href: href("log", filters, older) }, t("log.next_older")),
  );
}

/**
 * The entry, and its memories with the words they had then.
 * @param {Context} context
 */
async function read({ route, signal }) {
  const { recall, memories } = await ask("GET", `recalls/${encodeURIComponent(route.id)}`, { signal });
  const logs = await Promise.all(memories.slice(0, MOST_LOGS).map((/** @type {any} */ each) => past(each, recall.at, signal)));
  return { recall, memories: memories.map((/** @type {any} */ each) => logs.find(({ id }) => id === each.id) ?? each) };
}

/**
 * A memory with the text it had at a moment: the one before the first change of its text after that.
 * @param {any} memory
 * @param {string} at
 * @param {AbortSignal} signal
 */
async function past(memory, at, signal) {
  const { events } = await ask("GET", memoryPath(memory.id, "history"), { signal });
  const before = events
    .filter((/** @type {any} */ event) => event.at > at)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => (a.at < b.at ? -1 : 1))
    .flatMap((/** @type {any} */ event) => event.changes)
    .find((/** @type {any} */ change) => change.memory_id === memory.id && change.before?.text !== undefined);
  return before ? { ...memory, text: before.before.text, reworded: true } : memory;
}

/**
 * @param {{recall: any, memories: any[]}} found
 * @param {Context} context
 */
function drawn({ recall, memories }, context) {
  context.title(recall.query || t("log.no_query"));
  const known = new Map(memories.map((memory) => [memory.id, memory]));
  return [
    h("h1", { class: "said" }, recall.query ? prose(recall.query) : t("log.no_query")),
    h(
      "p",
      { class: "meta" },
      h("span", {}, moment(recall.at)),
      h("span", { title: recall.actor }, t("log.by", { who: teller(recall.actor) })),
      outcome(recall),
      recall.ms !== null && h("span", {}, t("log.ms", { ms: milliseconds(recall.ms) })),
    ),
    h(
      "div",
      { class: "columns" },
      h("section", {}, h("h2", {}, t("log.given")), given(recall, known, context)),
      h("aside", {}, h("h2", {}, t("log.details")), facts(recall), again(recall)),
    ),
  ];
}

/**
 * @param {any} recall
 * @param {Map<string, any>} known
 * @param {Context} context
 */
function given(recall, known, context) {
  if (recall.rejected !== null) return refused(recall, context);
  if (!recall.hits.length) return empty(t("log.gave_nothing"));
  return h(
    "ol",
    { class: "hits" },
    recall.hits.map((/** @type {any} */ hit, /** @type {number} */ n) =>
      h(
        "li",
        { class: "hit", "data-item": hit.memory_id },
        h("div", { class: "rank", "aria-hidden": "true" }, n + 1),
        h("div", { class: "body" }, text(known.get(hit.memory_id)), h("p", { class: "meta" }, t("log.score", { score: number(hit.score) }), use(hit))),
      ),
    ),
  );
}

/**
 * Why it was refused, and what comes nearest today.
 * @param {any} recall
 * @param {Context} context
 */
function refused(recall, { signal }) {
  const near = h("div", {});
  const body = { query: recall.query, recipe: recall.recipe, namespace: recall.namespace, limit: NEAREST, track: false };
  if (recall.query) ask("POST", "recall", { body, signal }).then((found) => show(near, ...nearest(found)), () => {});
  return h(
    "div",
    {},
    h("div", { class: "refused" }, h("p", { class: "why-not" }, t("log.refused_hint")), h("p", {}, prose(recall.rejected))),
    near,
  );
}

/** @param {any} found the same question, asked again */
function nearest(found) {
  const hits = found.hits.length ? found.hits : found.nearest.slice(0, NEAREST);
  if (!hits.length) return [];
  return [
    h("h3", {}, t(found.hits.length ? "log.answered_now" : "log.nearest")),
    h("ul", { class: "cards" }, hits.map((/** @type {any} */ { memory }) => h("li", { class: "card", "data-item": memory.id }, opener(memory), meta(memory)))),
  ];
}

/** @param {any} memory */
const text = (memory) => (memory ? [opener(memory), meta(memory), memory.reworded && h("p", { class: "quiet" }, t("log.reworded"))] : h("p", { class: "quiet" }, t("log.gone")));

/** @param {any} hit */
function use({ used, outcome: result }) {
  if (used === null) return null;
  const worked = result === null ? "" : result > 0 ? ` · ${t("log.helped")}` : result < 0 ? ` · ${t("log.failed")}` : "";
  return h("span", { class: used ? "badge used" : "badge" }, `${t(used ? "log.was_used" : "log.was_not_used")}${worked}`);
}

/** @param {any} recall */
function facts(recall) {
  /** @type {[string, Node | string][]} */
  const rows = [
    [t("log.who"), prose(teller(recall.actor))],
    [t("log.namespace"), prose(recall.namespace)],
    [t("log.recipe"), prose(recall.recipe)],
    [t("log.confidence"), percent(recall.confidence)],
    [t("log.took"), recall.ms === null ? t("log.unknown") : t("log.ms", { ms: milliseconds(recall.ms) })],
  ];
  return h(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

/** @param {any} recall */
const again = (recall) =>
  recall.query &&
  h("p", { class: "actions" }, h("a", { href: href("ask", { q: recall.query, recipe: recall.recipe }) }, t("log.again")));
