// Changes of one memory, each with a way back.

import { ask, memoryPath } from "./api.js";
import { t } from "./language.js";

/** @typedef {import("./app.js").Context} Context */

/**
 * Makes a change, says so, and offers to take it back.
 * @param {Context & {wrong?: (error: Error) => void}} context `wrong` shows an error elsewhere
 * @param {{said: string, change: () => Promise<unknown>, back: () => Promise<unknown>, after: () => void}} step
 * @returns {Promise<boolean>} whether it was made
 */
async function made({ notice, wrong: shown }, { said, change, back, after }) {
  const wrong = shown ?? ((/** @type {Error} */ error) => notice(error.message));
  const undo = () =>
    back().then(() => {
      notice(t("common.taken_back"));
      after();
    }, wrong);
  try {
    await change();
  } catch (error) {
    wrong(/** @type {Error} */ (error));
    return false;
  }
  notice(said, undo);
  after();
  return true;
}

/**
 * @param {string} id
 * @param {Context} context
 * @param {() => void} after
 */
export const forget = (id, context, after) =>
  made(context, {
    said: t("common.forgotten"),
    change: () => ask("DELETE", memoryPath(id)),
    back: () => ask("POST", memoryPath(id, "restore")),
    after,
  });

/**
 * @param {string} id
 * @param {boolean} pinned
 * @param {Context} context
 * @param {() => void} after
 */
export const pin = (id, pinned, context, after) =>
  made(context, {
    said: t(pinned ? "common.pinned" : "common.unpinned"),
    change: () => ask("POST", memoryPath(id, "pin"), { body: { pinned } }),
    back: () => ask("POST", memoryPath(id, "pin"), { body: { pinned: !pinned } }),
    after,
  });

/**
 * @param {string} id
 * @param {Record<string, unknown>} fields with their new values
 * @param {string} told
 * @param {Context & {wrong?: (error: Error) => void}} context
 * @param {() => void} after
 */
export function correct(id, fields, told, context, after) {
  let event = "";
  return made(context, {
    said: told,
    change: async () => {
      await ask("PATCH", memoryPath(id), { body: fields });
      const { events } = await ask("GET", memoryPath(id, "history"));
      event = events.findLast((/** @type {any} */ each) => each.action === "update")?.id ?? "";
    },
    back: () => ask("POST", `events/${encodeURIComponent(event)}/undo`),
    after,
  });
}

/**
 * Corrects statements that say the same, with one way back for all.
 * @param {string[]} ids
 * @param {{text: string, changed: boolean, since?: string}} said `changed`: it was true until then
 * @param {Context} context
 * @param {() => void} after
 */
export function correctAll([first, ...others], { text, changed, since }, context, after) {
  /** @type {string[]} */
  const events = [];
  const note = async (/** @type {string} */ id, /** @type {string} */ action) => {
    const { events: past } = await ask("GET", memoryPath(id, "history"));
    events.push(past.findLast((/** @type {any} */ each) => each.action === action)?.id ?? "");
  };
  const reword = async (/** @type {string} */ id) => {
    await ask("PATCH", memoryPath(id), { body: { text } });
    await note(id, "update");
  };
  const replace = async (/** @type {string} */ id, /** @type {Record<string, unknown>} */ body) => {
    const old = await ask("POST", memoryPath(id, "supersede"), { body });
    await note(id, "supersede");
    return old.also_changed;
  };
  const change = async () => {
    if (!changed) {
      for (const id of [first, ...others]) await reword(id);
      return;
    }
    const [by, ...gone] = await replace(first, { text, since });
    for (const id of others.filter((each) => !gone.includes(each))) await replace(id, { by });
  };
  const back = async () => {
    while (events.length) await ask("POST", `events/${encodeURIComponent(events.pop() ?? "")}/undo`);
  };
  const whole = () => change().catch((error) => back().then(() => Promise.reject(error)));
  return made(context, { said: t(changed ? "home.changed" : "common.corrected"), change: whole, back, after });
}
