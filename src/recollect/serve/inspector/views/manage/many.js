// Changes many memories: find them, look at them, forget, move or tag them, and take it back at once.

import { ask } from "../../api.js";
import { h, prose, show } from "../../dom.js";
import { narrow } from "../../draw/names.js";
import { field, given, input, select } from "../../draw/field.js";
import { empty, failure } from "../../draw/states.js";
import { dayInWords, shortened } from "../../format.js";
import { named, t } from "../../language.js";
import { may } from "../../role.js";
import { href } from "../../route.js";
import { changeAll, taken } from "./change.js";
import { doing } from "./job.js";

/** @typedef {import("../../app.js").Context} Context */

const FILTERS = ["words", "kind", "tag", "namespace", "since", "until", "session_id"];
/** One search by words returns at most so many. */
const MOST_BY_WORDS = 1000;
/** Without words the list is read page by page, up to so many. */
const MOST = 5000;
const PAGE = 500;
/** Of so many conversations the other messages are offered. */
const MOST_TALKS = 20;
/** So many are shown with a box to untick; the others are counted. */
const MOST_SHOWN = 200;

/**
 * @param {HTMLElement} place
 * @param {Context} context
 */
export async function manyRoom(place, context) {
  const { params } = context.route;
  const found = h("div", {});
  const filtered = FILTERS.some((name) => params.get(name));
  const asked = FILTERS.map((name) => params.get(name)).filter(Boolean).join(", ");
  place.append(
    !filtered || !narrow() ? h("p", { class: "quiet" }, t("manage.many_hint")) : "",
    filtered && narrow() ? h("details", { class: "folds" }, h("summary", {}, prose(asked)), form(context)) : form(context),
    found,
  );
  if (!filtered) return;
  try {
    const memories = await read(found, context);
    if (!memories.length) return show(found, empty(t("manage.none_found"), t("manage.none_found_hint")));
    show(found, chooser(memories, context));
    const beside = await others(memories, context);
    if (beside.turns.length) found.prepend(offer(beside, () => show(found, chooser([...memories, ...beside.turns], context))));
  } catch (error) {
    if (/** @type {Error} */ (error).name !== "AbortError") show(found, failure(/** @type {Error} */ (error), context.reload));
  }
}

/** @param {any} memory its conversation */
const talkOf = ({ namespace, session_id }) => JSON.stringify([namespace, session_id]);

/**
 * The other messages of the conversations that the memories are from. They may answer what is forgotten.
 * @param {any[]} memories
 * @param {Context} context
 * @returns {Promise<{talks: number, turns: any[]}>}
 */
async function others(memories, { signal }) {
  const talks = new Map(memories.filter(({ session_id }) => session_id).map((each) => [talkOf(each), each]));
  if (talks.size > MOST_TALKS) return { talks: 0, turns: [] };
  const pages = await Promise.all(
    [...talks.values()].map(({ namespace, session_id }) =>
      ask("GET", "memories", { query: { namespace, session_id, granularity: "turn", limit: PAGE }, signal }),
    ),
  );
  const known = new Set(memories.map(({ id }) => id));
  const turns = pages.flatMap((page) => page.memories).filter((each) => !known.has(each.id) && talks.has(talkOf(each)));
  return { talks: new Set(turns.map(talkOf)).size, turns };
}

/**
 * @param {{talks: number, turns: any[]}} beside
 * @param {() => void} choose
 */
function offer({ talks, turns }, choose) {
  const words = [t("manage.also_messages", { count: turns.length }), t("manage.of_talks", { count: talks })].join(" ");
  return h("p", { class: "row" }, h("button", { type: "button", class: "quiet-button", onclick: choose }, words));
}

/** @param {Context} context */
function form({ route: { params }, namespaces, kinds, go, notice }) {
  /** @param {SubmitEvent} event */
  const sent = (event) => {
    event.preventDefault();
    const form = given(/** @type {HTMLFormElement} */ (event.target));
    if (!Object.values(form).some((value) => value.trim())) return notice(t("manage.no_filter"));
    go(href("manage", form, "many"));
  };
  /** @param {string} name */
  const held = (name) => params.get(name) ?? "";
  return h(
    "form",
    { class: "asking", role: "search", onsubmit: sent },
    h(
      "div",
      { class: "fields" },
      field(t("manage.words"), input("words", held("words"), { type: "search", "data-first": !params.size, placeholder: t("manage.words_example") }), "wide"),
      field(t("manage.kind"), select("kind", held("kind"), [["", t("manage.any")], ...kinds.map((each) => /** @type {[string, string]} */ ([each, named("browse.kinds", each)]))])),
      field(t("manage.tag"), input("tag", held("tag"))),
      field(t("manage.namespace"), select("namespace", held("namespace"), [["", t("manage.any")], ...namespaces])),
      field(t("manage.since"), input("since", held("since"), { type: "date" })),
      field(t("manage.before"), input("until", held("until"), { type: "date" })),
      held("session_id") && field(t("manage.talk"), input("session_id", held("session_id"))),
    ),
    h("button", {}, t("manage.find")),
  );
}

/**
 * @param {HTMLElement} place
 * @param {Context} context
 * @returns {Promise<any[]>}
 */
async function read(place, { route: { params }, signal }) {
  const query = Object.fromEntries(FILTERS.map((name) => [name, params.get(name)]));
  show(place, doing(t("manage.finding")));
  if (query.words) return (await ask("GET", "matching", { query: { ...query, limit: MOST_BY_WORDS }, signal })).memories;
  delete query.words;
  /** @type {any[]} */
  const found = [];
  /** @type {string | null} */
  let cursor = null;
  do {
    const page = await ask("GET", "memories", { query: { ...query, limit: PAGE, cursor }, signal });
    found.push(...page.memories);
    cursor = page.next;
    show(place, doing(`${t("manage.finding")} ${t("manage.memories", { count: found.length })}`));
  } while (cursor !== null && found.length < MOST);
  return found;
}

/** @param {Context} context the most memories that one search gives */
const most = ({ route: { params } }) => (params.get("words") ? MOST_BY_WORDS : MOST);

/**
 * @param {any[]} memories
 * @param {Context} context
 */
function chooser(memories, context) {
  const boxes = memories.slice(0, MOST_SHOWN).map(pick);
  const rest = memories.slice(MOST_SHOWN).map(({ id }) => id);
  const told = h("p", { role: "status", class: "unseen" });
  const forget = h("button", { type: "button", class: "careful" });
  const progress = h("div", {});
  const all = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: true }));
  const chosen = () => [...boxes.filter(({ box }) => box.checked).map(({ id }) => id), ...(all.checked ? rest : [])];
  const counted = () => {
    const count = chosen().length;
    told.textContent = t("manage.chosen", { count });
    forget.textContent = t("manage.forget_chosen", { count });
  };
  all.addEventListener("change", () => {
    for (const { box } of boxes) box.checked = all.checked;
    counted();
  });
  const list = h("div", { class: "picks" }, boxes.map(({ row }) => row));
  list.addEventListener("change", counted);
  counted();
  return h(
    "div",
    {},
    actions(forget, chosen, progress, context),
    progress,
    told,
    memories.length >= most(context) && h("p", { class: "quiet" }, t("manage.not_all", { count: memories.length })),
    h("p", { class: "pick-all" }, h("label", {}, all, t("manage.all_of_them"))),
    list,
    rest.length > 0 && h("p", { class: "quiet" }, t("manage.and_more", { count: rest.length })),
  );
}

/** @param {any} memory */
function pick(memory) {
  const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", checked: true, value: memory.id }));
  const about = [named("browse.kinds", memory.kind), dayInWords(memory.valid_from ?? memory.occurred_at ?? memory.created_at), memory.namespace, ...memory.tags.map((/** @type {string} */ tag) => `#${tag}`)];
  const row = h("label", {}, box, h("span", {}, prose(shortened(memory.text, 240)), h("small", {}, prose(about.join(" · ")))));
  return { id: memory.id, box, row };
}

/**
 * @param {HTMLElement} forget
 * @param {() => string[]} chosen
 * @param {HTMLElement} progress
 * @param {Context} context
 */
function actions(forget, chosen, progress, context) {
  const { session, namespaces } = context;
  const tag = input("tags", "", { placeholder: t("manage.tag_example") });
  const to = input("to", "", { list: "move-places", placeholder: session.namespace });
  const work = (/** @type {any} */ body, /** @type {string} */ verb) => change(chosen(), body, verb, progress, context);
  const tagged = (/** @type {string} */ name) => tag.value.trim() && work({ action: "tag", [name]: [tag.value.trim()] }, t("manage.done.tag"));
  forget.addEventListener("click", () => work({ action: "forget" }, t("manage.done.forget")));
  const button = (/** @type {string} */ text, /** @type {() => unknown} */ onclick) => h("button", { type: "button", onclick }, text);
  return h(
    "div",
    { class: "row changes-of-many" },
    forget,
    h("div", { class: "group-of" }, field(t("manage.tag"), tag), button(t("manage.tag_add"), () => tagged("add_tags")), button(t("manage.tag_remove"), () => tagged("remove_tags"))),
    may(session, "admin") &&
      h(
        "div",
        { class: "group-of" },
        field(t("manage.to"), to),
        h("datalist", { id: "move-places" }, namespaces.map((each) => h("option", { value: each }))),
        button(t("manage.move_chosen"), () => to.value.trim() && work({ action: "move", to: to.value.trim() }, t("manage.done.move"))),
      ),
  );
}

/**
 * @param {string[]} ids
 * @param {Record<string, unknown>} body
 * @param {string} verb
 * @param {HTMLElement} progress
 * @param {Context} context
 */
async function change(ids, body, verb, progress, context) {
  const { notice, reload } = context;
  if (!ids.length) return notice(t("manage.choose_first"));
  const { event, changed } = await changeAll(ids, body, verb, progress, context);
  if (!event) return;
  reload();
  const along = [...changed].filter((id) => !ids.includes(id)).length;
  const told = `${verb} ${t("manage.memories", { count: changed.size })}`;
  notice(along ? `${told} ${t("manage.along", { count: along })}` : told, () => taken(event, context));
}
