// What is true now, or was believed on a day: people, places and things with their statements, newest change first.

import { ask } from "../api.js";
import { h, prose, show } from "../dom.js";
import { field, given, input, select } from "../draw/field.js";
import { timeSlider } from "../draw/slider.js";
import { empty, failure, loading } from "../draw/states.js";
import { statementRow } from "../draw/story.js";
import { named, t } from "../language.js";
import { may } from "../role.js";
import { href } from "../route.js";
import { firstRun } from "./start.js";

/** @typedef {import("../app.js").Context} Context */

const SUGGESTED = 4;
const OWNER = "user";

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function homeView(root, context) {
  if (!context.memories) return firstRun(root, context);
  const { params } = context.route;
  const place = h("div", { class: "known", "aria-live": "off" });
  const asked = Object.fromEntries(["subject", "namespace"].map((name) => [name, params.get(name) ?? ""]));
  let day = (params.get("as_of") ?? "").slice(0, 10);
  let reading = new AbortController();
  context.signal.addEventListener("abort", () => reading.abort());
  const read = async () => {
    reading.abort();
    reading = new AbortController();
    // The end of the day, so that what was said on it counts.
    const query = { ...asked, as_of: day && `${day}T23:59:59Z` };
    if (!place.firstChild) show(place, loading());
    place.setAttribute("aria-busy", "true");
    try {
      const found = await ask("GET", "profile", { query, signal: reading.signal });
      tell(found.subjects);
      const at = statements(place).findIndex((each) => each.contains(document.activeElement));
      show(place, ...drawn(found, asked, day, { ...context, refresh: read }));
      if (at >= 0) focusOn(statements(place)[at]);
      place.removeAttribute("aria-busy");
    } catch (error) {
      if (/** @type {Error} */ (error).name === "AbortError") return;
      show(place, failure(/** @type {Error} */ (error), read));
      place.removeAttribute("aria-busy");
    }
  };
  const known = h("p", { class: "chips known-names" });
  const tell = (/** @type {any[]} */ subjects) => !asked.subject && show(known, ...chips(subjects, asked, day));
  const slider = timeSlider({ ...context.days, chosen: day }, (chosen) => {
    day = chosen;
    history.replaceState(history.state, "", href("home", { ...asked, as_of: day }));
    read();
  });
  root.append(h("h1", { class: "unseen" }, t("home.title")), question(context, () => day), slider, choice(asked, context), known, heldBack(context), place);
  await read();
}

/** @param {HTMLElement} place */
const statements = (place) => [...place.querySelectorAll(".statement")];

/**
 * Gives the focus back to a statement that was drawn again, such as after a correction.
 * @param {Element | undefined} statement
 */
const focusOn = (statement) => /** @type {HTMLElement | null} */ (statement?.querySelector("[data-open]") ?? null)?.focus();

/**
 * @param {Context} context
 * @param {() => string} day what the slider shows; a question means the same day
 */
function question({ go, session }, day) {
  const box = input("q", "", {
    type: "search",
    class: "question",
    "data-question": true,
    required: true,
    placeholder: t("home.ask"),
    "aria-label": t("home.ask"),
    enterkeyhint: "search",
  });
  const sent = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    go(href("ask", { ...given(/** @type {HTMLFormElement} */ (event.target)), as_of: day() }));
  };
  return h(
    "form",
    { class: "home-ask", role: "search", onsubmit: sent },
    box,
    h("button", { class: "primary" }, t("home.ask_button")),
    may(session, "write") && h("a", { class: "add", href: href("manage", {}, "add") }, t("home.add")),
  );
}

/**
 * Says to the owner that something waits for a decision.
 * @param {Context} context
 */
const heldBack = ({ held, session }) =>
  held > 0 && may(session, "admin")
    ? h("p", { class: "quiet" }, t("home.held", { count: held }), " ", h("a", { href: href("manage", {}, "quarantine") }, t("home.held_look")))
    : "";

/**
 * Whom or what to show, of which namespace.
 * @param {Record<string, string>} asked
 * @param {Context} context
 */
function choice(asked, { namespaces, go, route }) {
  const sent = (/** @type {Event} */ event) => {
    event.preventDefault();
    const form = given(/** @type {HTMLFormElement} */ (event.currentTarget));
    const subject = form.subject.trim().toLowerCase() === t("home.you").toLowerCase() ? OWNER : form.subject;
    const to = href("home", { ...form, subject, as_of: new URLSearchParams(location.hash.split("?")[1]).get("as_of") });
    if (to !== location.hash) go(to);
  };
  const several = namespaces.length > 1 || asked.namespace;
  return h(
    "form",
    { class: "filters home-filters", onsubmit: sent, onchange: sent },
    h(
      "div",
      { class: "fields" },
      field(t("home.about"), input("subject", asked.subject === OWNER ? t("home.you") : asked.subject, { type: "search", placeholder: t("home.about_hint") })),
      several &&
        field(t("home.namespace"), select("namespace", asked.namespace, [["", t("home.everywhere")], ...namespaces])),
    ),
    (asked.subject || asked.namespace) &&
      h("a", { href: href("home", { as_of: route.params.get("as_of") }) }, t("home.everybody")),
  );
}

/**
 * @param {any} found
 * @param {Record<string, string>} asked
 * @param {string} day
 * @param {Context} context
 * @returns {Node[]}
 */
function drawn(found, asked, day, context) {
  const subjects = [...found.subjects].sort((a, b) => (newest(a) < newest(b) ? 1 : -1));
  context.announce(t("home.count", { count: subjects.length }));
  if (!subjects.length) return [nothing(asked, day)];
  const left = found.truncated && h("p", { class: "quiet" }, t("home.truncated"));
  return [
    !asked.subject && !day && suggestions(subjects),
    ...subjects.map((each) => about(each, asked, day, context)),
    left,
  ].filter(Boolean);
}

/**
 * @param {Record<string, string>} asked
 * @param {string} day
 */
function nothing(asked, day) {
  if (asked.subject) {
    const words = h("a", { href: href("browse", { text: asked.subject }) }, t("home.nothing_about_words", { text: asked.subject }));
    const question = h("a", { href: href("ask", { q: asked.subject, as_of: day }) }, t("home.nothing_about_ask"));
    return empty(t("home.nothing_about"), t("home.nothing_about_hint"), " ", words, " ", question);
  }
  if (day) return empty(t("home.nothing_yet"), t("home.nothing_yet_hint"));
  const browse = h("a", { href: "#/browse" }, t("home.nothing_browse"));
  return empty(t("home.nothing"), t("home.nothing_hint"), " ", browse);
}

/** @param {any} subject the day of its newest statement */
const newest = ({ groups }) =>
  groups.flatMap((/** @type {any} */ group) => group.statements.map((/** @type {any} */ each) => each.told_at)).sort().at(-1) ?? "";

/** @param {any} subject */
const called = ({ name }) => (name === OWNER ? t("home.you") : name);

/**
 * Links to one person or thing each.
 * @param {any[]} subjects
 * @param {Record<string, string>} asked
 * @param {string} day
 */
const chips = (subjects, asked, day) =>
  subjects.map((each) => h("a", { href: href("home", { ...asked, subject: each.name, as_of: day }) }, called(each)));

/** @param {any[]} subjects */
function suggestions(subjects) {
  const questions = subjects
    .filter((each) => each.name !== OWNER)
    .slice(0, SUGGESTED)
    .map((each) => t("home.suggest", { name: each.name }));
  if (!questions.length) return null;
  return h(
    "p",
    { class: "suggested" },
    h("span", { class: "quiet" }, t("home.suggested")),
    questions.map((each) => h("a", { href: href("ask", { q: each }) }, prose(each))),
  );
}

/**
 * @param {any} subject
 * @param {Record<string, string>} asked
 * @param {string} day
 * @param {Context} context
 */
function about(subject, asked, day, context) {
  const shown = new Map(subject.groups.flatMap((/** @type {any} */ group) => group.statements.map((/** @type {any} */ each) => [each.id, each])));
  const alone = href("home", { ...asked, subject: subject.name, as_of: day });
  const name = prose(called(subject));
  return h(
    "section",
    { class: "panel subject", "aria-label": called(subject) },
    h(
      "h2",
      {},
      asked.subject ? name : h("a", { href: alone }, name),
      h(
        "span",
        { class: "row to-graph" },
        h("a", { href: href("graph", { name: subject.name }) }, t("common.view.graph")),
        may(context.session, "write") && subject.name !== OWNER && h("a", { href: href("manage", { words: subject.name }, "many") }, t("home.change_all")),
      ),
    ),
    h(
      "div",
      { class: "groups" },
      subject.groups.map((/** @type {any} */ group) => groupOf(group, shown, alone, asked, context)),
    ),
  );
}

/**
 * @param {any} group
 * @param {Map<string, any>} shown the statements about the same subject
 * @param {string} alone
 * @param {Record<string, string>} asked
 * @param {Context} context
 */
function groupOf(group, shown, alone, asked, context) {
  const rows = [...group.statements].sort((a, b) => (a.told_at < b.told_at ? 1 : -1));
  const more = t("home.more", { count: group.more });
  return h(
    "div",
    { class: "group" },
    h("h3", {}, named("home.heading", group.heading)),
    h(
      "ul",
      { class: "statements" },
      rows.map((each) => statementRow(each, shown, context)),
    ),
    group.more > 0 && h("p", { class: "quiet" }, asked.subject ? more : h("a", { href: alone }, more)),
  );
}
