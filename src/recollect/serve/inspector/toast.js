// A short message at the foot of the page, with Undo where something can be taken back.

import { h, show } from "./dom.js";
import { t } from "./language.js";

const STAYS_MS = 6000;
const STAYS_WITH_UNDO_MS = 15_000;
const KEY_WORKS_MS = 600_000;

let fading = 0;
/** The undo of the last change, and until when its key works. @type {{undo: () => unknown, until: number} | null} */
let last = null;

const place = () => /** @type {HTMLElement} */ (document.getElementById("notice"));

/**
 * @param {string} text
 * @param {() => unknown} [undo]
 */
export function toast(text, undo) {
  last = undo ? { undo, until: Date.now() + KEY_WORKS_MS } : null;
  const button = undo && h("button", { type: "button", "data-key": "u", onclick: undoLast }, t("common.undo"));
  show(place(), h("p", { onmouseenter: () => clearTimeout(fading), onmouseleave: () => later(undo) }, text, button));
  later(undo);
}

/** Takes the message away, and with it the undo: the next reader may be somebody else. */
export function dismiss() {
  last = null;
  show(place());
}

/**
 * Takes the last change back, also when its message has gone.
 * @returns {boolean} whether there was one
 */
export function undoLast() {
  if (!last || Date.now() > last.until) return false;
  const { undo } = last;
  show(place());
  last = null;
  undo();
  return true;
}

/** @param {unknown} undo */
function later(undo) {
  clearTimeout(fading);
  fading = setTimeout(hide, undo ? STAYS_WITH_UNDO_MS : STAYS_MS);
}

/** A message whose button has the focus stays. */
function hide() {
  if (place().contains(document.activeElement) && place().matches(":focus-within:not(:active)")) {
    fading = setTimeout(hide, STAYS_MS);
    return;
  }
  show(place());
}
