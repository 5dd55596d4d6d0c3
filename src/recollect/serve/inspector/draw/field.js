// Labelled controls.

import { h } from "../dom.js";

let made = 0;

/**
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [kind]
 */
export function field(label, control, kind = "") {
  control.id ||= `control-${(made += 1)}`;
  return h("div", { class: `field ${kind}` }, h("label", { for: control.id }, label), control);
}

/**
 * @param {string} name
 * @param {string} value
 * @param {Record<string, unknown>} [attributes]
 */
export function input(name, value, attributes = {}) {
  return /** @type {HTMLInputElement} */ (
    h("input", { type: "text", name, value, autocomplete: "off", ...attributes })
  );
}

/**
 * @param {string} name
 * @param {string} chosen
 * @param {(string | [string, string])[]} options values, or values with what to show
 * @param {Record<string, unknown>} [attributes]
 */
export function select(name, chosen, options, attributes = {}) {
  const listed = options.map((each) => (Array.isArray(each) ? each : [each, each]));
  if (chosen && !listed.some(([value]) => value === chosen)) listed.push([chosen, chosen]);
  const drawn = listed.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  return /** @type {HTMLSelectElement} */ (h("select", { name, ...attributes }, drawn));
}

/** @param {HTMLFormElement} form */
export const given = (form) => /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form)));
