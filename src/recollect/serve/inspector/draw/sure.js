// A button that asks once more, for what can't be taken back.

import { h, show } from "../dom.js";
import { t } from "../language.js";

/**
 * The button stays where it was and does nothing, so a double click does nothing either.
 * @param {string} words
 * @param {string} again what the second button says
 * @param {() => unknown} act
 * @param {{kind?: string, atEnd?: boolean}} [look] the class of the button, and whether it stands at the end of a line
 */
export function sure(words, again, act, { kind = "quiet-button", atEnd = false } = {}) {
  const place = h("span", { class: "row" });
  const first = /** @type {HTMLButtonElement} */ (h("button", { type: "button", class: kind }, words));
  const cancel = h("button", { type: "button", class: "quiet-button" }, t("home.cancel"));
  const really = h("button", { type: "button", class: "careful", onclick: act }, again);
  first.addEventListener("click", () => {
    first.disabled = true;
    show(place, atEnd ? [really, cancel, first] : [first, really, cancel]);
    cancel.focus();
  });
  cancel.addEventListener("click", () => {
    first.disabled = false;
    show(place, first);
    first.focus();
  });
  show(place, first);
  return place;
}
