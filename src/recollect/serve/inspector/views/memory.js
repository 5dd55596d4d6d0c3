// One memory: text, facts, time line, links, recalls and history.

import { ask, memoryPath } from "../api.js";
import { h, prose, show } from "../dom.js";
import { badges, reasons } from "../draw/card.js";
import { filled } from "../draw/states.js";
import { sure } from "../draw/sure.js";
import { fileOf, moment, number, valued } from "../format.js";
import { actions } from "../role.js";
import { named, sentence, t } from "../language.js";
import { teller } from "../draw/teller.js";
import { href, talkHref } from "../route.js";
import { forget, pin } from "../undo.js";
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
    show(head, h("h1", {}, t("memory.edit")), editForm(memory, context, again));
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
    h("p", { class: "meta" }, h("span", {}, named("browse.kinds", memory.kind)), h("span", {}, memory.namespace), ...badges(memory), inTalk(memory)),
    h("h1", { class: memory.text.length > LONG_CHARS ? "said long" : "said" }, prose(memory.text)),
    memory.gist && h("p", { class: "gist" }, prose(memory.gist)),
    quarantined &&
      h(
        "div",
        { class: "callout" },
        h("p", {}, sentence("memory.held_back", { status: h("b", {}, named("common.status", memory.status)) })),
        reasons(memory),
      ),
    buttons(memory, context),
  ];
}

/** @param {any} memory the link to its place in its conversation */
const inTalk = (memory) =>
  memory.session_id && memory.turn !== null && h("a", { href: talkHref(memory) }, t("common.in_talk"));

/**
 * @param {any} memory
 * @param {Context} context
 */
function buttons(memory, context) {
  const { session, notice, reload, go } = context;
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
  const purge = () =>
    ask("DELETE", memoryPath(memory.id), { query: { purge: true } }).then(
      () => (notice(t("memory.purged")), go(href("browse"))),
      (error) => notice(error.message),
    );
  const button = (
    /** @type {string} */ text,
    /** @type {string} */ key,
    /** @type {() => void} */ onclick,
    kind = "",
  ) => h("button", { type: "button", class: kind, "data-key": key, onclick }, text);
  const drawn = [
    offered.edit && button(t("memory.edit"), "e", () => go(href("memory", { edit: 1 }, memory.id))),
    offered.pin &&
      button(t(pinned ? "home.unpin" : "home.pin"), "p", () => pin(memory.id, !pinned, context, reload)),
    offered.restore && button(t("memory.restore"), "r", act(t("memory.restored"), "POST", "restore"), "primary"),
    offered.release &&
      button(t("manage.release"), "r", act(t("overview.released"), "POST", "restore")),
    offered.purge && sure(t("memory.purge"), t("memory.purge_sure"), purge, { kind: "careful" }),
    offered.forget && button(t("home.forget"), "f", () => forget(memory.id, context, reload), "careful"),
  ].filter(Boolean);
  return drawn.length > 0 && h("div", { class: "row actions" }, drawn);
}

/**
 * What people ask first; the numbers and names of the store are folded.
 * @param {any} memory
 */
function facts(memory) {
  const { when, quarantine, ...metadata } = memory.metadata;
  const first = {
    happened: moment(memory.occurred_at),
    expires: moment(memory.expires_at),
    session: memory.session_id,
    origin: teller(memory.origin),
    source: fileOf(memory),
    entities: memory.entities.join(", "),
    created: moment(memory.created_at),
    recalled: t("memory.times", { count: memory.retrieval_count }),
    opened: t("memory.times", { count: memory.access_count }),
  };
  const rest = {
    importance: number(memory.importance),
    confidence: number(memory.confidence),
    strength: number(memory.strength),
    tier: named("browse.tiers", memory.tier),
    granularity: named("browse.sizes", memory.granularity),
    turn: memory.turn,
    role: memory.role,
    trust: memory.trust,
    ...metadata,
    ...(when ? { when: when.text ?? when } : {}),
  };
  return h(
    "aside",
    { "aria-label": t("memory.facts") },
    h("h2", {}, t("memory.facts")),
    memory.tags.length > 0 &&
      h(
        "p",
        { class: "meta" },
        memory.tags.map((/** @type {string} */ tag) =>
          h("a", { class: "tag", href: href("browse", { tag }) }, prose(`#${tag}`)),
        ),
      ),
    listed(first),
    h("details", {}, h("summary", {}, t("memory.all_fields")), listed(rest), h("p", { class: "id" }, memory.id)),
  );
}

/** @param {Record<string, unknown>} values */
const listed = (values) =>
  h(
    "dl",
    { class: "facts" },
    Object.entries(values)
      .filter(([, value]) => value !== null && value !== "")
      .map(([name, value]) =>
        h("div", {}, h("dt", {}, named("memory.field", name)), h("dd", {}, prose(valued(value)))),
      ),
  );
