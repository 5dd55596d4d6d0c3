// Memories that were held back, because they read like instructions or hold secrets.

import { ask, memoryPath } from "../../api.js";
import { h, prose } from "../../dom.js";
import { card, reasons } from "../../draw/card.js";
import { empty, filled } from "../../draw/states.js";
import { teller } from "../../draw/teller.js";
import { t } from "../../language.js";
import { may } from "../../role.js";

/** @typedef {import("../../app.js").Context} Context */

const PAGE = 50;

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export async function quarantineRoom(place, context) {
  const list = h("div", {});
  place.append(h("p", { class: "quiet" }, t("manage.quarantine_hint")), list);
  const again = () =>
    filled(
      list,
      () => ask("GET", "memories", { query: { status: "quarantined", limit: PAGE }, signal: context.signal }),
      ({ memories, next }) => drawn(memories, next !== null, context, again),
    );
  await again();
}

/**
 * @param {any[]} memories
 * @param {boolean} more
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
function drawn(memories, more, context, again) {
  if (!memories.length) return empty(t("manage.quarantine_empty"));
  return h(
    "div",
    {},
    h("ul", { class: "cards" }, memories.map((memory) => card(memory, from(memory), reasons(memory), buttons(memory, context, again)))),
    more && h("p", { class: "quiet" }, t("manage.more_of_these")),
  );
}

/** Who stored it. @param {any} memory */
const from = ({ origin }) => h("p", { class: "meta" }, prose(t("log.by", { who: teller(origin) })));

/**
 * @param {any} memory
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
function buttons(memory, { session, notice }, again) {
  /** @param {Promise<any>} work @param {string} told @param {() => Promise<any>} undo */
  const done = async (work, told, undo) => {
    await work.then(() => notice(told, () => undo().then(again, (error) => notice(error.message))), (error) => notice(error.message));
    await again();
  };
  const hold = () => ask("PATCH", memoryPath(memory.id), { body: { status: "quarantined" } });
  return h(
    "div",
    { class: "row" },
    may(session, "admin") && h("button", { type: "button", onclick: () => done(ask("POST", memoryPath(memory.id, "restore")), t("manage.released"), hold) }, t("manage.release")),
    may(session, "write") && h("button", { type: "button", class: "careful", onclick: () => done(ask("DELETE", memoryPath(memory.id)), t("manage.forgot", { count: 1 }), () => ask("POST", memoryPath(memory.id, "restore"))) }, t("manage.forget")),
  );
}
