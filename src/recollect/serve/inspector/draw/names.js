// People and things around one in the middle. The places depend only on the order, so the same data gives the same
// drawing. The list beside it has the same content for those who do not see it.

import { svg, undisguised } from "../dom.js";
import { shortened } from "../format.js";
import { t } from "../language.js";
import { href } from "../route.js";

/** @typedef {{name: string, nodes: {name: string, count: number}[], edges: {a: string, b: string, count: number}[]}} Graph */
/** @typedef {{x: number, y: number}} Point */

const WIDE = { width: 720, height: 440, most: 14, letters: 20 };
const NARROW = { width: 360, height: 440, most: 8, letters: 13 };
/** The height for up to so many names; more need the whole. */
const LOW = { most: 3, height: 190 };
const MIDDLE = 13;
const LARGEST = 11;
const SMALLEST = 6;

export const narrow = () => matchMedia("(max-width: 46rem)").matches;

/** How many fit. */
export const fits = () => (narrow() ? NARROW : WIDE).most;

/**
 * @param {Graph} graph
 * @param {Record<string, string>} kept parameters of the address that stay
 */
export function names(graph, kept) {
  const whole = narrow() ? NARROW : WIDE;
  const room = graph.nodes.length > LOW.most ? whole : { ...whole, height: LOW.height };
  const nodes = graph.nodes.slice(0, room.most);
  const centre = { x: room.width / 2, y: room.height / 2 };
  /** @type {Map<string, Point>} */
  const at = new Map(nodes.map((node, n) => [node.name, place(n, nodes.length, room)]));
  at.set(graph.name, centre);
  const most = Math.max(1, ...nodes.map(({ count }) => count));
  const drawing = svg("svg", {
    viewBox: `0 0 ${room.width} ${room.height}`,
    class: "names",
    role: "group",
    "aria-label": t("graph.drawing", { name: graph.name }),
  });
  drawing.append(...lines(graph, at, most));
  drawing.append(node(graph.name, centre, MIDDLE, room.letters, null));
  for (const { name, count } of nodes) {
    const size = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(count / most);
    const to = { href: href("graph", { ...kept, name }), label: t("graph.together_with", { name, count }) };
    drawing.append(node(name, /** @type {Point} */ (at.get(name)), size, room.letters, to));
  }
  return drawing;
}

/**
 * Evenly around the middle; every other one is further in when there are many, so that labels do not overlap.
 * @param {number} n
 * @param {number} of
 * @param {typeof WIDE} room
 */
function place(n, of, room) {
  const turn = (n / of) * 2 * Math.PI - Math.PI / 2 + Math.PI / Math.max(of, 2);
  const reach = of > 6 && n % 2 ? 0.62 : 1;
  return {
    x: room.width / 2 + Math.cos(turn) * (room.width / 2 - 70) * reach,
    y: room.height / 2 + Math.sin(turn) * (room.height / 2 - 40) * reach,
  };
}

/**
 * @param {Graph} graph
 * @param {Map<string, Point>} at
 * @param {number} most
 */
function lines({ name, edges }, at, most) {
  return edges
    .filter(({ a, b }) => at.has(a) && at.has(b))
    .sort((one, other) => Number(touches(one, name)) - Number(touches(other, name)))
    .map((edge) => {
      const [from, to] = [at.get(edge.a), at.get(edge.b)];
      const own = touches(edge, name);
      return svg("line", {
        x1: from?.x.toFixed(1),
        y1: from?.y.toFixed(1),
        x2: to?.x.toFixed(1),
        y2: to?.y.toFixed(1),
        class: own ? "own" : "across",
        "stroke-width": own ? (1 + 3 * (edge.count / most)).toFixed(1) : 1,
      });
    });
}

/** @param {{a: string, b: string}} edge @param {string} name */
const touches = ({ a, b }, name) => a === name || b === name;

/**
 * @param {string} name
 * @param {Point} at
 * @param {number} size
 * @param {number} letters
 * @param {{href: string, label: string} | null} to
 */
function node(name, at, size, letters, to) {
  const drawn = [
    svg("circle", { cx: at.x.toFixed(1), cy: at.y.toFixed(1), r: size.toFixed(1) }),
    svg("text", { x: at.x.toFixed(1), y: (at.y + size + 15).toFixed(1) }, undisguised(shortened(name, letters))),
  ];
  if (!to) return svg("g", { class: "middle" }, drawn);
  return svg("a", { href: to.href, "aria-label": to.label }, svg("title", {}, to.label), drawn);
}
