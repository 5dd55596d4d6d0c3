// Edits a memory. Only the changed fields are sent.

import { h, show } from "../dom.js";
import { field, given, input } from "../draw/field.js";
import { failure } from "../draw/states.js";
import { listed } from "../format.js";
import { t } from "../language.js";
import { correct } from "../undo.js";

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
export function editForm(memory, context, done) {
  /** @param {SubmitEvent} event */
  const sent = async (event) => {
    event.preventDefault();
    const body = changed(shownOf(memory), given(/** @type {HTMLFormElement} */ (event.target)));
    if (!Object.keys(body).length) return done();
    const wrong = (/** @type {Error} */ error) => show(trouble, failure(error));
    await correct(memory.id, body, t("memory.saved"), { ...context, wrong }, done);
  };
  const trouble = h("div", {});
  return h(
    "form",
    { class: "editing", onsubmit: sent, "data-closes": true, onclose: done },
    ...controls(memory, context.kinds),
    trouble,
    h(
      "div",
      { class: "row actions" },
      h("button", { class: "primary" }, t("home.save")),
      h("button", { type: "button", onclick: done }, t("home.cancel")),
    ),
  );
}

/**
 * @param {any} memory
 * @param {string[]} kinds
 */
function controls(memory, kinds) {
  const shown = shownOf(memory);
  const share = { type: "number", min: 0, max: 1, step: "any" };
  return [
    field(
      t("browse.text"),
      h("textarea", { name: "text", rows: 4, required: true, "data-first": true, dir: "auto" }, shown.text),
      "wide",
    ),
    h(
      "div",
      { class: "fields" },
      field(t("browse.kind"), input("kind", shown.kind, { required: true, list: "known-kinds" })),
      field(t("ask.tags"), input("tags", shown.tags, { placeholder: t("manage.tags_example") })),
      field(t("memory.expires"), input("expires_at", shown.expires_at, { type: "date" })),
    ),
    h("datalist", { id: "known-kinds" }, kinds.map((each) => h("option", { value: each }))),
    h(
      "details",
      { class: "foot-plain" },
      h("summary", {}, t("memory.rarer")),
      h("p", { class: "quiet" }, t("memory.rarer_hint")),
      field(t("memory.gist"), input("gist", shown.gist), "wide"),
      h(
        "div",
        { class: "fields" },
        field(t("memory.entities"), input("entities", shown.entities)),
        field(t("memory.importance"), input("importance", shown.importance, share)),
        field(t("ask.confidence"), input("confidence", shown.confidence, share)),
      ),
    ),
  ];
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
