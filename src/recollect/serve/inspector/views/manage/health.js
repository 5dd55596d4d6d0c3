// Is everything well? Checks of the store, and backups.

import { ask } from "../../api.js";
import { h, prose } from "../../dom.js";
import { failure, filled } from "../../draw/states.js";
import { moment, size } from "../../format.js";
import { t } from "../../language.js";
import { finished } from "./job.js";

/** @typedef {import("../../app.js").Context} Context */

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export async function healthRoom(place, context) {
  const found = h("div", {});
  const list = h("div", {});
  const again = () => filled(list, () => ask("GET", "backups", { signal: context.signal }), backups);
  place.append(
    h("h3", {}, t("manage.check")),
    h("p", { class: "quiet" }, t("manage.check_hint")),
    h("p", {}, h("button", { type: "button", "data-first": true, onclick: () => checked(found, context) }, t("manage.check_button"))),
    found,
    h("h3", {}, t("manage.backups")),
    h("p", { class: "quiet" }, t("manage.backups_hint")),
    h("p", {}, h("button", { type: "button", onclick: () => backedUp(list, context, again) }, t("manage.backup_button"))),
    list,
  );
  await again();
}

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
async function checked(place, context) {
  try {
    const { findings, advice } = await finished(place, t("manage.checking"), ask("POST", "check"), context.signal);
    place.append(report(findings, advice));
    context.announce(t(findings.length ? "manage.not_well" : "manage.well"));
  } catch (error) {
    place.replaceChildren(failure(/** @type {Error} */ (error)));
  }
}

/**
 * @param {any[]} findings
 * @param {any[]} advice
 */
function report(findings, advice) {
  const urgent = advice.filter(({ state }) => state !== "ok");
  return h(
    "div",
    {},
    h("p", { class: findings.length ? "" : "well" }, h("b", {}, t(findings.length ? "manage.not_well" : "manage.well"))),
    findings.length > 0 && h("ul", { class: "findings" }, findings.map(({ what, count, mend }) => h("li", {}, `${what} (${count}). ${mend}`))),
    urgent.length > 0 && h("ul", { class: "findings" }, urgent.map(({ what, do: act }) => h("li", {}, prose(`${what}${act ? `: ${act}` : ""}`)))),
    h("details", {}, h("summary", {}, t("manage.more_details")), h("ul", { class: "plain" }, advice.map(({ what }) => h("li", { class: "quiet" }, prose(what))))),
  );
}

/**
 * @param {HTMLElement} place
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
async function backedUp(place, { notice, signal }, again) {
  await finished(place, t("manage.backing_up"), ask("POST", "backups"), signal).then(({ name }) => notice(t("manage.backed_up", { name })), (error) => notice(error.message));
  await again();
}

/** @param {{folder: string, backups: {name: string, bytes: number, at: string}[]}} found */
function backups({ folder, backups: held }) {
  return h(
    "div",
    {},
    h("p", { class: "quiet" }, t("manage.folder"), " ", h("code", {}, folder)),
    held.length
      ? h("ul", { class: "lines-of" }, held.map(({ name, bytes, at }) => h("li", {}, h("span", {}, name), h("span", { class: "quiet" }, `${size(bytes)} · ${moment(at)}`), h("details", {}, h("summary", {}, t("manage.restore")), h("p", {}, h("code", {}, `recollect restore-backup ${folder}/${name}`))))))
      : h("p", {}, t("manage.no_backups")),
  );
}
