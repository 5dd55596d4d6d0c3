// What was changed, newest first, each with its undo.

import { ask, memoryPath } from "../../api.js";
import { h, prose, show } from "../../dom.js";
import { longList, nextPage } from "../../draw/long_list.js";
import { empty, failure, filled, loading } from "../../draw/states.js";
import { teller } from "../../draw/teller.js";
import { moment, shortened } from "../../format.js";
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
  const ids = [...new Set(event.changes.map((/** @type {any} */ change) => change.memory_id))];
  const count = event.detail.memories;
  const texts = h("div", {});
  const what = h("details", {}, h("summary", { "data-open": true }, `${named("memory.action", action(event))}: ${t("manage.memories", { count })}`, event.detail.first && [" ", h("span", { class: "quiet" }, prose(shortened(event.detail.first, 70)))]), texts);
  const listed = (/** @type {HTMLElement[]} */ found) => [
    h("ul", { class: "plain" }, found),
    count > ids.length ? h("p", { class: "quiet" }, t("home.more", { count: count - ids.length })) : "",
  ];
  what.addEventListener("toggle", () => {
    if (!texts.firstChild) filled(texts, () => memories(ids, context.signal), (found) => h("div", {}, listed(found)));
  });
  return h(
    "li",
    { "data-item": event.id },
    what,
    h("span", { class: "quiet" }, `${teller(event.actor)} · ${moment(event.at)}`),
    event.undone_by ? h("span", { class: "badge" }, t("memory.undone")) : undo(event, context, again),
  );
}

/**
 * What was read from a file has its place there as its source.
 * @param {any} event
 */
const action = ({ action: done, detail }) => (done === "remember" && detail.source?.includes(":") ? "import" : done);

/**
 * @param {string[]} ids
 * @param {AbortSignal} signal
 */
const memories = (ids, signal) =>
  Promise.all(
    ids.map((id) =>
      ask("GET", memoryPath(id), { signal }).then(
        (memory) => h("li", {}, h("a", { href: memoryHref(id) }, prose(shortened(memory.text, 160)))),
        (error) => h("li", {}, failure(error)),
      ),
    ),
  );

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
