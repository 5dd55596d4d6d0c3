// Splits a score into summands and into factors of the whole.

import { evaluated, names, parsed } from "./formula.js";

/** @typedef {{name: string, value: number, formula?: string, note?: string, parts?: Explanation[]}} Explanation */
/** @typedef {{name: string, value: number}} Share */
/** @typedef {{added: Share[], factors: (Share & {note?: string})[]}} Split */

/** Parts that are the score before a later stage. They are opened in place of the score. */
const WITHIN = ["composite", "uncontested", "ranked"];
/** Parts that are sums themselves, and are opened. */
const SUMS = /^(relevance|own|alone|session_rrf_score|part_\d+)$/;
const LINKED = /^source \* weight/;

/**
 * Shares that add up to the score, in the order of its formula, and the factors it was multiplied with.
 * @param {Explanation} score
 * @returns {Split & {before: number}} `before`: what the score was without its factors
 */
export function contributions(score) {
  const { added, factors } = split(score);
  const multiplied = factors.reduce((product, factor) => product * factor.value, 1);
  return { added: merged(added), factors, before: multiplied ? score.value / multiplied : score.value };
}

/**
 * @param {Explanation} node
 * @returns {Split}
 */
function split(node) {
  const inner = node.parts?.find((part) => WITHIN.includes(part.name));
  if (inner) return unwrapped(node, inner);
  if (!node.formula || !node.parts?.length || LINKED.test(node.formula)) return { added: [named(node)], factors: [] };
  try {
    return opened(spread(parsed(node.formula), valuesOf(node)), node);
  } catch (error) {
    if (error instanceof SyntaxError) return { added: [named(node)], factors: [] };
    throw error;
  }
}

/**
 * @param {Explanation} node
 * @param {Explanation} inner
 * @returns {Split}
 */
function unwrapped(node, inner) {
  const by = inner.value ? node.value / inner.value : 0;
  const { added, factors } = split(inner);
  const conflict = inner.name === "uncontested" ? [{ name: "conflict", value: by, note: node.note }] : [];
  return { added: scaled(added, by), factors: [...factors, ...conflict] };
}

/**
 * Sums among the shares are opened in turn.
 * @param {Split} found
 * @param {Explanation} node
 * @returns {Split}
 */
function opened(found, node) {
  const parts = new Map(node.parts?.map((part) => [part.name, part]));
  const added = [];
  /** @type {Split["factors"]} */
  const factors = found.factors.map((factor) => ({ ...factor, note: parts.get(factor.name)?.note }));
  for (const share of found.added) {
    const part = parts.get(share.name);
    if (!part || !SUMS.test(share.name)) {
      added.push(share);
    } else if (part.value) {
      const within = split(part);
      added.push(...scaled(within.added, share.value / part.value));
      // A factor of one among several parts is not a factor of the whole.
      if (found.added.length === 1) factors.push(...within.factors);
    }
  }
  return { added, factors };
}

/**
 * @param {import("./formula.js").Term} term
 * @param {Record<string, number>} values
 * @returns {Split}
 */
function spread(term, values) {
  const whole = () => ({
    added: [{ name: names(term)[0] ?? "constant", value: evaluated(term, values) }],
    factors: [],
  });
  if (term.kind !== "op") return whole();
  const [left, right] = [spread(term.left, values), spread(term.right, values)];
  switch (term.op) {
    case "+":
      return { added: [...left.added, ...right.added], factors: [...left.factors, ...right.factors] };
    case "-":
      return { added: [...left.added, ...scaled(right.added, -1)], factors: [...left.factors, ...right.factors] };
    case "/":
      return { added: scaled(left.added, 1 / evaluated(term.right, values)), factors: left.factors };
    case "*":
      return product(term, left, right, values);
  }
  return whole();
}

/**
 * A weight scales; of two things that both have names, the one with the relevance in it is the sum, the other a
 * factor.
 * @param {import("./formula.js").Term & {kind: "op"}} term
 * @param {Split} left
 * @param {Split} right
 * @param {Record<string, number>} values
 * @returns {Split}
 */
function product(term, left, right, values) {
  const [a, b] = [evaluated(term.left, values), evaluated(term.right, values)];
  if (!names(term.left).length) return { added: scaled(right.added, a), factors: right.factors };
  if (!names(term.right).length) return { added: scaled(left.added, b), factors: left.factors };
  const turned = names(term.right).some((name) => SUMS.test(name)) && !names(term.left).some((name) => SUMS.test(name));
  const [sum, by, factor] = turned ? [right, a, term.left] : [left, b, term.right];
  return { added: scaled(sum.added, by), factors: [...sum.factors, { name: names(factor)[0], value: by }] };
}

/**
 * @param {Share[]} shares
 * @param {number} by
 */
const scaled = (shares, by) => shares.map((share) => ({ ...share, value: share.value * by }));

/** @param {Explanation} node */
function named(node) {
  const linked = node.formula && LINKED.test(node.formula);
  return { name: linked ? "link" : node.name, value: Number(node.value) };
}

/** @param {Share[]} shares */
function merged(shares) {
  const sums = new Map();
  for (const { name, value } of shares) {
    const under = { session_best: "session", turn_support: "turns" }[name] ?? name.replace(/_\d+$/, "s");
    sums.set(under, (sums.get(under) ?? 0) + value);
  }
  return [...sums].map(([name, value]) => ({ name, value })).filter(({ value }) => Math.abs(value) > 1e-12);
}

/**
 * @param {Explanation} node
 * @returns {Record<string, number>}
 */
export const valuesOf = (node) => Object.fromEntries((node.parts ?? []).map((part) => [part.name, Number(part.value)]));

/**
 * What each part contributes, 0 to 1: the share of the value that is lost when the part is zero.
 * @param {Explanation} node
 * @returns {Record<string, number>}
 */
export function sharesOf(node) {
  const values = valuesOf(node);
  return Object.fromEntries(Object.keys(values).map((name) => [name, shareOf(node, values, name)]));
}

/**
 * @param {Explanation} node
 * @param {Record<string, number>} values
 * @param {string} name
 */
function shareOf(node, values, name) {
  if (!node.formula || !node.value) return 0;
  const term = parsed(node.formula);
  const without = evaluated(term, { ...values, [name]: 0 });
  const doubled = evaluated(term, { ...values, [name]: 2 * values[name] });
  // A divisor or subtrahend lowers the value, so it contributes nothing.
  if (!Number.isFinite(without) || Math.abs(doubled) <= Math.abs(node.value)) return 0;
  return Math.min(Math.max((node.value - without) / node.value, 0), 1);
}
