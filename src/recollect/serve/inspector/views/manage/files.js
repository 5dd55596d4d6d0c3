// Export as a download, and import.

import { h } from "../../dom.js";
import { field, select } from "../../draw/field.js";
import { t } from "../../language.js";
import { importing } from "./import.js";

/** @typedef {import("../../app.js").Context} Context */

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
  const link = h("a", { class: "download", href: "/v1/export", download: `memories-${new Date().toISOString().slice(0, 10)}.jsonl` }, t("manage.export_button"));
  chosen.addEventListener("change", () => link.setAttribute("href", `/v1/export${chosen.value ? `?namespace=${encodeURIComponent(chosen.value)}` : ""}`));
  return h("section", {}, h("h3", {}, t("manage.export")), h("p", { class: "quiet" }, t("manage.export_hint")), h("div", { class: "fields" }, field(t("manage.namespace"), chosen)), h("p", {}, link));
}
