// Adds one memory.

import { ask, memoryPath } from "../../api.js";
import { h, prose } from "../../dom.js";
import { field, given, input, select } from "../../draw/field.js";
import { failure } from "../../draw/states.js";
import { listed, shortened } from "../../format.js";
import { named, sentence, t } from "../../language.js";
import { memoryHref } from "../../route.js";

/** @typedef {import("../../app.js").Context} Context */

const KINDS = ["fact", "preference", "decision", "plan", "task", "event", "procedure"];

/**
 * What a new memory replaced, each as a line.
 * @param {string[]} ids
 */
const replaced = (ids) =>
  Promise.all(
    ids.map(async (id) => {
      const { text } = await ask("GET", memoryPath(id));
      return h("p", { class: "quiet" }, sentence("manage.replaces", { other: h("a", { href: memoryHref(id) }, h("del", {}, prose(shortened(text, 160)))) }));
    }),
  );

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export function addRoom(place, context) {
  const { session, namespaces, kinds, notice } = context;
  const text = h("textarea", { name: "text", rows: 4, required: true, "data-first": true, placeholder: t("manage.add_example") });
  const told = h("div", { role: "status" });
  const every = [...new Set([...KINDS, ...kinds])];
  /** @param {SubmitEvent} event */
  const sent = async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const { text: written, tags, kind, namespace, occurred_at } = given(form);
    const body = { text: written, kind, tags: listed(tags), namespace: namespace.trim() || undefined, occurred_at: occurred_at || undefined };
    try {
      const made = await ask("POST", "memories", { body });
      const former = await replaced(made.superseded);
      told.replaceChildren(t(made.merged_into ? "manage.known_already" : made.status === "quarantined" ? "manage.held_back" : "manage.added"), " ", h("a", { href: memoryHref(made.id) }, t("manage.open")), ...former);
      form.reset();
      if (!made.merged_into)
        notice(t("manage.added"), () => ask("DELETE", memoryPath(made.id)).then(() => told.replaceChildren(t("manage.undone")), (error) => notice(error.message)));
    } catch (error) {
      told.replaceChildren(failure(/** @type {Error} */ (error)));
    }
  };
  place.append(
    h(
      "form",
      { onsubmit: sent },
      field(t("manage.text"), text),
      h(
        "div",
        { class: "fields" },
        field(t("manage.kind"), select("kind", "fact", every.map((each) => /** @type {[string, string]} */ ([each, named("browse.kinds", each)])))),
        field(t("manage.tags"), input("tags", "", { placeholder: t("manage.tags_example") })),
        field(t("manage.when"), input("occurred_at", "", { type: "date" })),
        field(t("manage.namespace"), input("namespace", session.namespace, { list: "add-places", placeholder: session.namespace })),
      ),
      h("datalist", { id: "add-places" }, namespaces.map((each) => h("option", { value: each }))),
      h("button", { class: "primary" }, t("manage.add_button")),
    ),
    told,
  );
}
