// Import: a look at what a file would add, then the import, then what it added.

import { ask, memoryPath } from "../../api.js";
import { h, prose, show } from "../../dom.js";
import { card } from "../../draw/card.js";
import { field, input } from "../../draw/field.js";
import { failure } from "../../draw/states.js";
import { shortened, size } from "../../format.js";
import { t } from "../../language.js";
import { href } from "../../route.js";
import { changeAll } from "./change.js";
import { doing, finished } from "./job.js";

/** @typedef {import("../../app.js").Context} Context */
/** A file that was chosen, where it goes, and how to leave it. @typedef {{file: File, namespace: string, told: HTMLElement, leave: () => void}} Chosen */
/** What the server takes. @typedef {{name: string, content: string, namespace: string, lines: boolean}} Body */

/** The server takes bodies of up to 8 MiB; JSON needs some room for escapes. */
const MOST_BYTES = 7_000_000;
const PROBLEMS_SHOWN = 5;
/** Longer texts of the preview are folded. */
const LONG_CHARS = 400;
/** Imported memories that are shown at once. */
const PAGE = 20;
const ENDINGS = ".json,.jsonl,.ndjson,.csv,.md,.markdown,.txt";

/** @param {Context} context */
export function importing(context) {
  const { session, namespaces } = context;
  const told = h("div", { class: "import-told" });
  const file = /** @type {HTMLInputElement} */ (h("input", { type: "file", name: "file", accept: ENDINGS }));
  const place = input("import-to", session.namespace, { list: "import-places", placeholder: session.namespace });
  const leave = () => {
    file.value = "";
    show(told);
    file.focus();
  };
  const look = () => {
    const chosen = file.files?.[0];
    if (chosen) preview({ file: chosen, namespace: place.value.trim() || session.namespace, told, leave }, context);
  };
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
 * @param {Chosen} chosen
 * @param {Context} context
 * @param {boolean} [lines] whether each line is a memory; left out, it depends on what the file looks like
 */
async function preview(chosen, context, lines) {
  const { file, namespace, told } = chosen;
  if (!file.size) return show(told, failure(new Error(t("manage.import_empty", { name: file.name }))));
  if (file.size > MOST_BYTES)
    return show(told, h("p", {}, t("manage.import_large", { size: size(file.size) }), " ", h("code", {}, "recollect import FILE")));
  show(told, doing(t("manage.reading")));
  const body = { name: file.name, content: await file.text(), namespace, lines: lines ?? false };
  try {
    const started = ask("POST", "import", { body: { ...body, preview: true } });
    const found = await finished(told, t("manage.reading"), started, context.signal);
    if (found.list && lines === undefined) return await preview(chosen, context, true);
    show(told, ...previewed(found, chosen, body, context));
  } catch (error) {
    show(told, failure(/** @type {Error} */ (error)));
  }
}

/**
 * @param {any} found
 * @param {Chosen} chosen
 * @param {Body} body
 * @param {Context} context
 */
function previewed(found, chosen, body, context) {
  const take = h("button", { type: "button", class: "primary", onclick: () => imported(chosen.told, body, context) }, t("manage.import_button"));
  const more = found.added - found.examples.length;
  return [
    found.lines > 1 && readAs(found, body, (lines) => preview(chosen, context, lines)),
    h(
      "p",
      {},
      h("b", {}, t("manage.would_add", { count: found.added })),
      found.conversations > 0 && ` ${t("manage.conversations_too", { count: found.conversations })}`,
    ),
    found.examples.length > 0 && h("ul", { class: "lines-of import-texts" }, found.examples.map(example)),
    more > 0 && !found.conversations && h("p", { class: "quiet" }, t("home.more", { count: more })),
    ...notNew(found),
    h(
      "p",
      { class: "row" },
      (found.added > 0 || found.conversations > 0) && take,
      h("button", { type: "button", onclick: chosen.leave }, t("home.cancel")),
    ),
  ];
}

/**
 * Whether a text is one note or a list.
 * @param {any} found
 * @param {Body} body
 * @param {(lines: boolean) => void} choose
 */
function readAs(found, body, choose) {
  const option = (/** @type {boolean} */ lines, /** @type {string} */ words) =>
    h("label", {}, h("input", { type: "radio", name: "lines", checked: lines === body.lines, onchange: () => choose(lines) }), words);
  return h(
    "fieldset",
    { class: "read-as" },
    h("legend", {}, t("manage.read_as")),
    option(true, t("manage.by_line", { count: found.lines })),
    option(false, t("manage.whole_file")),
  );
}

/** A text as it would be remembered. @param {string} text */
const example = (text) =>
  h("li", {}, text.length > LONG_CHARS ? h("details", {}, h("summary", {}, prose(shortened(text, 200))), prose(text)) : prose(text));

/**
 * @param {HTMLElement} told
 * @param {Body} body
 * @param {Context} context
 */
async function imported(told, body, context) {
  try {
    const started = ask("POST", "import", { body: { ...body, preview: false } });
    const found = await finished(told, t("manage.importing"), started, context.signal);
    const sentence = t("manage.imported", { count: found.added });
    show(told, h("p", {}, h("b", {}, sentence)), ...notNew(found), found.ids.length ? these(found.ids, context) : browse(body.namespace));
    context.notice(sentence, found.ids.length ? () => takenBack(told, found.ids, context) : undefined);
  } catch (error) {
    show(told, failure(/** @type {Error} */ (error)));
  }
}

/** @param {string} namespace */
const browse = (namespace) => h("p", {}, h("a", { href: href("browse", { namespace }) }, t("manage.browse")));

/**
 * The memories that were imported, some at a time.
 * @param {string[]} ids
 * @param {Context} context
 */
function these(ids, { signal }) {
  const list = h("ul", { class: "cards" });
  const button = h("button", { type: "button" }, t("manage.browse"));
  let shown = 0;
  const next = async () => {
    const page = ids.slice(shown, shown + PAGE);
    shown += page.length;
    button.hidden = shown >= ids.length;
    button.textContent = t("browse.more");
    list.append(...(await Promise.all(page.map((id) => ask("GET", memoryPath(id), { signal }).then((memory) => card(memory), gone)))));
  };
  button.addEventListener("click", next);
  return h("div", {}, list, h("p", {}, button));
}

/** @param {Error} error */
const gone = (error) => h("li", {}, failure(error));

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
 * What was known or can't be read.
 * @param {any} found
 */
function notNew({ known, skipped, broken }) {
  const problems = broken.slice(0, PROBLEMS_SHOWN).map((/** @type {any} */ each) => h("li", {}, prose(`${each.where}: ${each.why}`)));
  return [
    known > 0 && h("p", { class: "quiet" }, t("manage.known", { count: known })),
    skipped > 0 && h("div", { class: "failure" }, h("p", {}, t("manage.skipped", { count: skipped })), h("ul", { class: "reasons-plain" }, problems)),
  ];
}
