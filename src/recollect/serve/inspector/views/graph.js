// People and things that are named together, around one of them.

import { ask } from "../api.js";
import { h, prose } from "../dom.js";
import { card } from "../draw/card.js";
import { field, given, input } from "../draw/field.js";
import { fits, names } from "../draw/names.js";
import { timeSlider } from "../draw/slider.js";
import { empty, filled } from "../draw/states.js";
import { day } from "../format.js";
import { named, t } from "../language.js";
import { href } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const OWNER = "user";
/** Memories that are shown at once. */
const SHOWN = 8;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function graphView(root, context) {
  const name = context.route.params.get("name") ?? "";
  const place = h("div", {});
  root.append(h("h1", {}, t("common.view.graph")), search(context, name), place);
  if (name) await filled(place, () => around(context, name), ([now, found]) => drawn(found, now, context));
  else await filled(place, () => ask("GET", "profile", { signal: context.signal }), begin);
}

/**
 * @param {Context} context
 * @param {string} name
 */
function search({ go }, name) {
  /** @param {SubmitEvent} event */
  const sent = (event) => {
    event.preventDefault();
    go(href("graph", { name: given(/** @type {HTMLFormElement} */ (event.target)).name.trim() }));
  };
  const box = input("name", name === OWNER ? "" : name, {
    type: "search",
    class: "question",
    required: true,
    maxlength: 128,
    "data-question": true,
    placeholder: t("graph.example"),
  });
  return h(
    "form",
    { class: "asking", role: "search", onsubmit: sent },
    h("div", { class: "main-row" }, field(t("graph.whom"), box, "wide"), h("button", { class: "primary" }, t("graph.show"))),
  );
}

/** @param {{subjects: {name: string, count: number}[]}} profile */
function begin({ subjects }) {
  if (!subjects.length) return empty(t("graph.empty"), t("graph.empty_hint"));
  return h(
    "section",
    {},
    h("h2", {}, t("graph.begin")),
    h(
      "p",
      { class: "chips" },
      subjects.map(({ name }) => h("a", { href: href("graph", { name }) }, called(name))),
    ),
  );
}

/** @param {string} name */
const called = (name) => (name === OWNER ? t("graph.you") : prose(name));

/**
 * The graph as it is now, for the bounds of the slider, and as it was on the chosen day.
 * @param {Context} context
 * @param {string} name
 */
async function around({ route: { params }, signal }, name) {
  const as_of = params.get("as_of");
  const limit = Number(params.get("limit")) || fits();
  const query = { name, limit, kind: params.getAll("kind") };
  const now = ask("GET", "graph", { query, signal });
  return Promise.all([now, as_of ? ask("GET", "graph", { query: { ...query, as_of: `${as_of}T23:59:59Z` }, signal }) : now]);
}

/**
 * @param {any} found
 * @param {any} now
 * @param {Context} context
 */
function drawn(found, now, context) {
  const { params } = context.route;
  const kept = { as_of: params.get("as_of") ?? "", kind: params.get("kind") ?? "" };
  const shown = { ...found, name: found.name === OWNER ? t("graph.you") : found.name };
  shown.edges = found.edges.map((/** @type {any} */ edge) => ({ ...edge, a: renamed(edge.a, found, shown), b: renamed(edge.b, found, shown) }));
  const parts = [h("h2", {}, called(found.name)), kinds(now, context), slider(now, context)];
  if (!found.memories.length) return h("div", {}, parts, empty(t("graph.nothing"), h("a", { href: href("ask", { q: found.name }) }, t("graph.ask"))));
  return h(
    "div",
    {},
    parts,
    h(
      "div",
      { class: "columns" },
      h(
        "div",
        {},
        found.nodes.length ? names(shown, kept) : h("p", { class: "quiet" }, t("graph.alone")),
        h("section", { class: "panel" }, h("h2", {}, t("graph.known")), known(found.memories)),
        found.truncated && h("p", { class: "quiet" }, t("graph.truncated")),
      ),
      found.nodes.length > 0 && together(found, kept, context),
    ),
  );
}

/**
 * The newest; the others are folded.
 * @param {any[]} memories
 */
function known(memories) {
  /** @param {any[]} some */
  const cards = (some) => h("ul", { class: "cards" }, some.map((memory) => card(memory)));
  const rest = memories.slice(SHOWN);
  const folded = rest.length > 0 && h("details", { class: "foot-plain" }, h("summary", {}, t("graph.older", { count: rest.length })), cards(rest));
  return [cards(memories.slice(0, SHOWN)), folded];
}

/** @param {string} name @param {any} found @param {any} shown */
const renamed = (name, found, shown) => (name === found.name ? shown.name : name);

/**
 * The same as the drawing, as a list.
 * @param {any} found
 * @param {Record<string, string>} kept
 * @param {Context} context
 */
function together(found, kept, { route: { params } }) {
  const more = href("graph", { ...Object.fromEntries(params), limit: found.nodes.length + 20 });
  return h(
    "aside",
    {},
    h("h2", {}, t("graph.together")),
    h(
      "ul",
      { class: "together" },
      found.nodes.map((/** @type {any} */ node) =>
        h("li", { "data-item": node.name }, h("a", { "data-open": true, href: href("graph", { ...kept, name: node.name }) }, prose(node.name)), h("span", {}, t("graph.memories", { count: node.count }))),
      ),
    ),
    found.more > 0 && h("p", { class: "foot" }, h("a", { href: more }, t("graph.more", { count: found.more }))),
  );
}

/**
 * Buttons for the kinds of memories; one at a time, or all.
 * @param {any} found
 * @param {Context} context
 */
function kinds(found, { route: { params }, go }) {
  const listed = Object.entries(found.kinds);
  if (listed.length < 2) return null;
  const chosen = params.get("kind") ?? "";
  /** @param {string} kind @param {string} label */
  const chip = (kind, label) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(kind === chosen),
        onclick: () => go(href("graph", { ...Object.fromEntries(params), kind, limit: "" })),
      },
      label,
    );
  return h(
    "div",
    { class: "chips", role: "group", "aria-label": t("graph.kinds") },
    chip("", t("graph.all_kinds")),
    listed.map(([kind, count]) => chip(kind, `${named("browse.kinds", kind)} ${count}`)),
  );
}

/**
 * @param {any} found
 * @param {Context} context
 */
function slider(found, { days, route: { params }, go }) {
  // Of many memories only the newest are read, so the first day is not known.
  const first = found.truncated ? days.first : found.first && day(found.first);
  if (!first || first >= days.last) return null;
  const chosen = (params.get("as_of") ?? "").slice(0, 10);
  return timeSlider({ first, last: days.last, chosen }, (as_of) => go(href("graph", { ...Object.fromEntries(params), as_of })));
}
