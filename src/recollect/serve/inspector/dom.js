// Makes elements without markup: memory texts are inserted as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element. Functions become listeners (`onclick`), `true` an empty attribute, `false` and null nothing.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (filled(document.createElement(tag), attributes, children));
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (filled(document.createElementNS(SVG, tag), attributes, children));
}

/**
 * @param {Element} element
 * @param {Record<string, unknown>} attributes
 * @param {(Child | Child[])[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  add(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {(Child | Child[])[]} children
 */
function add(element, children) {
  const wanted = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...wanted.map((child) => (child instanceof Node ? child : String(child))));
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function show(element, ...children) {
  element.replaceChildren();
  add(element, children);
}

// Control characters that change how the text around them is shown. Letters of all scripts are kept.
const DECEIVING = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/;

/**
 * A text that somebody wrote, in its own reading direction, with hidden control characters made visible.
 * @param {string} text
 * @returns {HTMLElement}
 */
export function prose(text) {
  const pieces = text.split(new RegExp(`(${DECEIVING.source})`));
  return h(
    "bdi",
    { class: "prose", dir: "auto" },
    pieces.map((piece) => (DECEIVING.test(piece) ? mark(piece) : piece)),
  );
}

/**
 * The same for places that hold no elements, such as options and drawings.
 * @param {string} text
 */
export const undisguised = (text) => text.replace(new RegExp(DECEIVING.source, "g"), numbered);

/** @param {string} character */
const numbered = (character) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** @param {string} character */
function mark(character) {
  const code = numbered(character);
  return h("span", { class: "control", title: code }, code);
}
