// What holds now about people and things, with dates, sources and what it replaced.

import { ask, memoryPath } from "../api.js";
import { h, prose, show } from "../dom.js";
import { opener } from "../draw/card.js";
import { field, given, input, select } from "../draw/field.js";
import { empty, filled } from "../draw/states.js";
import { counted, day, shortened } from "../format.js";
import { may } from "../role.js";
import { href } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const LONGEST_FORMER = 280;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function profileView(root, context) {
  const { params } = context.route;
  const place = h("div", {});
  const query = Object.fromEntries(["subject", "namespace", "as_of"].map((name) => [name, params.get(name) ?? ""]));
  root.append(h("h1", {}, "Profile"), form(context), place);
  await filled(
    place,
    () => ask("GET", "profile", { query, signal: context.signal }),
    (found) => drawn(found, query, context),
  );
}

/** @param {Context} context */
function form({ route: { params }, namespaces, go }) {
  const value = (/** @type {string} */ name) => params.get(name) ?? "";
  /** @param {Event} event */
  const sent = (event) => {
    event.preventDefault();
    const to = href("profile", given(/** @type {HTMLFormElement} */ (event.currentTarget)));
    if (to !== location.hash) go(to);
  };
  return h(
    "form",
    { class: "filters", onsubmit: sent, onchange: sent, "aria-label": "Profile of" },
    h(
      "div",
      { class: "fields" },
      field("About", input("subject", value("subject"), { type: "search", placeholder: "a name, or user" }), "wide"),
      field("Namespace", select("namespace", value("namespace"), [["", "all"], ...namespaces])),
      field("As of", input("as_of", value("as_of"), { type: "date" })),
    ),
  );
}

/**
 * @param {any} found
 * @param {Record<string, string>} query
 * @param {Context} context
 * @returns {Node[]}
 */
function drawn(found, query, context) {
  if (!found.subjects.length) return [empty("Nothing is known.", "No statement is about this.")];
  context.announce(counted(found.subjects.length, "subject"));
  const left = found.truncated && h("p", { class: "quiet" }, "Older statements were left out.");
  return [...found.subjects.map((/** @type {any} */ each) => about(each, query, context)), left].filter(Boolean);
}

/**
 * @param {any} subject
 * @param {Record<string, string>} query
 * @param {Context} context
 */
function about(subject, query, context) {
  const alone = href("profile", { ...query, subject: subject.name });
  return h(
    "section",
    { class: "panel", "aria-label": subject.name },
    h("h2", {}, query.subject ? prose(subject.name) : h("a", { href: alone }, prose(subject.name))),
    subject.groups.map((/** @type {any} */ group) => [
      h("h3", {}, group.heading),
      h(
        "ul",
        { class: "cards" },
        group.statements.map((/** @type {any} */ each) => entry(each, context)),
      ),
      group.more > 0 && h("p", { class: "quiet" }, more(group.more, alone, query)),
    ]).flat(),
  );
}

/**
 * @param {number} count
 * @param {string} alone
 * @param {Record<string, string>} query
 */
function more(count, alone, query) {
  const text = `${count.toLocaleString("en")} more`;
  return query.subject ? `${text}.` : h("a", { href: alone }, text);
}

/**
 * @param {any} statement
 * @param {Context} context
 */
function entry(statement, context) {
  const { source } = statement;
  const item = h("li", { class: "card", "data-item": statement.id });
  const facts = [
    `told ${day(statement.told_at)}`,
    statement.when,
    source.session_id && `session ${source.session_id}${source.turn === null ? "" : `, turn ${source.turn}`}`,
    `from ${source.speaker}`,
  ];
  show(
    item,
    opener(statement),
    h(
      "p",
      { class: "meta" },
      facts.filter(Boolean).map((each) => h("span", {}, each)),
    ),
    statement.replaced.map(was),
    may(context.session, "write") && forgetButton(statement, item, context),
  );
  return item;
}

/** @param {any} former */
const was = (former) =>
  h(
    "p",
    { class: "was" },
    "was: ",
    prose(shortened(former.text, LONGEST_FORMER)),
    h("span", { class: "quiet" }, ` ${day(former.told_at)}${former.valid_to ? ` to ${day(former.valid_to)}` : ""}`),
  );

/**
 * Forgets the statement. The entry then offers to take that back.
 * @param {any} statement
 * @param {HTMLElement} item
 * @param {Context} context
 */
function forgetButton(statement, item, context) {
  const act = async () => {
    try {
      await ask("DELETE", memoryPath(statement.id));
    } catch (error) {
      return context.notice(/** @type {Error} */ (error).message);
    }
    const undo = h("button", { type: "button", onclick: () => restore(statement, item, context) }, "Undo");
    show(item, h("p", { class: "quiet" }, "Forgotten: ", prose(shortened(statement.text, LONGEST_FORMER))), undo);
    undo.focus();
  };
  return h(
    "button",
    { type: "button", class: "quiet-button", onclick: act },
    "Forget",
    h("span", { class: "unseen" }, ` ${shortened(statement.text, 60)}`),
  );
}

/**
 * @param {any} statement
 * @param {HTMLElement} item
 * @param {Context} context
 */
async function restore(statement, item, context) {
  try {
    await ask("POST", memoryPath(statement.id, "restore"));
  } catch (error) {
    return context.notice(/** @type {Error} */ (error).message);
  }
  context.notice("Restored.");
  item.replaceWith(entry(statement, context));
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-item="${statement.id}"] [data-open]`))?.focus();
}
