// A memory and its links as a graph.

import { h, svg, undisguised } from "../dom.js";
import { shortened } from "../format.js";
import { named as worded, t } from "../language.js";
import { memoryHref } from "../route.js";

/** @typedef {{a: string, b: string, kind: string, weight: number}} Link */
/** @typedef {{link: Link, memory: {id: string, text: string}}} Neighbour */

export const MOST = 12;
/** Up to this many lines are labelled. Above, only the list beside the drawing names the kinds. */
const MOST_NAMED = 7;
const WIDTH = 340;
const HEIGHT = 270;
const NODE = 15;

/**
 * Numbered nodes around the memory. The list beside the drawing says what they are.
 * @param {string} id
 * @param {Neighbour[]} neighbours
 */
export function linkGraph(id, neighbours) {
  const shown = neighbours.slice(0, MOST);
  const drawing = svg("svg", {
    viewBox: seen(shown.length),
    class: "graph",
    role: "group",
    "aria-label": t("memory.drawing"),
  });
  drawing.append(arrow());
  const nodes = shown.map((each, n) => ({ each, n, at: place(n, shown.length) }));
  drawing.append(...nodes.map(({ each, at }) => edge(id, each, at, nodes.length <= MOST_NAMED)));
  drawing.append(svg("circle", { class: "centre", cx: WIDTH / 2, cy: HEIGHT / 2, r: NODE + 4 }));
  drawing.append(svg("text", { class: "this", x: WIDTH / 2, y: HEIGHT / 2 + 4 }, t("memory.this")));
  drawing.append(...nodes.map(({ each, n, at }) => node(each, n, at)));
  return h("div", { class: "drawing" }, drawing);
}

/**
 * The part of the drawing that has something in it: one neighbour is above, two are on both sides.
 * @param {number} count
 */
function seen(count) {
  if (count === 1) return `0 0 ${WIDTH} ${HEIGHT / 2 + NODE * 2}`;
  return count === 2 ? `0 ${HEIGHT / 2 - NODE * 2} ${WIDTH} ${NODE * 4}` : `0 0 ${WIDTH} ${HEIGHT}`;
}

/**
 * @param {number} n
 * @param {number} of
 */
function place(n, of) {
  const turn = (n / of) * 2 * Math.PI - Math.PI / 2 + (of % 2 ? 0 : Math.PI / of);
  return {
    x: WIDTH / 2 + Math.cos(turn) * (WIDTH / 2 - NODE - 14),
    y: HEIGHT / 2 + Math.sin(turn) * (HEIGHT / 2 - NODE - 6),
  };
}

function arrow() {
  const head = svg("marker", {
    id: "arrow",
    viewBox: "0 0 8 8",
    refX: 7,
    refY: 4,
    markerWidth: 9,
    markerHeight: 9,
    markerUnits: "userSpaceOnUse",
    orient: "auto-start-reverse",
  });
  head.append(svg("path", { d: "M0 0.5 8 4 0 7.5z" }));
  return svg("defs", {}, head);
}

/**
 * A link is drawn in the direction it reads: `a supersedes b` points to b.
 * @param {string} id
 * @param {Neighbour} each
 * @param {{x: number, y: number}} at
 * @param {boolean} named
 */
function edge(id, { link }, at, named) {
  const centre = { x: WIDTH / 2, y: HEIGHT / 2 };
  const length = Math.hypot(at.x - centre.x, at.y - centre.y);
  /** @param {number} away */
  const on = (away) => ({
    x: centre.x + ((at.x - centre.x) * away) / length,
    y: centre.y + ((at.y - centre.y) * away) / length,
  });
  const [near, far] = [on(NODE + 7), on(length - NODE - 3)];
  const [from, to] = link.a === id ? [near, far] : [far, near];
  const middle = on(length / 2 + 4);
  return svg(
    "g",
    { class: `edge ${link.kind}` },
    svg("line", {
      x1: from.x,
      y1: from.y,
      x2: to.x,
      y2: to.y,
      "stroke-width": 1 + 2 * link.weight,
      "marker-end": "url(#arrow)",
    }),
    named && svg("text", { x: middle.x, y: middle.y + 3 }, worded("memory.link", link.kind)),
  );
}

/**
 * @param {Neighbour} each
 * @param {number} n
 * @param {{x: number, y: number}} at
 */
function node({ link, memory }, n, at) {
  return svg(
    "a",
    { href: memoryHref(memory.id), "aria-label": `${n + 1}: ${worded("memory.link", link.kind)}: ${shortened(memory.text, 80)}` },
    svg("circle", { cx: at.x, cy: at.y, r: NODE }),
    svg("text", { x: at.x, y: at.y + 4 }, n + 1),
    svg("title", {}, undisguised(shortened(memory.text, 160))),
  );
}
