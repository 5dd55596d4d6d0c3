// Asks a question: how the answer stands, the hits, why they were found, and what an agent would get.

import { ask } from "../api.js";
import { h, prose } from "../dom.js";
import { confidence } from "../draw/confidence.js";
import { field, given, input, select } from "../draw/field.js";
import { hitList } from "../draw/hit.js";
import { agentContext } from "../draw/layers.js";
import { empty, filled, nothingYet } from "../draw/states.js";
import { leftOut, trace } from "../draw/trace.js";
import { dayInWords, listed, localDay } from "../format.js";
import { named, t } from "../language.js";
import { numbersButton } from "../numbers.js";
import { may } from "../role.js";
import { href, parsed } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const FILTERS = ["limit", "namespace", "granularity", "kind", "tag", "since", "until", "as_of"];

/** From this confidence on the page says that the answer was found. */
const CERTAIN = 0.8;
const LIKELY = 0.5;

const GRANULARITIES = ["memory", "turn", "fact", "chunk", "round", "session"];

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function askView(root, context) {
  const { params } = context.route;
  const question = params.get("q") ?? "";
  const answer = h("section", { class: "answer", "aria-label": t("ask.answer") });
  root.append(h("h1", { class: question ? "unseen" : "" }, t("ask.heading")), form(context), answer);
  if (question)
    await filled(
      answer,
      () => recalled(context),
      (found) => drawn(found, root, context),
    );
  else answer.append(context.memories ? empty(t("ask.begin"), t("ask.begin_hint")) : nothingYet());
}

/** @param {Context} context */
function form({ route: { params }, recipes, namespaces, session, go }) {
  const question = input("q", params.get("q") ?? "", {
    type: "search",
    class: "question",
    "data-question": true,
    required: true,
    placeholder: t("ask.example"),
    enterkeyhint: "search",
  });
  const recipe = select(
    "recipe",
    params.get("recipe") ?? "default",
    recipes.map(({ name }) => name),
  );
  const shown = FILTERS.some((name) => params.get(name)) || params.has("record");
  /** @param {SubmitEvent} event */
  const sent = (event) => {
    event.preventDefault();
    go(href("ask", given(/** @type {HTMLFormElement} */ (event.target))));
  };
  return h(
    "form",
    { class: "asking", role: "search", onsubmit: sent },
    h(
      "div",
      { class: "main-row" },
      field(t("ask.question"), question, "wide"),
      field(t("ask.recipe"), recipe),
      h("button", { class: "primary" }, t("ask.ask")),
    ),
    h(
      "details",
      { open: shown },
      h("summary", {}, t("ask.filters")),
      h(
        "div",
        { class: "fields" },
        field(
          t("ask.hits"),
          input("limit", params.get("limit") ?? "", { type: "number", min: 1, max: 100, placeholder: "5" }),
        ),
        field(t("ask.namespace"), select("namespace", params.get("namespace") ?? "", [["", t("ask.all")], ...namespaces])),
        field(t("ask.granularity"), select("granularity", params.get("granularity") ?? "", [["", t("ask.any")], ...GRANULARITIES.map((each) => /** @type {[string, string]} */ ([each, named("browse.sizes", each)]))])),
        field(t("ask.kinds"), input("kind", params.get("kind") ?? "", { placeholder: "fact, decision" })),
        field(t("ask.tags"), input("tag", params.get("tag") ?? "", { placeholder: "work, home" })),
        field(t("ask.since"), input("since", params.get("since") ?? "", { type: "date" })),
        field(t("ask.until"), input("until", params.get("until") ?? "", { type: "date" })),
        field(t("ask.true_on"), input("as_of", params.get("as_of") ?? "", { type: "date" })),
        may(session, "write") &&
          h(
            "div",
            { class: "field check" },
            h(
              "label",
              {},
              h("input", { type: "checkbox", name: "record", value: "1", checked: params.has("record") }),
              t("ask.record"),
            ),
          ),
      ),
    ),
  );
}

/** @param {Context} context */
function recalled({ route: { params }, signal }) {
  /** @param {string} name */
  const list = (name) => (params.get(name) ? listed(params.get(name) ?? "") : undefined);
  const body = {
    query: params.get("q"),
    recipe: params.get("recipe") ?? undefined,
    limit: params.get("limit") ? Number(params.get("limit")) : undefined,
    namespace: params.get("namespace") ?? undefined,
    granularity: params.get("granularity") ?? undefined,
    kinds: list("kind"),
    tags: list("tag"),
    since: params.get("since") ?? undefined,
    until: params.get("until") ?? undefined,
    as_of: params.get("as_of") ?? undefined,
    track: params.has("record"),
  };
  const found = ask("POST", "recall", { body, signal });
  return params.has("record") ? found.then(recordedOnce) : found;
}

/**
 * Removes `record` from the address, so that loading it again does not record the question again.
 * @param {any} found
 */
function recordedOnce(found) {
  const route = parsed(location.hash);
  route?.params.delete("record");
  if (route) history.replaceState(history.state, "", href(route.view, Object.fromEntries(route.params)));
  return found;
}

/**
 * @param {any} found
 * @param {HTMLElement} root
 * @param {Context} context
 */
function drawn(found, root, context) {
  const others = href("compare", {
    q: found.query,
    a: found.recipe,
    b: found.recipe === "default" ? "default-fast" : "default",
  });
  const summary = verdict(found);
  const certain = found.hits.length > 0 && found.confidence < CERTAIN && t("ask.uncertain");
  context.announce(found.hits.length ? summary : `${summary} ${found.rejected}`);
  return [
    h(
      "div",
      { class: "answer-head" },
      h("p", { class: "on-paper" }, prose(found.query)),
      h("h2", {}, summary),
      certain && h("p", {}, certain),
      numbersButton(root),
      h("a", { href: others }, t("ask.compare")),
    ),
    namedDay(found, context),
    h(
      "div",
      { class: "columns" },
      h("div", {}, found.hits.length ? hitList(found.hits, found, context) : refused(found, context), agent(found, context)),
      aside(found),
    ),
  ];
}

/**
 * Offers what held on the day that the question names.
 * @param {any} found
 * @param {Context} context
 */
function namedDay({ past_moment: until }, { route: { params } }) {
  if (!until || params.get("as_of")) return null;
  const last = localDay(new Date(Date.parse(until) - 1));
  const then = href("ask", { ...Object.fromEntries(params), as_of: last });
  return h("p", { class: "named-day" }, h("a", { href: then }, t("ask.as_of_named", { day: dayInWords(last) })));
}

/**
 * How the answer stands, in words.
 * @param {any} found
 */
function verdict(found) {
  const count = found.hits.length;
  if (count) return t(found.confidence >= CERTAIN ? "ask.found" : found.confidence >= LIKELY ? "ask.perhaps" : "ask.unsure", { count });
  return t(found.nearest.length ? "ask.nearest" : "ask.not_found");
}

/**
 * @param {any} found
 * @param {Context} context
 */
function agent(found, { route: { params }, signal }) {
  const more = { namespace: params.get("namespace") ?? undefined, recipe: params.get("recipe") ?? undefined };
  return agentContext(found.query, more, signal);
}

/** The server's reason when it is only a number that is too low. */
const UNSURE = /confidence [\d.]+ is below|similarity [\d.]+ is below/;

/**
 * The reason, then what comes nearest; if the recipe does not return that, a link to a search that does.
 * @param {any} found
 * @param {Context} context
 */
function refused(found, context) {
  const near = found.nearest.length > 0;
  const unsure = UNSURE.test(found.rejected ?? "");
  const told = h(
    "div",
    { class: "refused" },
    h("p", { class: "why-not" }, unsure ? t("ask.not_sure") : (found.rejected ?? t("ask.nothing"))),
    unsure && h("p", { class: "numbers" }, found.rejected),
    !near && h("p", {}, t("ask.rejected"), " ", searchByVectors(found)),
    may(context.session, "write") && h("p", {}, h("a", { href: href("manage", {}, "add") }, t("ask.add_answer"))),
  );
  return near ? h("div", {}, told, hitList(found.nearest, found, context, "hits nearest")) : told;
}

/** @param {any} found */
const searchByVectors = (found) => h("a", { href: href("ask", { q: found.query, recipe: "vector" }) }, t("ask.nearest_anyway"));

/** @param {any} found */
function aside(found) {
  const gone = leftOut(found.trace);
  return h(
    "aside",
    { class: "how numbers", "aria-label": t("ask.how") },
    h("h3", {}, t("ask.confidence")),
    confidence(found.confidence, found.signals),
    h("h3", {}, t("ask.left_out")),
    found.rejected && !gone.length && h("p", { class: "quiet" }, found.rejected),
    gone.length
      ? h(
          "ul",
          { class: "left-out" },
          gone.map(({ stage, count, why, note }) =>
            h("li", {}, h("b", {}, count), ` ${why} `, h("span", { class: "quiet numbers" }, `(${[stage, note].filter(Boolean).join(", ")})`)),
          ),
        )
      : !found.rejected && h("p", { class: "quiet" }, t("ask.none_left_out")),
    h("div", { class: "numbers" }, h("h3", {}, t("ask.stages", { recipe: found.recipe })), trace(found.trace)),
  );
}
