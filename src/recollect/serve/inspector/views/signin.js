// Signed out: a key is asked for, handed to the server once, and kept only as its cookie.

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
      h("h1", {}, "Whose memory?"),
      h(
        "p",
        {},
        "A key opens one namespace of this memory. The first start of ",
        h("code", {}, "recollect serve"),
        " showed one; ",
        h("code", {}, "recollect keys add"),
        " makes more.",
      ),
      field("Key", key, "wide"),
      trouble,
      h("button", { class: "primary" }, "Open"),
    ),
  );
  key.focus();
}
