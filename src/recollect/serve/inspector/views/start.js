// The first run: an empty store says what to do next.

import { ask } from "../api.js";
import { h, prose, show } from "../dom.js";
import { failure } from "../draw/states.js";
import { sentence, t } from "../language.js";
import { may } from "../role.js";

/** @typedef {import("../app.js").Context} Context */

const CONNECT = "recollect mcp install --client claude-desktop";
const DEMO = "recollect demo";

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function firstRun(root, context) {
  const { elsewhere, namespace } = context.session;
  root.append(
    h("h1", {}, elsewhere ? t("home.start_here", { namespace }) : t("home.start")),
    ...(elsewhere ? [] : [h("p", { class: "lead" }, t("home.start_hint"))]),
    h(
      "div",
      { class: "starts" },
      elsewhere && part(t("home.elsewhere", { count: elsewhere.memories }), ...others(elsewhere, context)),
      may(context.session, "write") && part(t("home.start_write"), writing(context)),
      part(t("home.start_connect"), h("p", {}, t("home.start_connect_hint")), command(`${CONNECT} ${context.session.place}`.trim(), context)),
      part(t("home.start_demo"), h("p", {}, t("home.start_demo_hint")), command(DEMO, context)),
    ),
  );
}

/**
 * @param {string} title
 * @param {...(Node | null | false)} rest
 */
const part = (title, ...rest) => h("section", { class: "start" }, h("h2", {}, title), rest);

/**
 * Where the memories of the store are, and how to get to them.
 * @param {import("../role.js").Elsewhere} elsewhere
 * @param {Context} context
 */
function others({ namespaces, more, command: line }, context) {
  const names = namespaces.map((name) => h("li", {}, prose(name)));
  return [
    h("ul", { class: "plain" }, names, more > 0 && h("li", { class: "quiet" }, t("home.more", { count: more }))),
    h("p", {}, t("home.elsewhere_hint")),
    command(line, context),
  ];
}

/**
 * @param {string} line
 * @param {Context} context
 */
function command(line, { notice }) {
  const copied = () =>
    navigator.clipboard
      ? navigator.clipboard.writeText(line).then(
          () => notice(t("home.copied")),
          () => notice(line),
        )
      : notice(line);
  return h(
    "p",
    { class: "command" },
    h("code", {}, line),
    h("button", { type: "button", class: "quiet-button", onclick: copied }, t("home.copy")),
  );
}

/** @param {Context} context */
function writing({ notice, restart }) {
  const trouble = h("div", {});
  const text = /** @type {HTMLTextAreaElement} */ (
    h("textarea", {
      rows: 3,
      required: true,
      dir: "auto",
      "data-first": true,
      placeholder: t("home.start_example"),
      "aria-label": t("home.start_write"),
    })
  );
  const sent = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      await ask("POST", "memories", { body: { text: text.value } });
      notice(t("home.remembered"));
      restart();
    } catch (error) {
      show(trouble, failure(/** @type {Error} */ (error)));
    }
  };
  const link = h("a", { href: "#/manage" }, t("common.view.manage"));
  return h(
    "form",
    { onsubmit: sent },
    text,
    trouble,
    h("div", { class: "row" }, h("button", { class: "primary" }, t("home.remember"))),
    h("p", { class: "quiet" }, sentence("home.start_import", { manage: link })),
  );
}
