// One memory: text, facts, time line, links, recalls and history.

import { ask, memoryPath } from "../api.js";
import { h, prose, show } from "../dom.js";
import { badges, reasons } from "../draw/card.js";
import { filled } from "../draw/states.js";
import { counted, moment, number, valued, words } from "../format.js";
import { actions } from "../role.js";
import { href } from "../route.js";
import { editForm } from "./edit.js";
import { lived } from "./life.js";

/** @typedef {import("../app.js").Context} Context */

/** Longer texts are set in smaller type. */
const LONG_CHARS = 280;

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
    h("h1", { class: memory.text.length > LONG_CHARS ? "said long" : "said" }, prose(memory.text)),
    memory.gist && h("p", { class: "gist" }, prose(memory.gist)),
    quarantined &&
      h(
        "div",
        { class: "callout" },
        h(
          "p",
          {},
          h("b", {}, "Quarantined."),
          " The owner did not write it, and it looks like instructions or contains secrets. No recipe recalls it.",
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
