// Corrects a statement in place: it changed on some day, or it was never right.

import { h, prose } from "../dom.js";
import { day, localDay, shortened } from "../format.js";
import { t } from "../language.js";
import { correctAll } from "../undo.js";

/** @typedef {import("../app.js").Context} Context */

const QUOTED = 160;

/**
 * @param {any} memory
 * @param {any[]} same memories that say the same
 * @param {Context} context
 * @param {() => void} done
 */
export function correction(memory, same, context, done) {
  const text = /** @type {HTMLTextAreaElement} */ (
    h("textarea", { rows: 2, required: true, dir: "auto", "aria-label": t("home.correct_label") }, memory.text)
  );
  const [which, said] = choice(memory);
  const too = same.length ? others(same) : null;
  const sent = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (text.value.trim() === memory.text.trim()) return done();
    const ids = [memory.id, ...(too?.querySelector("input")?.checked ? same.map(({ id }) => id) : [])];
    await correctAll(ids, { text: text.value, ...said() }, context, context.refresh);
  };
  queueMicrotask(() => text.focus());
  return h(
    "form",
    { class: "correction", onsubmit: sent, "data-closes": true, onclose: done },
    text,
    which,
    too,
    h(
      "div",
      { class: "row" },
      h("button", { class: "primary" }, t("home.save")),
      h("button", { type: "button", class: "quiet-button", onclick: done }, t("home.cancel")),
    ),
    h("p", { class: "quiet" }, t("home.correct_hint")),
  );
}

/**
 * Whether it changed, and since when, or was never right. What was replaced already can only have been wrong.
 * @param {any} memory
 * @returns {[HTMLElement | null, () => {changed: boolean, since?: string}]}
 */
function choice(memory) {
  if (memory.status !== "active") return [null, () => ({ changed: false })];
  const today = localDay(new Date());
  const told = day(memory.valid_from ?? memory.created_at);
  const since = /** @type {HTMLInputElement} */ (
    h("input", { type: "date", value: today, min: told < today ? told : today, max: today, required: true, "aria-label": t("home.since_label") })
  );
  const changed = /** @type {HTMLInputElement} */ (h("input", { type: "radio", name: "which", checked: true }));
  const wrong = h("input", { type: "radio", name: "which" });
  const drawn = h(
    "fieldset",
    { class: "which", onchange: () => (since.disabled = !changed.checked) },
    h("legend", { class: "unseen" }, t("home.which")),
    h("span", { class: "row" }, h("label", {}, changed, t("home.it_changed")), since),
    h("label", {}, wrong, t("home.never_right")),
  );
  // Without a day it changed now, which is later than what was told earlier today.
  const given = () => (changed.checked ? { changed: true, ...(since.value === today ? {} : { since: since.value }) } : { changed: false });
  return [drawn, given];
}

/** @param {any[]} same */
const others = (same) =>
  h(
    "div",
    { class: "same" },
    h("label", {}, h("input", { type: "checkbox", checked: true }), t("home.same", { count: same.length })),
    h(
      "ul",
      {},
      same.map((each) => h("li", {}, prose(shortened(each.text, QUOTED)))),
    ),
  );
