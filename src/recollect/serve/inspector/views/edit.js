// Edits a memory. Only the changed fields are sent.

import { ask, memoryPath } from "../api.js";
import { h, show } from "../dom.js";
import { field, given, input } from "../draw/field.js";
import { failure } from "../draw/states.js";
import { listed } from "../format.js";

/** @typedef {import("../app.js").Context} Context */

/** How each field is read from its control. @type {Record<string, (text: string) => unknown>} */
const READ = {
  text: (text) => text,
  gist: (text) => text,
  kind: (text) => text.trim(),
  tags: listed,
  entities: listed,
  importance: Number,
  confidence: Number,
  expires_at: (text) => (text ? `${text}T00:00:00Z` : null),
};

/**
 * @param {any} memory
 * @param {Context} context
 * @param {() => void} done
 */
export function editForm(memory, { notice }, done) {
  const trouble = h("div", {});
  /** @param {SubmitEvent} event */
  const sent = async (event) => {
    event.preventDefault();
    const body = changed(shownOf(memory), given(/** @type {HTMLFormElement} */ (event.target)));
    if (!Object.keys(body).length) return done();
    try {
      await ask("PATCH", memoryPath(memory.id), { body });
      notice("Saved.");
      done();
    } catch (error) {
      show(trouble, failure(/** @type {Error} */ (error)));
    }
  };
  const shown = shownOf(memory);
  return h(
    "form",
    { class: "editing", onsubmit: sent, "data-closes": true, onclose: done },
    field(
      "Text",
      h("textarea", { name: "text", rows: 4, required: true, "data-first": true, dir: "auto" }, shown.text),
      "wide",
    ),
    field("Gist", input("gist", shown.gist), "wide"),
    h(
      "div",
      { class: "fields" },
      field("Kind", input("kind", shown.kind, { required: true })),
      field("Tags", input("tags", shown.tags)),
      field("Entities", input("entities", shown.entities)),
      field("Importance", input("importance", shown.importance, { type: "number", min: 0, max: 1, step: "any" })),
      field("Confidence", input("confidence", shown.confidence, { type: "number", min: 0, max: 1, step: "any" })),
      field("Expires", input("expires_at", shown.expires_at, { type: "date" })),
    ),
    trouble,
    h(
      "div",
      { class: "row actions" },
      h("button", { class: "primary" }, "Save"),
      h("button", { type: "button", onclick: done }, "Cancel"),
    ),
  );
}

/**
 * The fields as their controls show them.
 * @param {any} memory
 * @returns {Record<string, string>}
 */
function shownOf(memory) {
  return {
    text: memory.text,
    gist: memory.gist,
    kind: memory.kind,
    tags: memory.tags.join(", "),
    entities: memory.entities.join(", "),
    importance: String(memory.importance),
    confidence: String(memory.confidence),
    expires_at: memory.expires_at?.slice(0, 10) ?? "",
  };
}

/**
 * @param {Record<string, string>} before
 * @param {Record<string, string>} after
 */
function changed(before, after) {
  // A text area gives line ends as the network does; the memory keeps its own.
  const plain = (/** @type {string} */ text) => text.replaceAll("\r\n", "\n");
  const names = Object.keys(READ).filter((name) => plain(after[name]) !== plain(before[name]));
  return Object.fromEntries(names.map((name) => [name, READ[name](plain(after[name]))]));
}
