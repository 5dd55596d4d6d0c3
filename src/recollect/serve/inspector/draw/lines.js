// Lines between the ranks that two recipes give the same memory.

import { show, svg } from "../dom.js";

/**
 * Draws into `canvas` (which lies between the two lists) a line for every memory that both lists hold, and a short
 * dashed one for what only one of them holds.
 * @param {SVGElement} canvas
 * @param {Map<string, HTMLElement>} left memory id → its card
 * @param {Map<string, HTMLElement>} right
 */
export function drawLines(canvas, left, right) {
  const box = canvas.getBoundingClientRect();
  /** @param {HTMLElement} card */
  const middle = (card) => card.getBoundingClientRect().top + Math.min(card.offsetHeight / 2, 40) - box.top;
  const width = box.width;
  const lines = [];
  const ranks = [...right.keys()];
  let place = 0;
  for (const [id, card] of left) {
    const other = right.get(id);
    if (other) lines.push(line(id, middle(card), middle(other), width, Math.sign(place - ranks.indexOf(id))));
    else lines.push(stub(id, middle(card), 0, width / 4));
    place += 1;
  }
  for (const [id, card] of right) if (!left.has(id)) lines.push(stub(id, middle(card), width, (width * 3) / 4));
  show(canvas, lines);
}

/**
 * @param {string} id
 * @param {number} from
 * @param {number} to
 * @param {number} width
 * @param {number} way 1: better on the right, −1: worse
 */
function line(id, from, to, width, way) {
  const kind = way > 0 ? "up" : way < 0 ? "down" : "same";
  const bend = width / 2;
  return svg(
    "g",
    { class: `line ${kind}`, "data-memory": id },
    svg("path", { d: `M3 ${from} C${bend} ${from} ${bend} ${to} ${width - 3} ${to}` }),
    svg("circle", { cx: 4, cy: from, r: 3.5 }),
    svg("circle", { cx: width - 4, cy: to, r: 3.5 }),
  );
}

/**
 * @param {string} id
 * @param {number} y
 * @param {number} from
 * @param {number} to
 */
function stub(id, y, from, to) {
  return svg("g", { class: "line alone", "data-memory": id }, svg("path", { d: `M${from} ${y} H${to}` }));
}
