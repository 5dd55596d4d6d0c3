// What each stage of a recall did, and what it left out.

import { h } from "../dom.js";
import { milliseconds } from "../format.js";
import { named, t } from "../language.js";

/** @typedef {{stage: string, into: number, out: number, note: string, ms: number}} Step */

/** @param {Step[]} steps */
export function trace(steps) {
  const most = Math.max(1, ...steps.map((step) => Math.max(step.into, step.out)));
  return h(
    "table",
    { class: "trace" },
    h("caption", { class: "unseen" }, t("ask.trace")),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, t("ask.trace_stage")),
        h("th", { scope: "col", class: "figure" }, t("ask.trace_counts")),
        h("th", { scope: "col", class: "figure" }, t("ask.trace_ms")),
      ),
    ),
    h(
      "tbody",
      {},
      steps.map((step) => row(step, most)),
    ),
    h(
      "tfoot",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "row", colspan: 2 }, t("ask.trace_all")),
        h("td", { class: "figure" }, milliseconds(steps.reduce((sum, { ms }) => sum + ms, 0))),
      ),
    ),
  );
}

/**
 * Names of a recipe's parts, such as TurnNeighbours, as words.
 * @param {string} note
 */
const told = (note) => (/^[A-Z]\w+$/.test(note) ? note.replace(/\B[A-Z]/g, " $&").toLowerCase() : note);

/**
 * @param {Step} step
 * @param {number} most
 */
function row(step, most) {
  const bar = h("span", { class: "funnel", "aria-hidden": "true" });
  bar.style.width = `${(step.out / most) * 100}%`;
  const first = step.stage.startsWith("route ") || ["side", "topic", "second look"].includes(step.stage);
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("span", {}, step.stage),
      step.note && h("span", { class: "note" }, told(step.note)),
      bar,
    ),
    h("td", { class: "figure" }, first ? `→ ${step.out}` : `${step.into} → ${step.out}`),
    h("td", { class: "figure" }, milliseconds(step.ms)),
  );
}

/**
 * The stages that dropped candidates, each with its reason.
 * @param {Step[]} steps
 */
export function leftOut(steps) {
  return steps
    .filter((step) => step.out < step.into && step.stage !== "group")
    .filter((step) => step.stage !== "fuse" || !merging(step, steps))
    .map((step) => ({
      stage: step.stage,
      count: step.into - step.out,
      why: named("ask.why_left", step.stage),
      note: told(step.note),
    }));
}

/**
 * Whether fusing only merged candidates that several routes found, and dropped none: it kept as many as the largest
 * route found.
 * @param {Step} fuse
 * @param {Step[]} steps
 */
function merging(fuse, steps) {
  return fuse.out >= Math.max(...steps.filter(({ stage }) => stage.startsWith("route ")).map(({ out }) => out));
}
