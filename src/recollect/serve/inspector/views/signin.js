// Signing in: the key is sent to the server once. The page keeps only the session cookie.

import { ask } from "../api.js";
import { h, show } from "../dom.js";
import { field, given, input } from "../draw/field.js";
import { failure } from "../draw/states.js";
import { sentence, t } from "../language.js";

/**
 * @param {HTMLElement} root
 * @param {() => void} entered
 */
export function signIn(root, entered) {
  const trouble = h("div", {});
  /** @param {SubmitEvent} event */
  const sent = async (event) => {
    event.preventDefault();
    const { key } = given(/** @type {HTMLFormElement} */ (event.target));
    try {
      await ask("POST", "session", { body: { key: key.trim() } });
      entered();
    } catch (error) {
      show(trouble, failure(/** @type {Error} */ (error)));
    }
  };
  const key = input("key", "", {
    type: "password",
    required: true,
    autocomplete: "current-password",
    spellcheck: "false",
    "data-first": true,
  });
  show(
    root,
    h(
      "form",
      { class: "signin", onsubmit: sent },
      h("h1", {}, t("signin.title")),
      h(
        "p",
        {},
        sentence("signin.hint", { serve: h("code", {}, "recollect serve"), add: h("code", {}, "recollect keys add") }),
      ),
      field(t("signin.key"), key, "wide"),
      trouble,
      h("button", { class: "primary" }, t("signin.title")),
    ),
  );
  key.focus();
}
