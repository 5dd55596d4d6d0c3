// Keyboard shortcuts, and the card that lists them.

import { h } from "./dom.js";
import { named, t } from "./language.js";
import { toast, undoLast } from "./toast.js";
import { CALM, MAIN } from "./views.js";

/** @typedef {import("./app.js").Context} Context */

/** The views in the order of the bar. */
const BAR = [...MAIN, ...CALM];

const KEPT = "recollect.letters";
const lettersOn = () => localStorage.getItem(KEPT) !== "off";

const WORDS = ["namespace", "recipe", "granularity", "gist", "importance", "strength", "tier", "held_back"];

/** @returns {[string, string][]} */
const listed = () => [
  ["/", t("common.key.ask")],
  ["j  k", t("common.key.move")],
  ["Enter", t("common.key.open")],
  ["x", t("common.key.why")],
  ["← →", t("common.key.fold")],
  ["e", t("common.key.edit")],
  ["p", t("common.key.pin")],
  ["u", t("common.key.undo")],
  [`1 – ${BAR.length}`, t("common.key.views")],
  ["t", t("common.key.theme")],
  ["?", t("common.key.keys")],
  ["Esc", t("common.key.close")],
];

/** @returns {HTMLDialogElement} */
export function keyCard() {
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": "keys-title" }));
  dialog.append(
    h(
      "div",
      { class: "two" },
      h("section", {}, h("h2", { id: "keys-title" }, t("common.keys")), h("dl", { class: "keys" }, listed().map(shortcut)), letters()),
      h("section", {}, h("h2", {}, t("common.words")), h("dl", { class: "words" }, WORDS.map(meaning))),
    ),
    h("form", { method: "dialog" }, h("button", {}, t("common.close"))),
  );
  return dialog;
}

/** The switch for shortcuts that are single letters; people who dictate need it. */
function letters() {
  const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: lettersOn() }));
  box.addEventListener("change", () => localStorage.setItem(KEPT, box.checked ? "on" : "off"));
  return h("label", { class: "row" }, box, t("common.letters"));
}

/** @param {[string, string]} listed */
const shortcut = ([key, what]) =>
  h(
    "div",
    {},
    h(
      "dt",
      {},
      key.split("  ").map((each) => h("kbd", {}, each)),
    ),
    h("dd", {}, what),
  );

/** @param {string} word */
const meaning = (word) => h("div", {}, h("dt", {}, named("common.word", word)), h("dd", {}, named("common.means", word)));

/**
 * @param {{go: (to: string) => void, theme: () => void, help: () => void}} shell
 */
export function listen(shell) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return sent(event.target);
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") return closed();
    if (writing(event.target) || document.querySelector("dialog[open]") || !lettersOn()) return;
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
    case "u":
      return undoLast();
    case "t":
      return (theme(), true);
    case "?":
      return (help(), true);
  }
  const view = /^[1-9]$/.test(key) && BAR[Number(key) - 1];
  if (!view) return false;
  go(`#/${view.name}`);
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

/** Sends the form of a text area, in which Enter is a new line. @param {EventTarget | null} target */
function sent(target) {
  if (target instanceof HTMLTextAreaElement) target.form?.requestSubmit();
}

/**
 * Corrects an opened statement in place; anything else is edited on its own page.
 * @param {(to: string) => void} go
 */
function edited(go) {
  const item = document.activeElement?.closest("[data-item]");
  if (!item) return clicked(document.querySelector("[data-key=e]"));
  const correct = item.querySelector(".story:not([hidden]) [data-correct]");
  if (correct) return clicked(correct);
  go(`#/memory/${encodeURIComponent(item.getAttribute("data-item") ?? "")}?edit=1`);
  return true;
}

/** Closes the form that can be closed, else leaves the field. An open dialog closes by itself. */
function closed() {
  if (document.querySelector("dialog[open]")) return;
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-closes]"));
  if (form && changed(form) && !form.dataset.warned) {
    form.dataset.warned = "yes";
    toast(t("common.unsaved"));
  } else if (form) form.dispatchEvent(new Event("close"));
  else /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
}

/** @param {HTMLFormElement} form whether something was typed into it */
const changed = (form) =>
  [...form.querySelectorAll("input, textarea")].some((each) => {
    const control = /** @type {HTMLInputElement} */ (each);
    return control.value !== control.defaultValue;
  });
