// The number of memories, day by day.

import { h, svg } from "../dom.js";
import { dayInWords } from "../format.js";
import { t } from "../language.js";

const WIDTH = 600;
const HEIGHT = 140;
const DAY_MS = 86_400_000;

/** @param {{day: string, memories: number}[]} growth the memories of each day, by when they were told */
export function growthChart(growth) {
  if (!growth.length) return h("p", { class: "empty" }, t("overview.nothing"));
  let total = 0;
  const sums = growth.map(({ day, memories }) => ({ at: Date.parse(day), total: (total += memories) }));
  const [start, end] = [sums[0].at - DAY_MS, Math.max(sums[sums.length - 1].at, sums[0].at + DAY_MS)];
  /** @param {number} at */
  const x = (at) => (((at - start) / (end - start)) * WIDTH).toFixed(1);
  /** @param {number} sum */
  const y = (sum) => (HEIGHT - 4 - (sum / total) * (HEIGHT - 12)).toFixed(1);
  const steps = sums.map(({ at, total: sum }) => `H${x(at)} V${y(sum)}`).join(" ");
  const line = `M0 ${y(0)} ${steps} H${WIDTH}`;
  const [first, last] = [growth[0].day, growth[growth.length - 1].day];
  return h(
    "figure",
    { class: "growth" },
    svg(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": t("overview.added", { count: total, first, last }),
      },
      svg("path", { class: "area", d: `${line} V${HEIGHT} H0z` }),
      svg("path", { class: "edge", d: line, "vector-effect": "non-scaling-stroke" }),
    ),
    h(
      "figcaption",
      { class: "ends" },
      h("span", {}, dayInWords(first)),
      h("span", {}, t("overview.by", { count: total, last: dayInWords(last) })),
    ),
  );
}
