// Signing in: the key is sent to the server once. The page keeps only the session cookie.

import { ask } from "../api.js";
import { h, show } from "../dom.js";
import { field, given, input } from "../draw/field.js";
import { failure } from "../draw/states.js";

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
      h("h1", {}, "Sign in"),
      h(
        "p",
        {},
        "A key gives access to one namespace. The first start of ",
        h("code", {}, "recollect serve"),
        " showed one; ",
        h("code", {}, "recollect keys add"),
        " makes more.",
      ),
      field("Key", key, "wide"),
      trouble,
      h("button", { class: "primary" }, "Sign in"),
    ),
  );
  key.focus();
}
