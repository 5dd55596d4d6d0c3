// Keyboard shortcuts, and the card that lists them.

import { h } from "./dom.js";

/** @typedef {import("./app.js").Context} Context */

const CARD = [
  ["/", "ask a question"],
  ["j  k", "next and previous in a list"],
  ["Enter", "open it"],
  ["x", "why this score"],
  ["← →", "fold and unfold the explanation"],
  ["e", "edit"],
  ["p", "pin or unpin"],
  ["1 – 5", "ask, compare, browse, overview, profile"],
  ["t", "light or dark"],
  ["?", "this card"],
  ["Esc", "close"],
];
const VIEWS = ["ask", "compare", "browse", "overview", "profile"];

/** @returns {HTMLDialogElement} */
export function keyCard() {
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": "keys-title" }));
  dialog.append(
    h("h2", { id: "keys-title" }, "Keys"),
    h(
      "dl",
      { class: "keys" },
      CARD.map(([key, what]) =>
        h(
          "div",
          {},
          h(
            "dt",
            {},
            key.split("  ").map((each) => h("kbd", {}, each)),
          ),
          h("dd", {}, what),
        ),
      ),
    ),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  return dialog;
}

/**
 * @param {{go: (to: string) => void, theme: () => void, help: () => void}} shell
 */
export function listen(shell) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return closed();
    if (writing(event.target) || document.querySelector("dialog[open]")) return;
    if (pressed(event.key, shell)) event.preventDefault();
  });
}

/** @param {EventTarget | null} target */
const writing = (target) => target instanceof Element && target.matches("input, textarea, select");

/**
 * @param {string} key
 * @param {{go: (to: string) => void, theme: () => void, help: () => void}} shell
 * @returns {boolean} whether the key meant something
 */
function pressed(key, { go, theme, help }) {
  switch (key) {
    case "/":
      return question(go);
    case "j":
      return moved(1);
    case "k":
      return moved(-1);
    case "x":
      return clicked(here()?.querySelector("[data-why]"));
    case "e":
      return edited(go);
    case "p":
      return clicked(document.querySelector("[data-key=p]"));
    case "t":
      return (theme(), true);
    case "?":
      return (help(), true);
  }
  if (!/^[1-5]$/.test(key)) return false;
  go(`#/${VIEWS[Number(key) - 1]}`);
  return true;
}

/** @param {(to: string) => void} go */
function question(go) {
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-question]"));
  if (field) field.select();
  else go("#/ask");
  return true;
}

/** The item of a list that has the focus. */
const here = () => document.activeElement?.closest("[data-item]") ?? document.querySelector("[data-item]");

/** @param {number} by */
function moved(by) {
  const items = [...document.querySelectorAll("[data-item]")];
  if (!items.length) return false;
  const at = items.indexOf(/** @type {Element} */ (document.activeElement?.closest("[data-item]")));
  const next = items[at < 0 ? 0 : Math.min(Math.max(at + by, 0), items.length - 1)];
  const link = /** @type {HTMLElement | null} */ (next.querySelector("[data-open]"));
  link?.focus();
  next.scrollIntoView({ block: "nearest" });
  return true;
}

/** @param {Element | null | undefined} button */
function clicked(button) {
  if (!button) return false;
  /** @type {HTMLElement} */ (button).click();
  return true;
}

/** @param {(to: string) => void} go */
function edited(go) {
  const item = document.activeElement?.closest("[data-item]");
  if (!item) return clicked(document.querySelector("[data-key=e]"));
  go(`#/memory/${encodeURIComponent(item.getAttribute("data-item") ?? "")}?edit=1`);
  return true;
}

/** Closes the form that can be closed, else leaves the field. An open dialog closes by itself. */
function closed() {
  if (document.querySelector("dialog[open]")) return;
  const form = document.querySelector("[data-closes]");
  if (form) form.dispatchEvent(new Event("close"));
  else /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
}
