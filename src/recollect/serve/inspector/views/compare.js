// The same question through two recipes, side by side, with a line for every memory both return.

import { ask } from "../api.js";
import { contributions } from "../contributions.js";
import { h, svg } from "../dom.js";
import { colourKey, scaleOf, scoreBar } from "../draw/bar.js";
import { opener } from "../draw/card.js";
import { verdict } from "../draw/confidence.js";
import { field, given, input, select } from "../draw/field.js";
import { drawLines } from "../draw/lines.js";
import { empty, filled } from "../draw/states.js";
import { number, percent, shortened, words } from "../format.js";
import { t } from "../language.js";
import { href } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const LIMIT = 8;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function compareView(root, context) {
  const { params } = context.route;
  const question = params.get("q") ?? "";
  const chosen = { a: params.get("a") ?? "default", b: params.get("b") ?? "default-fast" };
  const answer = h("section", { class: "answer", "aria-label": t("compare.comparison") });
  root.append(h("h1", {}, t("compare.heading")), form(context, chosen), answer);
  if (!question) {
    answer.append(
      empty(t("compare.begin"), t("compare.begin_hint")),
    );
    return;
  }
  const body = { query: question, recipes: [chosen.a, chosen.b], limit: Number(params.get("limit") || LIMIT) };
  await filled(
    answer,
    () => ask("POST", "compare", { body, signal: context.signal }),
    (found) => drawn(found, chosen, context),
  );
}

/**
 * @param {Context} context
 * @param {{a: string, b: string}} chosen
 */
function form({ route: { params }, recipes, go }, chosen) {
  const names = recipes.map(({ name }) => name);
  /** @param {SubmitEvent} event */
  const sent = (event) => {
    event.preventDefault();
    go(href("compare", given(/** @type {HTMLFormElement} */ (event.target))));
  };
  const question = input("q", params.get("q") ?? "", {
    type: "search",
    class: "question",
    "data-question": true,
    required: true,
    placeholder: t("ask.example"),
    enterkeyhint: "search",
  });
  return h(
    "form",
    { class: "asking", role: "search", onsubmit: sent },
    h(
      "div",
      { class: "main-row" },
      field(t("ask.question"), question, "wide"),
      field(t("compare.left"), select("a", chosen.a, names)),
      field(t("compare.right"), select("b", chosen.b, names)),
      h("button", { class: "primary" }, t("compare.compare")),
    ),
  );
}

/**
 * @param {any} found
 * @param {{a: string, b: string}} chosen
 * @param {Context} context
 */
function drawn(found, { a, b }, context) {
  const [left, right] = [found.recalls[a], found.recalls[b]];
  const canvas = svg("svg", { class: "lines", "aria-hidden": "true" });
  const [first, second] = [side(left, right, b), side(right, left, a)];
  const board = h("div", { class: "board" }, first.column, canvas, second.column);
  const draw = () => drawLines(canvas, first.cards, second.cards);
  const watched = new ResizeObserver(draw);
  watched.observe(board);
  context.signal.addEventListener("abort", () => watched.disconnect());
  for (const kind of ["mouseover", "focusin"]) board.addEventListener(kind, (event) => lit(board, event));
  const said = apart(left, right, a, b);
  context.announce(said[0]);
  return [
    h(
      "div",
      { class: "apart" },
      said.map((sentence) => h("p", {}, sentence)),
    ),
    colourKey([...left.hits, ...right.hits]),
    board,
  ];
}

/**
 * @param {any} recall
 * @param {any} other
 * @param {string} otherName
 */
function side(recall, other, otherName) {
  const places = new Map(other.hits.map((/** @type {any} */ hit, /** @type {number} */ n) => [hit.memory.id, n + 1]));
  const scale = scaleOf(recall.hits);
  const cards = new Map();
  recall.hits.forEach((/** @type {any} */ hit, /** @type {number} */ n) =>
    cards.set(hit.memory.id, place(hit, n + 1, places.get(hit.memory.id), otherName, scale)),
  );
  const column = h(
    "section",
    { class: "side", "aria-label": recall.recipe },
    h("h2", {}, recall.recipe),
    h("p", { class: "quiet" }, `${percent(recall.confidence)} ${verdict(recall.confidence)}`),
    recall.hits.length ? h("ol", {}, [...cards.values()]) : refused(recall),
  );
  return { column, cards };
}

/** @param {any} recall */
function refused(recall) {
  return [
    h("p", { class: "refused" }, t("compare.rejected", { why: recall.rejected })),
    recall.nearest.length > 0 && h("p", { class: "quiet sentence" }, t("ask.nearest")),
    h("ol", { class: "nearest" }, recall.nearest.map(near)),
  ];
}

/**
 * @param {any} hit
 * @param {number} n
 */
const near = (hit, n) =>
  h(
    "li",
    { class: "place", "data-item": hit.memory.id },
    h(
      "div",
      { class: "place-head" },
      h("span", { class: "rank" }, n + 1),
      h("span", { class: "total" }, number(hit.score)),
    ),
    opener(hit.memory, 160),
  );

/**
 * @param {any} hit
 * @param {number} rank
 * @param {number | undefined} there rank in the other recipe
 * @param {string} otherName
 * @param {number} scale
 */
function place(hit, rank, there, otherName, scale) {
  const moved = there === undefined ? "alone" : there > rank ? "up" : there < rank ? "down" : "same";
  const told = there === undefined ? t("compare.not_in", { other: otherName }) : t("compare.rank_in", { rank: there, other: otherName });
  return h(
    "li",
    { class: `place ${moved}`, "data-item": hit.memory.id, "data-memory": hit.memory.id },
    h(
      "div",
      { class: "place-head" },
      h("span", { class: "rank" }, rank),
      h("span", { class: "moved" }, told),
      h("span", { class: "total" }, number(hit.score)),
    ),
    opener(hit.memory, 160),
    scoreBar(hit.explanation, scale),
  );
}

/**
 * Highlights the memory under the pointer or the focus in both lists, and its line.
 * @param {HTMLElement} board
 * @param {Event} event
 */
function lit(board, event) {
  const id = /** @type {Element} */ (event.target).closest("[data-memory]")?.getAttribute("data-memory");
  board
    .querySelectorAll("[data-memory]")
    .forEach((each) => each.classList.toggle("lit", each.getAttribute("data-memory") === id));
}

/**
 * What both recipes have in common, and where they differ most.
 * @param {any} left
 * @param {any} right
 * @param {string} a
 * @param {string} b
 */
function apart(left, right, a, b) {
  const ids = (/** @type {any} */ recall) => recall.hits.map((/** @type {any} */ hit) => hit.memory.id);
  const [first, second] = [ids(left), ids(right)];
  const union = new Set([...first, ...second]);
  const shared = first.filter((/** @type {string} */ id) => second.includes(id));
  if (!union.size) return [t("compare.neither", { a, b })];
  const share = t("compare.in_common", { a, b, shared: shared.length, all: union.size });
  const gap = (/** @type {string} */ id) => Math.abs(1 / (first.indexOf(id) + 1) - 1 / (second.indexOf(id) + 1));
  const widest = shared.sort((/** @type {string} */ x, /** @type {string} */ y) => gap(y) - gap(x))[0];
  if (!widest || gap(widest) === 0) return [share];
  const [here, there] = [first.indexOf(widest), second.indexOf(widest)];
  const factor = widestShare(left.hits[here].explanation, right.hits[there].explanation);
  const text = shortened(left.hits[here].memory.text, 60);
  const shares = t("compare.shares", { part: words(factor.name), x: percent(factor.a), y: percent(factor.b), a, b });
  return [share, `${t("compare.ranks", { text, here: here + 1, there: there + 1, a, b })} ${shares}`];
}

/**
 * The part whose share of the score differs most.
 * @param {import("../contributions.js").Explanation} a
 * @param {import("../contributions.js").Explanation} b
 */
function widestShare(a, b) {
  const [one, other] = [shares(a), shares(b)];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  const pairs = names.map((name) => ({ name, a: one.get(name) ?? 0, b: other.get(name) ?? 0 }));
  return pairs.sort((x, y) => Math.abs(y.a - y.b) - Math.abs(x.a - x.b))[0];
}

/** @param {import("../contributions.js").Explanation} score */
const shares = (score) =>
  new Map(contributions(score).added.map(({ name, value }) => [name, score.value ? value / score.value : 0]));
