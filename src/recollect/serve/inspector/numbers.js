// Whether scores and stages are shown as numbers. Words come first; the choice is remembered.

import { h } from "./dom.js";
import { t } from "./language.js";

const KEPT = "recollect.numbers";

export const wanted = () => localStorage.getItem(KEPT) === "1";

/**
 * A button that shows or hides the numbers of a view.
 * @param {HTMLElement} view
 */
export function numbersButton(view) {
  const draw = () => {
    view.toggleAttribute("data-numbers", wanted());
    button.setAttribute("aria-pressed", String(wanted()));
    button.textContent = t(wanted() ? "ask.hide_numbers" : "ask.show_numbers");
  };
  const toggle = () => {
    localStorage.setItem(KEPT, wanted() ? "0" : "1");
    draw();
  };
  const button = h("button", { type: "button", class: "quiet-button", onclick: toggle });
  draw();
  return button;
}
