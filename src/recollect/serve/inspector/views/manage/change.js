// Changes many memories in portions, with one undo.

import { ask } from "../../api.js";
import { show } from "../../dom.js";
import { t } from "../../language.js";
import { doing } from "./job.js";

/** @typedef {import("../../app.js").Context} Context */

/** Memories that one request changes. */
const PORTION = 100;

/**
 * Each portion names the event of the one before, so undoing the last takes back all.
 * @param {string[]} ids
 * @param {Record<string, unknown>} body what to do
 * @param {string} verb
 * @param {HTMLElement} progress
 * @param {Context} context
 * @returns {Promise<{event: string | null, changed: Set<string>}>} the last event, and what was changed
 */
export async function changeAll(ids, body, verb, progress, { notice }) {
  /** @type {string | null} */
  let event = null;
  /** @type {Set<string>} */
  const changed = new Set();
  try {
    for (let n = 0; n < ids.length; n += PORTION) {
      show(progress, doing(verb, n, ids.length));
      const portion = ids.slice(n, n + PORTION);
      const done = await ask("POST", "change", { body: { ...body, ids: portion, previous: event ?? undefined } });
      event = done.event ?? event;
      for (const id of done.changed) changed.add(id);
    }
  } catch (error) {
    notice(/** @type {Error} */ (error).message);
  }
  show(progress);
  return { event, changed };
}

/**
 * @param {string} event
 * @param {Context} context
 */
export async function taken(event, { notice, reload }) {
  notice(t("manage.undoing"));
  await ask("POST", `events/${encodeURIComponent(event)}/undo`).then(() => notice(t("manage.undone")), (error) => notice(error.message));
  reload();
}
