// How many questions were asked on each day, how many were refused, and how many hits were not used.

import { h, svg } from "../dom.js";
import { dayInWords, percent } from "../format.js";
import { t } from "../language.js";

/** @typedef {{day: string, asked: number, refused: number, judged: number, unused: number}} Day */

const WIDTH = 600;
const HEIGHT = 90;
/** The chart has at most so many bars. Older days are in the table only. */
const MOST_DAYS = 60;
/** The server counts so many questions, the newest. */
const MOST_COUNTED = 2000;
const DAY_MS = 86_400_000;

/** @typedef {{all: (day: Day) => number, part: (day: Day) => number, names: () => [string, string]}} Bars */
/** @type {Bars} */
const QUESTIONS = {
  all: ({ asked }) => asked,
  part: ({ refused }) => refused,
  names: () => [t("log.outcome.answered"), t("log.outcome.refused")],
};
/** @type {Bars} */
const HITS = {
  all: ({ judged }) => judged,
  part: ({ unused }) => unused,
  names: () => [t("log.hits_used"), t("log.hits_unused")],
};

/** @param {Day[]} days */
export function rates(days) {
  const shown = everyDay(days).slice(-MOST_DAYS);
  const label = summary(days);
  return h(
    "figure",
    { class: "rates" },
    h("figcaption", {}, label),
    shown.length > 1 && [
      chart(shown, label, QUESTIONS),
      shown.some(({ judged }) => judged) && chart(shown, label, HITS),
      h("p", { class: "ends" }, h("span", {}, dayInWords(shown[0].day)), h("span", {}, dayInWords(shown[shown.length - 1].day))),
    ].flat().filter(Boolean),
    h("details", {}, h("summary", {}, t("log.by_day")), table(days)),
  );
}

/** @param {Day[]} days */
function summary(days) {
  /** @param {"asked" | "refused" | "judged" | "unused"} name */
  const sum = (name) => days.reduce((total, day) => total + day[name], 0);
  const [asked, judged] = [sum("asked"), sum("judged")];
  const told = [t(asked < MOST_COUNTED ? "log.asked" : "log.newest", { count: asked }), t("log.refused_share", { share: percent(sum("refused") / (asked || 1)) })];
  told.push(judged ? t("log.unused_share", { share: percent(sum("unused") / judged) }) : t("log.no_feedback"));
  return told.join(" · ");
}

/**
 * The days between the first and the last, also those without a question.
 * @param {Day[]} days
 * @returns {Day[]}
 */
function everyDay(days) {
  if (!days.length) return [];
  const known = new Map(days.map((day) => [day.day, day]));
  const last = Date.parse(days[days.length - 1].day);
  const first = Math.max(Date.parse(days[0].day), last - (MOST_DAYS - 1) * DAY_MS);
  const count = Math.round((last - first) / DAY_MS) + 1;
  const names = Array.from({ length: count }, (_, n) => new Date(first + n * DAY_MS).toISOString().slice(0, 10));
  return names.map((day) => known.get(day) ?? { day, asked: 0, refused: 0, judged: 0, unused: 0 });
}

/**
 * A bar for each day with its upper and lower part, and what they mean.
 * @param {Day[]} days
 * @param {string} label
 * @param {Bars} bars
 */
function chart(days, label, { all, part, names }) {
  const most = Math.max(...days.map(all), 1);
  const step = WIDTH / days.length;
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  days.forEach((day, n) => {
    const [whole, low] = [all(day), part(day)].map((count) => (count / most) * (HEIGHT - 4));
    const at = { x: n * step + step * 0.1, width: step * 0.8 };
    drawing.append(svg("rect", { ...at, class: "answered", y: HEIGHT - whole, height: whole - low }));
    drawing.append(svg("rect", { ...at, class: "refusals", y: HEIGHT - low, height: low }));
  });
  return h("div", { class: "rate" }, legend(names()), drawing);
}

/** @param {[string, string]} names of the upper and of the lower part */
const legend = ([upper, lower]) =>
  h(
    "p",
    { class: "key quiet" },
    h("span", { class: "swatch answered", "aria-hidden": "true" }),
    upper,
    " ",
    h("span", { class: "swatch refusals", "aria-hidden": "true" }),
    lower,
  );

/** @param {Day[]} days */
function table(days) {
  const heads = [t("log.day"), t("log.questions"), t("log.outcome.refused"), t("log.judged"), t("log.outcome.unused")];
  return h(
    "table",
    { class: "figures" },
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
    h(
      "tbody",
      {},
      [...days].reverse().map((day) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, day.day),
          [day.asked, day.refused, day.judged, day.unused].map((count) => h("td", {}, count)),
        ),
      ),
    ),
  );
}
