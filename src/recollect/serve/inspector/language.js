// The words of the page, in the language of the reader. They are all in strings.json.

import { undisguised } from "./dom.js";

/** @typedef {"en" | "zh"} Language */
/** @typedef {string | {one: string, other: string}} Wording */

/** @type {Record<Language, string>} what each language calls itself */
export const LANGUAGES = { en: "English", zh: "中文" };
const KEPT = "recollect.language";

/** @type {Record<string, Record<string, Record<Language, Wording>>>} section, key, language */
const STRINGS = await fetch("/inspector/strings.json").then((answer) => answer.json());

/** @type {Language} */
let chosen = wished();

/** The language that was chosen before, else the first of the browser's that the page has. */
function wished() {
  const asked = [localStorage.getItem(KEPT) ?? "", ...navigator.languages].map((each) => each.slice(0, 2));
  return /** @type {Language} */ (asked.find((each) => each in LANGUAGES) ?? "en");
}

export const language = () => chosen;

/** @param {Language} next */
export function choose(next) {
  chosen = next;
  localStorage.setItem(KEPT, next);
}

/**
 * A text of the page: `t("ask.found", { count: 3 })`. `count` also chooses between singular and plural.
 * @param {string} key section and name
 * @param {Record<string, string | number>} [values] what stands in place of `{name}`
 * @returns {string}
 */
export function t(key, values = {}) {
  return sentence(key, values).join("");
}

/**
 * The same for elements: the pieces of a text, with the given elements in place of their names.
 * @template Piece
 * @param {string} key
 * @param {Record<string, Piece | string | number>} values
 * @returns {(Piece | string)[]}
 */
export function sentence(key, values) {
  const pieces = worded(key, values.count).split(/\{(\w+)\}/);
  return pieces.map((piece, n) => (n % 2 ? shown(values[piece], piece) : piece));
}

/**
 * @template Piece
 * @param {Piece | string | number | undefined} value
 * @param {string} name
 */
function shown(value, name) {
  if (value === undefined) throw new RangeError(`no value for {${name}}`);
  return typeof value === "number" ? amount(value) : value;
}

/** @param {number} value a number as this language writes it */
export const amount = (value) => value.toLocaleString(chosen);

/**
 * @param {string} key
 * @param {unknown} count
 */
function worded(key, count) {
  const wording = found(key);
  if (!wording) throw new RangeError(`strings.json has no ${key}`);
  if (typeof wording === "string") return wording;
  return wording[new Intl.PluralRules(chosen).select(Number(count)) === "one" ? "one" : "other"];
}

/** @param {string} key */
function found(key) {
  const dot = key.indexOf(".");
  return STRINGS[key.slice(0, dot)]?.[key.slice(dot + 1)]?.[chosen];
}

/**
 * The name of a value of the memory, such as a status or a kind. A value that the page does not know keeps its name.
 * @param {string} set the beginning of its key
 * @param {string} value
 */
export function named(set, value) {
  const wording = found(`${set}.${value}`);
  return typeof wording === "string" ? wording : undisguised(value.replaceAll("_", " "));
}
