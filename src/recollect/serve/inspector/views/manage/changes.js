// What was changed, newest first, each with its undo.

import { ask, memoryPath } from "../../api.js";
import { h, prose, show } from "../../dom.js";
import { longList, nextPage } from "../../draw/long_list.js";
import { empty, failure, filled, loading } from "../../draw/states.js";
import { teller } from "../../draw/teller.js";
import { fieldInWords, moment, shortened } from "../../format.js";
import { named, t } from "../../language.js";
import { memoryHref } from "../../route.js";

/** @typedef {import("../../app.js").Context} Context */

const PAGE = 20;

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export async function changesRoom(place, context) {
  const pages = h("div", { class: "long" });
  const foot = h("div", { class: "foot" });
  place.append(h("p", { class: "quiet" }, t("manage.changes_hint")), pages, foot);
  const list = longList(pages, "ul", "lines-of", (event) => row(event, context, () => more(null)), context.signal);
  /** @param {string | null} cursor */
  const more = async (cursor) => {
    if (cursor || !pages.firstChild) show(foot, loading());
    try {
      const { events, next } = await ask("GET", "changes", { query: { limit: PAGE, cursor }, signal: context.signal });
      if (cursor) list.add(events);
      else list.set(events);
      const last = pages.firstChild ? "" : empty(t("manage.no_changes"));
      show(foot, next ? nextPage(t("manage.older_changes"), context.signal, () => more(next)) : last);
    } catch (error) {
      if (/** @type {Error} */ (error).name !== "AbortError") show(foot, failure(/** @type {Error} */ (error), () => more(cursor)));
    }
  };
  await more(null);
}

/**
 * @param {any} event
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
function row(event, context, again) {
  return h(
    "li",
    { "data-item": event.id },
    event.detail.deleted ? h("p", {}, summary(event)) : opening(event, context),
    h("span", { class: "quiet" }, `${teller(event.actor)} · ${moment(event.at)}`),
    way(event, context, again),
  );
}

/**
 * The way back, or why there is none.
 * @param {any} event
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
function way(event, context, again) {
  if (event.undone_by) return h("span", { class: "badge" }, t("memory.undone"));
  if (event.action === "purge") return h("span", { class: "quiet" }, t("manage.no_way_back"));
  return event.detail.deleted ? h("span", { class: "badge forgotten" }, t("manage.deleted")) : undo(event, context, again);
}

/** @param {any} event */
function summary(event) {
  const { memories: count, first } = event.detail;
  return [
    `${done(event)}: ${t("manage.memories", { count })}`,
    first && [" ", h("span", { class: "quiet" }, prose(shortened(first, 70)))],
  ].flat();
}

/**
 * What was done; of a change also which fields.
 * @param {any} event
 */
function done(event) {
  const fields = new Set(event.changes.flatMap((/** @type {any} */ { before }) => Object.keys(before ?? {})));
  const name = named("memory.action", action(event));
  return event.action === "update" && fields.size ? `${name} (${[...fields].map((each) => named("memory.field", each)).join(", ")})` : name;
}

/**
 * Its memories open in place.
 * @param {any} event
 * @param {Context} context
 */
function opening(event, context) {
  const ids = [...new Set(event.changes.map((/** @type {any} */ change) => change.memory_id))];
  const count = event.detail.memories;
  const texts = h("div", {});
  const what = h("details", {}, h("summary", { "data-open": true }, summary(event)), texts);
  const listed = (/** @type {HTMLElement[]} */ found) => [
    h("ul", { class: "plain" }, found),
    count > ids.length ? h("p", { class: "quiet" }, t("home.more", { count: count - ids.length })) : "",
  ];
  what.addEventListener("toggle", () => {
    if (!texts.firstChild) filled(texts, () => memories(ids, event, context.signal), (found) => h("div", {}, listed(found)));
  });
  return what;
}

/**
 * What was read from a file has its place there as its source.
 * @param {any} event
 */
const action = ({ action: done, detail }) => (done === "remember" && detail.source?.includes(":") ? "import" : done);

/**
 * @param {string[]} ids
 * @param {any} event
 * @param {AbortSignal} signal
 */
const memories = (ids, event, signal) =>
  Promise.all(
    ids.map((id) =>
      ask("GET", memoryPath(id), { signal }).then(
        (memory) => h("li", {}, h("a", { href: memoryHref(id) }, prose(shortened(memory.text, 160))), differences(memory, event)),
        (error) => h("li", {}, failure(error)),
      ),
    ),
  );

/**
 * What the fields that were changed said before, and what they say now.
 * @param {any} memory
 * @param {any} event
 */
function differences(memory, { changes }) {
  const before = changes.find((/** @type {any} */ each) => each.memory_id === memory.id)?.before ?? {};
  return Object.entries(before).map(([name, former]) => {
    const [was, now] = [former, memory[name]].map((value) => shortened(fieldInWords(name, value), 160));
    return h("p", { class: "quiet" }, prose(t("manage.was", { field: named("memory.field", name), was, now })));
  });
}

/**
 * @param {any} event
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
function undo(event, { notice }, again) {
  const act = async () => {
    notice(t("manage.undoing"));
    await ask("POST", `events/${encodeURIComponent(event.id)}/undo`).then(() => notice(t("manage.undone")), (error) => notice(error.message));
    await again();
  };
  return h("button", { type: "button", class: "quiet-button", onclick: act }, t("common.undo"));
}
