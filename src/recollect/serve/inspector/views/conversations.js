// The list of conversations, newest first; a search finds them by what was said.

import { ask } from "../api.js";
import { h, prose, show } from "../dom.js";
import { field, input, select } from "../draw/field.js";
import { inTurn, listening, live } from "../draw/live.js";
import { longList, nextPage } from "../draw/long_list.js";
import { empty, failure, loading } from "../draw/states.js";
import { dayInWords, shortened } from "../format.js";
import { named, t } from "../language.js";
import { href, talkHref } from "../route.js";
import { isName } from "../talk_name.js";
import { conversationView } from "./conversation.js";

/** @typedef {import("../app.js").Context} Context */

const PAGE = 50;
/** The most that are read at once when the reader comes back. */
const MOST = 500;
const FOUND = 100;
const NEAR = 5;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function conversationsView(root, context) {
  if (context.route.id) return conversationView(root, context);
  const place = h("div", { class: "long" });
  const foot = h("div", { class: "foot" });
  const near = h("div", {});
  let searching = false;
  const list = longList(place, "ul", "talks", (turn) => talk(turn, searching, context), context.signal);
  const next = inTurn(context.signal);
  const read = (/** @type {URLSearchParams} */ params) => {
    const asked = { ...context, route: { ...context.route, params }, signal: next() };
    const text = (params.get("text") ?? "").trim();
    searching = text !== "";
    list.set([]);
    show(near);
    if (text) return found(text, asked, list, foot, near);
    return more(asked, list, foot, null, 0, Math.min(Math.max(PAGE, context.before), MOST));
  };
  root.append(h("h1", {}, t("conversations.title")), form(context, read), place, foot, near);
  await read(context.route.params);
}

/**
 * @param {Context} context
 * @param {(params: URLSearchParams) => void} read
 */
function form({ route: { params }, namespaces }, read) {
  const changed = live((filters) => href("conversations", filters), read);
  const place = params.get("namespace") ?? "";
  return h(
    "form",
    { class: "filters", role: "search", ...listening(changed) },
    h(
      "div",
      { class: "fields" },
      field(
        t("conversations.search"),
        input("text", params.get("text") ?? "", { type: "search", placeholder: t("conversations.search_hint") }),
        "wide",
      ),
      (namespaces.length > 1 || place) &&
        field(t("home.namespace"), select("namespace", place, [["", t("home.everywhere")], ...namespaces])),
    ),
  );
}

/** @typedef {import("../draw/long_list.js").LongList<any>} LongList */

/**
 * @param {Context} context
 * @param {LongList} list
 * @param {HTMLElement} foot
 * @param {string | null} cursor
 * @param {number} before how many are shown already
 * @param {number} [limit]
 */
async function more(context, list, foot, cursor, before, limit = PAGE) {
  show(foot, loading());
  try {
    const query = { namespace: context.route.params.get("namespace"), limit, cursor };
    const { sessions, next } = await ask("GET", "sessions", { query, signal: context.signal });
    list.add(sessions.map((/** @type {any} */ each) => each.first));
    const count = before + sessions.length;
    if (!count) return show(foot, nothing(context));
    const go = () => more(context, list, foot, next, count);
    show(foot, next ? nextPage(t("conversations.more"), context.signal, go) : h("p", { class: "quiet" }, t("conversations.all", { count })));
  } catch (error) {
    trouble(/** @type {Error} */ (error), foot, () => more(context, list, foot, cursor, before, limit));
  }
}

/**
 * The messages with all the words, then a few that are close in meaning.
 * @param {string} text
 * @param {Context} context
 * @param {LongList} list
 * @param {HTMLElement} foot
 * @param {HTMLElement} close where the latter are drawn
 */
async function found(text, context, list, foot, close) {
  show(foot, loading());
  try {
    const [exact, near] = await Promise.all([withWords(text, context), closest(text, context)]);
    const known = new Set(exact.map(({ id }) => id));
    const others = near.filter(({ id }) => !known.has(id)).slice(0, NEAR);
    list.set(exact);
    const told = exact.length ? t("conversations.hits", { count: exact.length }) : t("conversations.not_found");
    context.announce(told);
    const every = h("a", { href: href("conversations") }, t("conversations.every"));
    show(foot, h("p", { class: "quiet" }, told), every);
    if (others.length) show(close, h("h2", {}, t("conversations.near")), h("ul", { class: "talks" }, others.map((turn) => talk(turn, true, context))));
  } catch (error) {
    trouble(/** @type {Error} */ (error), foot, () => found(text, context, list, foot, close));
  }
}

/** @param {any} memory */
const inTalk = (memory) => memory.session_id && memory.turn !== null;

/**
 * @param {string} words
 * @param {Context} context
 * @returns {Promise<any[]>}
 */
async function withWords(words, { route, signal }) {
  if (!/[\p{L}\p{N}]/u.test(words)) return [];
  const query = { words, granularity: "turn", namespace: route.params.get("namespace"), limit: FOUND };
  const { memories } = await ask("GET", "matching", { query, signal });
  return memories.filter(inTalk);
}

/**
 * @param {string} text
 * @param {Context} context
 * @returns {Promise<any[]>} nothing where the memory is sure that it has no answer
 */
async function closest(text, { route, signal }) {
  const namespace = route.params.get("namespace") ?? undefined;
  const body = { query: text, granularity: "turn", limit: NEAR * 2, namespace, track: false };
  const { hits } = await ask("POST", "recall", { body, signal });
  return hits.map((/** @type {any} */ hit) => hit.memory).filter(inTalk);
}

/**
 * @param {Error} error
 * @param {HTMLElement} foot
 * @param {() => void} again
 */
function trouble(error, foot, again) {
  if (error.name !== "AbortError") show(foot, failure(error, again));
}

/** @param {Context} context */
const nothing = ({ session }) =>
  empty(
    t("conversations.none"),
    t("conversations.none_hint"),
    " ",
    h("code", {}, `recollect ingest chat.json ${session.place}`.trim()),
  );

/**
 * @param {any} turn
 * @param {boolean} there whether the link leads to this message, not to the beginning
 * @param {Context} context
 */
function talk(turn, there, { namespaces }) {
  const to = talkHref(there ? turn : { ...turn, turn: null });
  return h(
    "li",
    { class: "talk", "data-item": turn.id },
    h("a", { class: "open", "data-open": true, href: to }, prose(shortened(turn.text, 160))),
    h(
      "p",
      { class: "meta" },
      there && turn.role && h("span", {}, prose(named("conversations.role", turn.role))),
      h("time", { datetime: turn.valid_from ?? turn.created_at }, dayInWords(turn.valid_from ?? turn.created_at)),
      isName(turn.session_id) && h("span", {}, prose(shortened(turn.session_id, 60))),
      namespaces.length > 1 && h("span", {}, turn.namespace),
    ),
  );
}
