// Draws the confidence that the answer is in memory.

import { h } from "../dom.js";
import { percent } from "../format.js";

/** @param {number} sure */
export function verdict(sure) {
  if (sure >= 0.8) return "very likely in memory";
  if (sure >= 0.5) return "likely in memory";
  if (sure >= 0.25) return "doubtful";
  return "probably not in memory";
}

/**
 * What the routes report.
 * @typedef {{top_similarity: number | null, keyword_match: boolean, coverage: number, agreement: number,
 *   background: number | null, evidence: number | null, unknown_codes: string[]}} Signals
 */

/**
 * The signals in words.
 * @param {Signals | undefined} signals
 */
function told(signals) {
  if (!signals) return [];
  const { top_similarity: cosine, coverage, agreement, keyword_match: all, background, evidence } = signals;
  const vectors =
    cosine === null
      ? ["no vector was compared"]
      : [
          `the nearest memory has a cosine of ${cosine.toFixed(2)}` +
            (background === null ? "" : `, those after the tenth ${background.toFixed(2)} on average`),
          ...(evidence === null ? [] : [`the evidence is ${evidence.toFixed(2)}, from cosine, shared words and status`]),
        ];
  return [
    ...signals.unknown_codes.map((code) => `${code} occurs in no memory`),
    all
      ? "one memory contains all words of the question"
      : `the best memory contains ${percent(coverage)} of the question's words`,
    ...vectors,
    `the routes agree on ${percent(agreement)} of their first ten`,
  ];
}

/**
 * @param {number} sure
 * @param {Signals} [signals]
 */
export function confidence(sure, signals) {
  const fill = h("span", {});
  fill.style.width = `${100 * sure}%`;
  return h(
    "div",
    { class: "confidence" },
    h("p", {}, h("b", {}, percent(sure)), ` ${verdict(sure)}`),
    h(
      "div",
      {
        class: "meter",
        role: "meter",
        "aria-label": "Confidence that the answer is in memory",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-valuenow": Math.round(100 * sure),
      },
      fill,
    ),
    h(
      "ul",
      { class: "signals" },
      told(signals).map((each) => h("li", {}, each)),
    ),
  );
}
