// Asks a question and explains the answer: hits with the parts of their scores, stages, what was left out, confidence.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { scaleOf, scoreBar } from "../draw/bar.js";
import { meta, opener } from "../draw/card.js";
import { confidence } from "../draw/confidence.js";
import { field, given, input, select } from "../draw/field.js";
import { empty, filled } from "../draw/states.js";
import { leftOut, trace } from "../draw/trace.js";
import { explanationTree } from "../draw/tree.js";
import { counted, listed, NEAREST, number, percent } from "../format.js";
import { may } from "../role.js";
import { href, memoryHref, parsed } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const FILTERS = ["limit", "namespace", "granularity", "kind", "tag", "since", "until", "as_of"];

const GRANULARITIES = ["memory", "turn", "fact", "chunk", "round", "session"];

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function askView(root, context) {
  const { params } = context.route;
  const question = params.get("q") ?? "";
  const answer = h("section", { class: "answer", "aria-label": "Answer" });
  root.append(h("h1", { class: question ? "unseen" : "" }, "Ask the memory"), form(context), answer);
  if (question)
    await filled(
      answer,
      () => recalled(context),
      (found) => drawn(found, context),
    );
  else answer.append(welcome());
}

function welcome() {
  return empty(
    "Ask in plain words.",
    "Every hit shows how its score was computed. Questions are not recorded unless you tick “Record it”.",
  );
}

/** @param {Context} context */
function form({ route: { params }, recipes, namespaces, session, go }) {
  const question = input("q", params.get("q") ?? "", {
    type: "search",
    class: "question",
    "data-question": true,
    required: true,
    placeholder: "Why did the date slip?",
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
      field("Question", question, "wide"),
      field("Recipe", recipe),
      h("button", { class: "primary" }, "Ask"),
    ),
    h(
      "details",
      { open: shown },
      h("summary", {}, "Filters"),
      h(
        "div",
        { class: "fields" },
        field(
          "Hits",
          input("limit", params.get("limit") ?? "", { type: "number", min: 1, max: 100, placeholder: "5" }),
        ),
        field("Namespace", select("namespace", params.get("namespace") ?? "", [["", "all"], ...namespaces])),
        field("Granularity", select("granularity", params.get("granularity") ?? "", [["", "any"], ...GRANULARITIES])),
        field("Kinds", input("kind", params.get("kind") ?? "", { placeholder: "fact, decision" })),
        field("Tags", input("tag", params.get("tag") ?? "", { placeholder: "work, home" })),
        field("Since", input("since", params.get("since") ?? "", { type: "date" })),
        field("Until", input("until", params.get("until") ?? "", { type: "date" })),
        field("True on", input("as_of", params.get("as_of") ?? "", { type: "date" })),
        may(session, "write") &&
          h(
            "div",
            { class: "field check" },
            h(
              "label",
              {},
              h("input", { type: "checkbox", name: "record", value: "1", checked: params.has("record") }),
              "Record it, like a recall of an agent",
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
 * @param {Context} context
 */
function drawn(found, context) {
  const others = href("compare", {
    q: found.query,
    a: found.recipe,
    b: found.recipe === "default" ? "bm25" : "default",
  });
  const summary = verdict(found);
  context.announce(
    found.hits.length ? `${summary}, confidence ${percent(found.confidence)}` : `${summary} ${found.rejected}`,
  );
  return [
    h(
      "div",
      { class: "answer-head" },
      h("h2", {}, summary),
      h("p", {}, "by ", h("b", {}, found.recipe)),
      h("a", { href: others }, "Compare with another recipe"),
    ),
    h(
      "div",
      { class: "columns" },
      found.hits.length ? hitList(found.hits, found, context) : refused(found, context),
      aside(found),
    ),
  ];
}

/** @param {any} found */
function verdict(found) {
  if (found.hits.length) return `found ${counted(found.hits.length, "hit")}`;
  return found.nearest.length ? NEAREST : "not in memory";
}

/**
 * @param {any[]} hits
 * @param {any} found
 * @param {Context} context
 * @param {string} [kind]
 */
function hitList(hits, found, context, kind = "hits") {
  const scale = scaleOf(hits);
  return h(
    "ol",
    { class: kind },
    hits.map((hit, n) => hitItem(hit, n + 1, scale, found, context)),
  );
}

/**
 * The reason, then what comes nearest; if the recipe does not return that, a link to a search that does.
 * @param {any} found
 * @param {Context} context
 */
function refused(found, context) {
  const near = found.nearest.length > 0;
  const told = h(
    "div",
    { class: "refused" },
    h("p", { class: "why-not" }, found.rejected ?? "nothing found"),
    !near && h("p", {}, "The recipe rejected the question instead of guessing. ", searchByVectors(found), "."),
  );
  return near ? h("div", {}, told, hitList(found.nearest, found, context, "hits nearest")) : told;
}

/** @param {any} found */
const searchByVectors = (found) =>
  h("a", { href: href("ask", { q: found.query, recipe: "vector" }) }, "Show the nearest memories anyway");

/** @param {any} found */
function aside(found) {
  const gone = leftOut(found.trace);
  return h(
    "aside",
    { class: "how", "aria-label": "How it was found" },
    h("h3", {}, "Confidence"),
    confidence(found.confidence, found.signals),
    h("h3", {}, "Left out"),
    found.rejected && !gone.length && h("p", { class: "quiet" }, found.rejected),
    gone.length
      ? h(
          "ul",
          { class: "left-out" },
          gone.map(({ stage, count, why }) => h("li", {}, h("b", {}, count), ` at ${stage}: ${why}`)),
        )
      : !found.rejected && h("p", { class: "quiet" }, "Nothing that a route found."),
    h("h3", {}, "Stages"),
    trace(found.trace),
  );
}

/**
 * @param {any} hit
 * @param {number} rank
 * @param {number} scale
 * @param {any} found
 * @param {Context} context
 */
function hitItem(hit, rank, scale, found, context) {
  const tree = h("div", { class: "tree-place", hidden: true, id: `why-${rank}` });
  /** @param {Event} event */
  const toggled = (event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    if (!tree.firstChild) tree.append(explanationTree(hit.explanation, `Explanation of hit ${rank}`));
    tree.hidden = !tree.hidden;
    button.setAttribute("aria-expanded", String(!tree.hidden));
  };
  return h(
    "li",
    { class: "hit", "data-item": hit.memory.id },
    h("div", { class: "rank", "aria-hidden": "true" }, rank),
    h(
      "div",
      { class: "body" },
      opener(hit.memory),
      meta(hit.memory),
      earlier(hit, found.hits),
      h(
        "div",
        { class: "points" },
        h("span", { class: "total" }, h("span", { class: "unseen" }, "Score "), number(hit.score)),
        scoreBar(hit.explanation, scale),
      ),
      around(hit),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          {
            type: "button",
            class: "why quiet-button",
            "data-why": true,
            "aria-expanded": "false",
            "aria-controls": tree.id,
            onclick: toggled,
          },
          "Why this score",
        ),
        h(
          "span",
          { class: "routes" },
          Object.entries(hit.routes).map(([route, place]) => h("span", {}, `${route} #${place}`)),
        ),
        context.route.params.has("record") &&
          may(context.session, "write") &&
          found.hits.includes(hit) &&
          helped(hit, found, context),
      ),
      tree,
    ),
  );
}

/**
 * Says that a newer memory gives another value of the same thing, and which one.
 * @param {any} hit
 * @param {any[]} hits
 */
function earlier({ earlier_than: newer }, hits) {
  if (!newer) return null;
  const rank = hits.findIndex(({ memory }) => memory.id === newer) + 1;
  const named = rank ? `hit ${rank} is newer` : "another memory is newer";
  const badge = h("span", { class: "badge earlier" }, "earlier");
  return h("p", { class: "meta" }, badge, h("a", { href: memoryHref(newer) }, named));
}

/**
 * The parts of a round or session, and the neighbours of a turn.
 * @param {any} hit
 */
function around(hit) {
  const parts = hit.parts.map((/** @type {any} */ part) => [part.memory, number(part.score)]);
  const beside = hit.neighbours.map((/** @type {any} */ memory) => [memory, ""]);
  return [folded(counted(parts.length, "part"), parts), folded(counted(beside.length, "neighbouring turn"), beside)];
}

/**
 * @param {string} title
 * @param {[any, string][]} memories each with a word on it
 */
function folded(title, memories) {
  if (!memories.length) return null;
  const rows = memories.map(([memory, word]) =>
    h("li", {}, opener(memory, 200), " ", h("span", { class: "figure" }, word)),
  );
  return h("details", {}, h("summary", {}, title), h("ul", { class: "plain" }, rows));
}

/**
 * @param {any} hit
 * @param {any} found
 * @param {Context} context
 */
function helped(hit, found, { notice }) {
  /** @param {Event} event */
  const told = async (event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    button.disabled = true;
    const body = { recall_id: found.id, used: [hit.memory.id], outcome: "helped" };
    await ask("POST", "feedback", { body }).then(
      () => notice("Feedback saved."),
      (error) => notice(error.message),
    );
  };
  return h("button", { type: "button", class: "quiet-button", onclick: told }, "It helped");
}
