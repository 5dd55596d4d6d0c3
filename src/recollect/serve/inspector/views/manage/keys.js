// Keys for programs: make one, show its token once, revoke it.

import { ask } from "../../api.js";
import { h, prose, show } from "../../dom.js";
import { field, given, input, select } from "../../draw/field.js";
import { failure, filled } from "../../draw/states.js";
import { sure } from "../../draw/sure.js";
import { dayInWords } from "../../format.js";
import { named, sentence, t } from "../../language.js";

/** @typedef {import("../../app.js").Context} Context */

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export async function keysRoom(place, context) {
  const list = h("div", {});
  const told = h("div", { "aria-live": "polite" });
  const again = () => filled(list, () => ask("GET", "keys", { signal: context.signal }), ({ keys }) => drawn(keys, context, again));
  place.append(h("p", { class: "quiet" }, t("manage.keys_hint")), form(context, told, again), told, h("h3", {}, t("manage.keys_now")), list);
  await again();
}

/**
 * @param {Context} context
 * @param {HTMLElement} told
 * @param {() => Promise<void>} again
 */
function form({ session, namespaces }, told, again) {
  const places = h("datalist", { id: "key-places" }, namespaces.map((each) => h("option", { value: each })));
  const where = input("namespace", session.namespace, { list: "key-places", placeholder: session.namespace });
  const unknown = h("p", { class: "quiet", role: "status" });
  const inside = (/** @type {string} */ path) => namespaces.some((each) => each === path || each.startsWith(`${path}/`));
  const own = session.namespace;
  where.addEventListener("input", () => {
    const path = where.value.trim();
    const outside = own && path && path !== own && !path.startsWith(`${own}/`);
    const below = `${own}/${path}`;
    const use = () => ((where.value = below), where.dispatchEvent(new Event("input")));
    if (outside) show(unknown, t("manage.place_outside", { own }), " ", h("button", { type: "button", class: "quiet-button", onclick: use }, t("manage.place_below", { below })));
    else show(unknown, !path || inside(path) ? "" : t("manage.place_empty", { path }));
  });
  /** @type {[string, string][]} */
  const roles = [
    ["read", t("manage.role.read")],
    ["write", t("manage.role.write")],
    ["admin", t("manage.role.admin")],
  ];
  /** @param {SubmitEvent} event */
  const sent = async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const { name, role, namespace, expires_at } = given(form);
    const body = { name: name.trim(), role, namespace: namespace.trim() || undefined, expires_at: expires_at || undefined };
    try {
      const made = await ask("POST", "keys", { body });
      told.replaceChildren(once(made));
      form.reset();
      await again();
    } catch (error) {
      told.replaceChildren(failure(/** @type {Error} */ (error)));
    }
  };
  return h(
    "form",
    { onsubmit: sent },
    h(
      "div",
      { class: "fields" },
      field(t("manage.key_name"), input("name", "", { required: true, maxlength: 64, placeholder: t("manage.key_example"), "data-first": true })),
      field(t("manage.may"), select("role", "read", roles)),
      field(t("manage.only_in"), where),
      field(t("manage.until"), input("expires_at", "", { type: "date" })),
    ),
    places,
    unknown,
    h("button", { class: "primary" }, t("manage.key_make")),
  );
}

/** @param {{key: any, token: string}} made */
function once({ key, token }) {
  const copied = h("span", { role: "status" });
  const copy = () => navigator.clipboard.writeText(token).then(() => (copied.textContent = t("manage.copied")));
  return h(
    "div",
    { class: "once" },
    h("p", {}, h("b", {}, t("manage.key_once", { name: key.name }))),
    h("p", { class: "token", tabindex: 0 }, token),
    h("p", { class: "row" }, h("button", { type: "button", onclick: copy }, t("manage.copy")), copied),
    h("p", { class: "quiet" }, sentence("manage.key_use", { header: h("code", {}, "Authorization: Bearer rk_…"), address: h("code", {}, `${location.origin}/mcp`) })),
  );
}

/**
 * @param {any[]} keys
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
function drawn(keys, context, again) {
  return h(
    "ul",
    { class: "lines-of" },
    keys.map((key) =>
      h(
        "li",
        {},
        h(
          "div",
          {},
          h("b", {}, prose(key.name)),
          h("p", { class: "meta" }, h("span", {}, named("manage.role", key.role)), h("span", {}, prose(key.namespace)), h("span", {}, t("manage.made_on", { day: dayInWords(key.created_at) })), key.expires_at && h("span", {}, t("manage.ends_on", { day: dayInWords(key.expires_at) }))),
        ),
        context.session.name === `key:${key.name}` ? h("span", { class: "quiet" }, t("manage.yours")) : revoke(key, context, again),
      ),
    ),
  );
}

/**
 * Programs that use the key stop working at once.
 * @param {any} key
 * @param {Context} context
 * @param {() => Promise<void>} again
 */
const revoke = (key, { notice }, again) => {
  const gone = async () => {
    await ask("DELETE", `keys/${encodeURIComponent(key.id)}`).then(() => notice(t("manage.revoked", { name: key.name })), (error) => notice(error.message));
    await again();
  };
  return sure(t("manage.revoke"), t("manage.revoke_sure", { name: key.name }), gone, { atEnd: true });
};
