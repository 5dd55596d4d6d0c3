// Export as a download, and import with a preview.

import { ask } from "../../api.js";
import { h, prose, show } from "../../dom.js";
import { field, input, select } from "../../draw/field.js";
import { failure } from "../../draw/states.js";
import { shortened, size } from "../../format.js";
import { t } from "../../language.js";
import { href } from "../../route.js";
import { changeAll } from "./change.js";
import { doing, finished } from "./job.js";

/** @typedef {import("../../app.js").Context} Context */

/** The server takes bodies of up to 8 MiB; JSON needs some room for escapes. */
const MOST_BYTES = 7_000_000;
/** Examples and problems that are shown. */
const SHOWN = 5;
const ENDINGS = ".json,.jsonl,.ndjson,.csv,.md,.markdown,.txt";

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export function filesRoom(place, context) {
  place.append(exporting(context), importing(context));
}

/** @param {Context} context */
function exporting({ session, namespaces }) {
  const chosen = select("namespace", "", [["", session.namespace || t("common.whole_memory")], ...namespaces.filter((each) => each !== session.namespace)]);
  const link = h("a", { class: "download", href: "/v1/export", download: "memories.jsonl" }, t("manage.export_button"));
  chosen.addEventListener("change", () => link.setAttribute("href", `/v1/export${chosen.value ? `?namespace=${encodeURIComponent(chosen.value)}` : ""}`));
  return h("section", {}, h("h3", {}, t("manage.export")), h("p", { class: "quiet" }, t("manage.export_hint")), h("div", { class: "fields" }, field(t("manage.namespace"), chosen)), h("p", {}, link));
}

/** @param {Context} context */
function importing(context) {
  const { session, namespaces } = context;
  const told = h("div", { class: "import-told" });
  const file = /** @type {HTMLInputElement} */ (h("input", { type: "file", name: "file", accept: ENDINGS }));
  const place = input("import-to", session.namespace, { list: "import-places", placeholder: session.namespace });
  const look = () => file.files?.[0] && preview(told, file.files[0], place.value.trim() || session.namespace, context);
  for (const control of [file, place]) control.addEventListener("change", look);
  return h(
    "section",
    {},
    h("h3", {}, t("manage.import")),
    h("p", { class: "quiet" }, t("manage.import_hint")),
    h(
      "div",
      { class: "fields" },
      field(t("manage.file"), file, "wide"),
      field(t("manage.import_to"), place),
      h("datalist", { id: "import-places" }, namespaces.map((each) => h("option", { value: each }))),
    ),
    told,
  );
}

/**
 * @param {HTMLElement} told
 * @param {File} file
 * @param {string} namespace
 * @param {Context} context
 */
async function preview(told, file, namespace, context) {
  if (!file.size) return show(told, failure(new Error(t("manage.import_empty", { name: file.name }))));
  if (file.size > MOST_BYTES)
    return show(told, h("p", {}, t("manage.import_large", { size: size(file.size) }), " ", h("code", {}, "recollect import FILE")));
  show(told, doing(t("manage.reading")));
  const body = { name: file.name, content: await file.text(), namespace, preview: true };
  try {
    const found = await finished(told, t("manage.reading"), ask("POST", "import", { body }), context.signal);
    told.append(counts(found, t("manage.would_add", { count: found.added }), t("manage.conversations_too", { count: found.conversations })));
    if (found.added || found.conversations)
      told.append(h("button", { type: "button", class: "primary", onclick: () => take(told, body, context) }, t("manage.import_button")));
  } catch (error) {
    show(told, failure(/** @type {Error} */ (error)));
  }
}

/**
 * @param {HTMLElement} told
 * @param {{name: string, content: string, namespace: string}} body
 * @param {Context} context
 */
async function take(told, body, context) {
  try {
    const started = ask("POST", "import", { body: { ...body, preview: false } });
    const found = await finished(told, t("manage.importing"), started, context.signal);
    const browse = h("a", { href: href("browse", { namespace: body.namespace }) }, t("manage.browse"));
    told.append(counts({ ...found, examples: [] }, t("manage.imported", { count: found.added }), ""), h("p", {}, browse));
    context.notice(t("manage.imported", { count: found.added }), found.ids.length ? () => takenBack(told, found.ids, context) : undefined);
  } catch (error) {
    show(told, failure(/** @type {Error} */ (error)));
  }
}

/**
 * Forgets what an import added.
 * @param {HTMLElement} told
 * @param {string[]} ids
 * @param {Context} context
 */
async function takenBack(told, ids, context) {
  context.notice(t("manage.undoing"));
  const { changed } = await changeAll(ids, { action: "forget" }, t("manage.undoing"), told, context);
  context.notice(t("manage.forgot", { count: changed.size }));
}

/**
 * @param {any} found
 * @param {string} sentence
 * @param {string} talks
 */
function counts(found, sentence, talks) {
  const problems = found.broken.slice(0, SHOWN).map((/** @type {any} */ each) => h("li", {}, prose(`${each.where}: ${each.why}`)));
  return h(
    "div",
    {},
    h("p", {}, h("b", {}, sentence), found.conversations > 0 && talks && ` ${talks}`),
    found.examples.length > 0 &&
      h("ul", { class: "lines-of" }, found.examples.map((/** @type {string} */ text) => h("li", {}, prose(shortened(text, 200))))),
    found.known > 0 && h("p", { class: "quiet" }, t("manage.known", { count: found.known })),
    found.skipped > 0 &&
      h("div", { class: "failure" }, h("p", {}, t("manage.skipped", { count: found.skipped })), h("ul", { class: "reasons-plain" }, problems)),
  );
}
