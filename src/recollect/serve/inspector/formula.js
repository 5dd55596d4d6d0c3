// Parses and evaluates formulas: arithmetic over the names of an explanation's parts, as in Python.

/**
 * @typedef {{kind: "number", value: number}
 *   | {kind: "name", name: string}
 *   | {kind: "call", name: string, args: Term[]}
 *   | {kind: "minus", of: Term}
 *   | {kind: "op", op: string, left: Term, right: Term}} Term
 */

/** @type {Record<string, (...values: number[]) => number>} */
const FUNCTIONS = { exp: Math.exp, ln: Math.log, min: Math.min, max: Math.max };

/** @type {Record<string, (a: number, b: number) => number>} */
const OPERATORS = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "**": (a, b) => a ** b,
};

const TOKEN = /\s*(\d+\.?\d*(?:e[+-]?\d+)?|[A-Za-z_]\w*|\*\*|[-+*/(),])/y;

/**
 * @param {string} source
 * @returns {Term}
 */
export function parsed(source) {
  const tokens = tokenised(source);
  let at = 0;
  const next = () => tokens[at];
  const take = () => tokens[at++];

  /** @returns {Term} */
  const sum = () => chain(product, ["+", "-"]);
  /** @returns {Term} */
  const product = () => chain(unary, ["*", "/"]);
  /**
   * @param {() => Term} operand
   * @param {string[]} operators
   */
  function chain(operand, operators) {
    let left = operand();
    while (operators.includes(next())) left = { kind: "op", op: take(), left, right: operand() };
    return left;
  }
  /** @returns {Term} */
  function unary() {
    if (next() !== "-") return power();
    take();
    return { kind: "minus", of: unary() };
  }
  /** @returns {Term} */
  function power() {
    const left = atom();
    if (next() !== "**") return left;
    return { kind: "op", op: take(), left, right: unary() };
  }
  /** @returns {Term} */
  function atom() {
    const token = take();
    if (token === "(") return closed(sum());
    if (/^\d/.test(token ?? "")) return { kind: "number", value: Number(token) };
    if (!/^[A-Za-z_]/.test(token ?? "")) throw new SyntaxError(`not plain arithmetic: ${source}`);
    if (next() !== "(") return { kind: "name", name: token };
    take();
    const args = [sum()];
    while (next() === ",") args.push((take(), sum()));
    return closed({ kind: "call", name: token, args });
  }
  /** @param {Term} term */
  function closed(term) {
    if (take() !== ")") throw new SyntaxError(`a bracket is open in ${source}`);
    return term;
  }

  const term = sum();
  if (at < tokens.length) throw new SyntaxError(`not plain arithmetic: ${source}`);
  return term;
}

/** @param {string} source */
function tokenised(source) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.trimEnd().length) {
    const found = TOKEN.exec(source);
    if (!found) throw new SyntaxError(`not plain arithmetic: ${source}`);
    tokens.push(found[1]);
  }
  return tokens;
}

/**
 * @param {Term} term
 * @param {Record<string, number>} values
 * @returns {number}
 */
export function evaluated(term, values) {
  switch (term.kind) {
    case "number":
      return term.value;
    case "name":
      return values[term.name];
    case "minus":
      return -evaluated(term.of, values);
    case "call":
      return FUNCTIONS[term.name](...term.args.map((arg) => evaluated(arg, values)));
    case "op":
      return OPERATORS[term.op](evaluated(term.left, values), evaluated(term.right, values));
  }
}

/**
 * The names in a term.
 * @param {Term} term
 * @returns {string[]}
 */
export function names(term) {
  switch (term.kind) {
    case "number":
      return [];
    case "name":
      return [term.name];
    case "minus":
      return names(term.of);
    case "call":
      return term.args.flatMap(names);
    case "op":
      return [...names(term.left), ...names(term.right)];
  }
}

/**
 * The formula with numbers in place of names.
 * @param {string} source
 * @param {(name: string) => string | undefined} value
 */
export const filledIn = (source, value) => source.replace(/[A-Za-z_]\w*/g, (name) => value(name) ?? name);

/**
 * The formula with × and − in place of * and -.
 * @param {string} source
 */
export const written = (source) =>
  source.replaceAll("**", "^").replaceAll("*", "×").replaceAll("-", "−").replaceAll("/", "÷");
