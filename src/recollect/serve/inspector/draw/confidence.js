// Draws the confidence that the answer is in memory.

import { h } from "../dom.js";
import { percent } from "../format.js";
import { t } from "../language.js";

/** @param {number} sure */
export function verdict(sure) {
  if (sure >= 0.8) return t("ask.sure_very");
  if (sure >= 0.5) return t("ask.sure_likely");
  return t(sure >= 0.25 ? "ask.sure_doubtful" : "ask.sure_not");
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
  const { coverage, agreement, keyword_match: all } = signals;
  return [
    ...signals.unknown_codes.map((code) => t("ask.code_nowhere", { code })),
    all ? t("ask.all_words") : t("ask.some_words", { share: percent(coverage) }),
    ...vectors(signals),
    t("ask.agreement", { share: percent(agreement) }),
  ];
}

/** @param {Signals} signals */
function vectors({ top_similarity: cosine, background, evidence }) {
  if (cosine === null) return [t("ask.no_vector")];
  const nearest = t("ask.cosine", { cosine: cosine.toFixed(2) });
  return [
    background === null ? nearest : `${nearest} ${t("ask.background", { cosine: background.toFixed(2) })}`,
    ...(evidence === null ? [] : [t("ask.evidence", { evidence: evidence.toFixed(2) })]),
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
        "aria-label": t("ask.confidence_label"),
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
