// One memory and its life.

import { ask, memoryPath } from "../api.js";
import { h, prose, show } from "../dom.js";
import { badges, meta, opener, reasons } from "../draw/card.js";
import { linkGraph, MOST } from "../draw/graph.js";
import { filled } from "../draw/states.js";
import { timeline } from "../draw/timeline.js";
import { counted, moment, number, shortened, valued, words } from "../format.js";
import { actions, may } from "../role.js";
import { href, memoryHref } from "../route.js";
import { editForm } from "./edit.js";

/** @typedef {import("../app.js").Context} Context */

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function memoryView(root, context) {
  const { id, params } = context.route;
  const place = h("article", { class: "memory" });
  root.append(place);
  await filled(
    place,
    () => ask("GET", memoryPath(id), { signal: context.signal }),
    (memory) => drawn(memory, context, params.has("edit")),
  );
}

/**
 * @param {any} memory
 * @param {Context} context
 * @param {boolean} editing
 * @returns {Node[]}
 */
function drawn(memory, context, editing) {
  context.title(memory.text);
  const head = h("div", { class: "memory-head" });
  const life = h("div", { class: "life" });
  const again = () => context.go(href("memory", {}, memory.id));
  if (editing && actions(context.session, memory).edit) {
    show(head, h("h1", {}, "Edit"), editForm(memory, context, again));
    return [head];
  }
  show(head, ...heading(memory, context));
  lived(life, memory, context);
  return [head, h("div", { class: "columns" }, life, facts(memory))];
}

/**
 * @param {any} memory
 * @param {Context} context
 */
function heading(memory, context) {
  const quarantined = memory.status === "quarantined";
  return [
    h("p", { class: "meta" }, h("span", {}, memory.kind), h("span", {}, memory.namespace), ...badges(memory)),
    h("h1", { class: "said" }, prose(memory.text)),
    memory.gist && h("p", { class: "gist" }, prose(memory.gist)),
    quarantined &&
      h(
        "div",
        { class: "callout" },
        h(
          "p",
          {},
          h("b", {}, "Quarantined."),
          " Somebody other than the owner wrote it, and it was held back. No recipe recalls it.",
        ),
        reasons(memory),
      ),
    buttons(memory, context),
  ];
}

/**
 * @param {any} memory
 * @param {Context} context
 */
function buttons(memory, { session, notice, reload, go }) {
  const offered = actions(session, memory);
  const pinned = memory.tier === "pinned";
  /** @param {string} said @param {string} method @param {string} [of] @param {unknown} [body] */
  const act = (said, method, of, body) => async () => {
    try {
      await ask(method, memoryPath(memory.id, of), { body });
      notice(said);
      reload();
    } catch (error) {
      notice(/** @type {Error} */ (error).message);
    }
  };
  const button = (
    /** @type {string} */ text,
    /** @type {string} */ key,
    /** @type {() => void} */ onclick,
    kind = "",
  ) => h("button", { type: "button", class: kind, "data-key": key, onclick }, text);
  const drawn = [
    offered.edit && button("Edit", "e", () => go(href("memory", { edit: 1 }, memory.id))),
    offered.pin &&
      button(pinned ? "Unpin" : "Pin", "p", act(pinned ? "Unpinned." : "Pinned.", "POST", "pin", { pinned: !pinned })),
    offered.restore && button("Restore", "r", act("Restored.", "POST", "restore"), "primary"),
    offered.release &&
      button("Release", "r", act("Released: recipes may recall it again.", "POST", "restore"), "primary"),
    offered.forget && button("Forget", "f", act("Forgotten. It can be restored.", "DELETE"), "careful"),
  ].filter(Boolean);
  return drawn.length > 0 && h("div", { class: "row actions" }, drawn);
}

/** @param {any} memory */
function facts(memory) {
  const shown = {
    importance: number(memory.importance),
    confidence: number(memory.confidence),
    strength: number(memory.strength),
    tier: memory.tier,
    granularity: memory.granularity,
    entities: memory.entities.join(", "),
    created: moment(memory.created_at),
    happened: moment(memory.occurred_at),
    expires: moment(memory.expires_at),
    session: memory.session_id,
    turn: memory.turn,
    role: memory.role,
    origin: memory.origin,
    trust: memory.trust,
    source: memory.source,
    recalled: counted(memory.retrieval_count, "time"),
    opened: counted(memory.access_count, "time"),
    ...memory.metadata,
  };
  const listed = Object.entries(shown).filter(([, value]) => value !== null && value !== "");
  return h(
    "aside",
    { "aria-label": "Facts" },
    h("h2", {}, "Facts"),
    memory.tags.length > 0 &&
      h(
        "p",
        { class: "meta" },
        memory.tags.map((/** @type {string} */ tag) =>
          h("a", { class: "tag", href: href("browse", { tag }) }, `#${tag}`),
        ),
      ),
    h(
      "dl",
      { class: "facts" },
      listed.map(([name, value]) => h("div", {}, h("dt", {}, words(name)), h("dd", {}, prose(valued(value))))),
    ),
    h("p", { class: "id" }, memory.id),
  );
}

// Its life ---------------------------------------------------------------------------------------

/**
 * @param {HTMLElement} life
 * @param {any} memory
 * @param {Context} context
 */
async function lived(life, memory, context) {
  /** @param {string} of */
  const asked = (of) => () => ask("GET", memoryPath(memory.id, of), { signal: context.signal });
  const places = Object.fromEntries(["validity", "links", "recalls", "history"].map((name) => [name, h("div", {})]));
  show(
    life,
    section("Time line", places.validity),
    section("Links", places.links),
    section("When it was recalled", places.recalls),
    section("History", places.history),
  );
  const both =
    (/** @type {string[]} */ ...of) =>
    () =>
      Promise.all(of.map((each) => asked(each)()));
  await Promise.all([
    filled(places.validity, both("history", "recalls"), ([{ events }, { recalls }]) =>
      timeline(memory, events, recalls),
    ),
    filled(places.links, asked("links"), ({ links }) => linked(memory.id, links)),
    filled(places.recalls, asked("recalls"), ({ recalls }) => recalled(recalls)),
    filled(places.history, both("history", "links"), ([{ events }, { links }]) =>
      history(memory, events, links, context),
    ),
  ]);
}

/**
 * @param {string} title
 * @param {HTMLElement} place
 */
const section = (title, place) => h("section", { class: "panel", "aria-label": title }, h("h2", {}, title), place);

/**
 * @param {string} id
 * @param {import("../draw/graph.js").Neighbour[]} links
 */
function linked(id, links) {
  if (!links.length) return h("p", { class: "quiet" }, "Nothing is linked with it.");
  const list = h(
    "ol",
    { class: "linked" },
    links.map(({ link, memory }) =>
      h(
        "li",
        { "data-item": memory.id },
        h(
          "span",
          { class: "kind" },
          link.a === id ? `${words(link.kind)} →` : `← ${words(link.kind)}`,
          h("span", { class: "quiet" }, ` ${number(link.weight)}`),
        ),
        opener(memory, 160),
        meta(memory),
      ),
    ),
  );
  return h(
    "div",
    { class: "around" },
    linkGraph(id, links),
    h("div", {}, list, links.length > MOST && h("p", { class: "quiet" }, `The drawing shows the ${MOST} strongest.`)),
  );
}

/** @param {any[]} recalls */
function recalled(recalls) {
  if (!recalls.length) return h("p", { class: "quiet" }, "It has not been recalled yet.");
  return h(
    "ul",
    { class: "recalls" },
    recalls.map((each) =>
      h(
        "li",
        {},
        h("a", { href: href("ask", { q: each.query, recipe: each.recipe }) }, prose(each.query)),
        h(
          "p",
          { class: "meta" },
          h("span", {}, moment(each.at)),
          h("span", {}, `${each.recipe}, rank ${each.rank}`),
          each.actor && h("span", {}, `for ${each.actor}`),
          use(each),
        ),
      ),
    ),
  );
}

/** @param {{used: boolean | null, outcome: number | null}} recall outcome: −1 it did harm, 1 it helped */
function use({ used, outcome }) {
  if (used === null && outcome === null) return h("span", { class: "badge" }, "no feedback");
  const helped =
    outcome === null ? "" : outcome > 0 ? ", it helped" : outcome < 0 ? ", it did not help" : ", it made no difference";
  return h("span", { class: used ? "badge used" : "badge" }, `${used ? "used" : "not used"}${helped}`);
}

/**
 * @param {any} memory
 * @param {any[]} events oldest first
 * @param {import("../draw/graph.js").Neighbour[]} links
 * @param {Context} context
 */
function history(memory, events, links, context) {
  const values = { ...memory };
  const texts = new Map(links.map((each) => [each.memory.id, each.memory.text]));
  const drawn = [...events]
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .map((event) => entry(memory.id, event, values, texts, context));
  return drawn.length
    ? h("ol", { class: "history" }, drawn)
    : h("p", { class: "quiet" }, "Nothing has been written down about it.");
}

/**
 * @param {string} id
 * @param {any} event
 * @param {Record<string, unknown>} values what the fields held after this event; walked back to what they held before
 * @param {Map<string, string>} texts of the memories linked with it
 * @param {Context} context
 */
function entry(id, event, values, texts, context) {
  const rows = [];
  for (const change of event.changes.filter((/** @type {any} */ each) => each.memory_id === id)) {
    for (const [name, former] of Object.entries(change.before ?? {})) {
      rows.push(
        h(
          "div",
          {},
          h("dt", {}, words(name)),
          h(
            "dd",
            {},
            h("del", {}, prose(valued(former))),
            h("span", { class: "unseen" }, " became "),
            h("ins", {}, prose(valued(values[name]))),
          ),
        ),
      );
      values[name] = former;
    }
  }
  return h(
    "li",
    { class: event.undone_by ? "undone" : "" },
    h(
      "p",
      { class: "happened" },
      h("b", {}, words(event.action)),
      h("span", {}, `by ${event.actor}`),
      h("time", { datetime: event.at }, moment(event.at)),
      event.undone_by && h("span", { class: "badge" }, "undone"),
      undo(event, context),
    ),
    rows.length > 0 && h("dl", { class: "changes" }, rows),
    joined(id, event, texts),
  );
}

/**
 * The links that an event made or took away.
 * @param {string} id
 * @param {any} event
 * @param {Map<string, string>} texts
 */
function joined(id, event, texts) {
  const rows = ["linked", "unlinked"].flatMap((way) =>
    (event.detail?.[way] ?? [])
      .filter((/** @type {unknown} */ each) => Array.isArray(each) && each.includes(id))
      .map((/** @type {string[]} */ [a, b, kind]) => {
        const other = a === id ? b : a;
        return h(
          "li",
          {},
          `${way}: ${a === id ? "" : "← "}${words(kind)}${a === id ? " →" : ""} `,
          h("a", { href: memoryHref(other) }, prose(shortened(texts.get(other) ?? other, 70))),
        );
      }),
  );
  return rows.length > 0 && h("ul", { class: "joined" }, rows);
}

/**
 * Creating is taken back by forgetting, so it is not offered here.
 * @param {any} event
 * @param {Context} context
 */
function undo(event, { session, notice, reload }) {
  const changes = event.changes.some((/** @type {any} */ change) => change.before);
  if (!changes || event.undone_by || event.action === "undo" || !may(session, "write")) return null;
  const act = async () => {
    await ask("POST", `events/${encodeURIComponent(event.id)}/undo`).then(
      () => (notice("Taken back."), reload()),
      (error) => notice(error.message),
    );
  };
  return h(
    "button",
    { type: "button", class: "quiet-button", onclick: act },
    "Undo",
    h("span", { class: "unseen" }, ` ${words(event.action)}`),
  );
}
