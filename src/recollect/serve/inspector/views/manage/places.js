// Namespaces: how many memories each has; rename or merge them.

import { ask } from "../../api.js";
import { h, prose } from "../../dom.js";
import { field, given, input, select } from "../../draw/field.js";
import { empty, filled } from "../../draw/states.js";
import { t } from "../../language.js";
import { may } from "../../role.js";
import { href } from "../../route.js";

/** @typedef {import("../../app.js").Context} Context */

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export async function placesRoom(place, context) {
  const list = h("div", {});
  const again = () => filled(list, () => ask("GET", "namespaces", { signal: context.signal }), ({ namespaces }) => drawn(namespaces));
  place.append(h("p", { class: "quiet" }, t("manage.places_hint")), list);
  if (may(context.session, "admin") && context.namespaces.length) place.append(h("h3", {}, t("manage.rename")), form(context, again));
  await again();
}

/** @param {Record<string, number>} namespaces */
function drawn(namespaces) {
  const rows = Object.entries(namespaces);
  if (!rows.length) return empty(t("manage.no_places"), h("a", { href: href("manage", {}, "add") }, t("manage.add")));
  return h(
    "ul",
    { class: "lines-of" },
    rows.map(([path, count]) => h("li", {}, h("a", { href: href("browse", { namespace: path }) }, prose(path)), h("span", { class: "quiet" }, t("manage.memories", { count })))),
  );
}

/**
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
function form({ namespaces, session, notice }, again) {
  const told = h("p", { role: "status", class: "quiet" });
  const old = select("from", "", namespaces);
  /** @param {SubmitEvent} event */
  const sent = async (event) => {
    event.preventDefault();
    const { from, to } = given(/** @type {HTMLFormElement} */ (event.target));
    try {
      const found = await ask("POST", "namespaces/move", { body: { from, to: to.trim() } });
      told.textContent = t("manage.moved", { count: found.moved, to: to.trim() });
      notice(t("manage.moved", { count: found.moved, to: to.trim() }), () => back(to.trim(), from));
      await again();
    } catch (error) {
      notice(/** @type {Error} */ (error).message);
    }
  };
  /** @param {string} from @param {string} to */
  const back = async (from, to) => {
    const { events } = await ask("GET", "audit", { query: { limit: 20 } });
    const event = events.find((/** @type {any} */ each) => each.action === "move" && each.detail.to === from && each.detail.from === to && !each.undone_by);
    await (event ? ask("POST", `events/${event.id}/undo`) : Promise.reject(new Error(t("manage.no_undo")))).then(() => notice(t("manage.undone")), (error) => notice(error.message));
    await again();
  };
  return h(
    "form",
    { onsubmit: sent },
    h("div", { class: "fields" }, field(t("manage.from"), old), field(t("manage.to"), input("to", "", { required: true, placeholder: `${session.namespace}/…` }))),
    h("button", {}, t("manage.rename_button")),
    told,
  );
}
