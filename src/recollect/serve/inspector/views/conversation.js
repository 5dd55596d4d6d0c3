// One conversation as a chat, with the facts that were taken from each message beside it.

import { ask } from "../api.js";
import { h, prose, show } from "../dom.js";
import { field, input } from "../draw/field.js";
import { inTurn, listening, live } from "../draw/live.js";
import { longList, nextPage } from "../draw/long_list.js";
import { failure, loading } from "../draw/states.js";
import { clock, dayInWords, moment, shortened } from "../format.js";
import { named, sentence, t } from "../language.js";
import { may } from "../role.js";
import { href, memoryHref } from "../route.js";
import { isName, talkName } from "../talk_name.js";

/** @typedef {import("../app.js").Context} Context */

const PAGE = 40;
const BEFORE = 8;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function conversationView(root, context) {
  const { id } = context.route;
  const [earlier, later] = [h("div", { class: "foot" }), h("div", { class: "foot" })];
  const place = h("div", { class: "long" });
  const title = h("h1", {}, prose(shortened(id, 60)));
  const head = h("p", { class: "meta" });
  /** What is shown now. @type {{asked: Context, first: any, wanted: number | null}} */
  const now = { asked: context, first: null, wanted: null };
  const list = longList(place, "ol", "chat", (turn) => message(turn, now), context.signal);
  const next = inTurn(context.signal);
  const read = (/** @type {URLSearchParams} */ params) => {
    now.asked = { ...context, route: { ...context.route, params }, signal: next() };
    now.wanted = params.has("turn") ? Number(params.get("turn")) : null;
    return shown({ list, place, title, head, earlier, later }, now);
  };
  context.title(id);
  root.append(
    h("p", {}, h("a", { href: href("conversations") }, t("conversations.back"))),
    title,
    head,
    search(context, read),
    earlier,
    place,
    later,
  );
  await read(context.route.params);
}

/**
 * Shows the messages around the wanted one, or those with the words of the search.
 * @param {{list: import("../draw/long_list.js").LongList<any>} & Record<"place" | "title" | "head" | "earlier" | "later", HTMLElement>} places
 * @param {{asked: Context, first: any, wanted: number | null}} now
 */
async function shown({ list, place, title, head, earlier, later }, now) {
  const { asked, wanted } = now;
  const { id, params } = asked.route;
  const text = (params.get("text") ?? "").trim();
  const start = text ? 0 : Math.max(0, (wanted ?? 0) - BEFORE);
  show(earlier);
  show(later, loading());
  try {
    const [found, words] = await Promise.all([read(asked, start, text), firstWords(asked, start, text)]);
    now.first = found.turns[0]?.memory;
    list.set(found.turns);
    tell(head, found, asked);
    const name = talkName(id, words ?? found.turns[0]?.memory.text);
    show(title, prose(name));
    asked.title(name);
    if (text) show(later, h("p", { class: "quiet" }, t("conversations.hits", { count: found.turns.length })));
    else edges(asked, list, earlier, later, { from: start, to: start + PAGE, last: found.last });
    if (text || wanted === null) return;
    place.querySelector(".wanted")?.scrollIntoView({ block: "center" });
    /** @type {HTMLElement | null} */ (place.querySelector(".wanted [data-open]"))?.focus({ preventScroll: true });
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return;
    show(later, failure(/** @type {Error} */ (error), asked.reload));
  }
}

/**
 * @param {Context} context
 * @param {number} start
 * @param {string} [text]
 * @param {number} [limit]
 */
function read({ route: { id, params }, signal }, start, text = "", limit = PAGE) {
  const query = { session_id: id, namespace: params.get("namespace"), start, limit: text ? 200 : limit, text };
  return ask("GET", "conversation", { query, signal });
}

/**
 * The words with which a conversation begins, unless its first message is read anyway.
 * @param {Context} context
 * @param {number} start
 * @param {string} text
 * @returns {Promise<string | undefined>}
 */
async function firstWords(context, start, text) {
  if (!text && start === 0) return undefined;
  const { turns } = await read(context, 0, "", 1);
  return turns[0]?.memory.text;
}

/**
 * @param {Context} context
 * @param {(params: URLSearchParams) => void} read
 */
function search({ route: { id, params } }, read) {
  const namespace = params.get("namespace");
  const whole = h("p", { hidden: !params.get("text") }, h("a", { href: href("conversations", { namespace }, id) }, t("conversations.whole")));
  const changed = live(
    (filters) => href("conversations", { namespace, ...filters }, id),
    (next) => {
      whole.hidden = !next.get("text");
      read(next);
    },
  );
  return h(
    "form",
    { class: "filters", role: "search", ...listening(changed) },
    h("div", { class: "fields" }, field(t("conversations.inside"), input("text", params.get("text") ?? "", { type: "search" }), "wide")),
    whole,
  );
}

/**
 * @param {HTMLElement} head
 * @param {any} found
 * @param {Context} context
 */
function tell(head, { namespace, last, turns }, { route: { id }, session }) {
  const first = turns[0]?.memory;
  show(
    head,
    first && h("span", {}, dayInWords(first.valid_from ?? first.created_at)),
    h("span", {}, t("conversations.messages", { count: last + 1 })),
    h("span", {}, namespace),
    !isName(id) && h("span", {}, prose(shortened(id, 60))),
    may(session, "write") && h("a", { href: href("manage", { session_id: id, namespace }, "many") }, t("home.change_all")),
  );
}

/**
 * Buttons for what comes before and after the messages that are shown.
 * @param {Context} context
 * @param {import("../draw/long_list.js").LongList<any>} list
 * @param {HTMLElement} earlier
 * @param {HTMLElement} later
 * @param {{from: number, to: number, last: number}} shown numbers of messages
 */
function edges(context, list, earlier, later, shown) {
  const step = async (/** @type {number} */ start, /** @type {number} */ limit, /** @type {"prepend" | "append"} */ way) => {
    const found = await read(context, start, "", limit).catch((error) => void context.notice(error.message));
    if (!found) return edges(context, list, earlier, later, shown);
    list.add(found.turns, way === "prepend");
    const next = { from: Math.min(shown.from, start), to: Math.max(shown.to, start + limit), last: found.last };
    edges(context, list, earlier, later, next);
  };
  const before = Math.max(0, shown.from - PAGE);
  const button = (/** @type {string} */ words, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", onclick }, words);
  show(
    earlier,
    shown.from > 0 && button(t("conversations.earlier"), () => step(before, shown.from - before, "prepend")),
  );
  show(
    later,
    shown.to <= shown.last
      ? nextPage(t("conversations.later"), context.signal, () => step(shown.to, PAGE, "append"))
      : h("p", { class: "quiet" }, t("conversations.end")),
  );
}

/** @param {any} one @param {any} other */
const sameDay = (one, other) => new Date(one.valid_from).toDateString() === new Date(other?.valid_from).toDateString();

/**
 * @param {any} turn
 * @param {{asked: Context, first: any, wanted: number | null}} now `first` is the message whose day stands above all
 */
function message({ memory, facts }, { asked, first, wanted }) {
  const own = memory.role === "user";
  const searched = asked.route.params.get("text");
  const number = t("conversations.number", { number: memory.turn + 1 });
  const there = href("conversations", { namespace: memory.namespace, turn: memory.turn }, memory.session_id);
  return h(
    "li",
    { class: `message ${own ? "own" : ""} ${memory.turn === wanted ? "wanted" : ""}`, "data-item": memory.id },
    h(
      "div",
      { class: "said-here" },
      h(
        "p",
        { class: "meta" },
        h("b", {}, named("conversations.role", memory.role ?? "")),
        h("a", { "data-open": true, href: searched ? there : memoryHref(memory.id) }, number),
        h("time", { datetime: memory.valid_from }, sameDay(memory, first) ? clock(memory.valid_from) : moment(memory.valid_from)),
      ),
      h("p", { class: "bubble" }, prose(memory.text)),
    ),
    facts.length > 0 &&
      h("ul", { class: "facts-beside", "aria-label": t("conversations.facts") }, facts.map(factBeside)),
  );
}

/** @param {any} fact */
function factBeside({ memory, replaced_by: newer, said_before: before }) {
  const gone = memory.status === "superseded";
  const text = prose(shortened(memory.text, 240));
  const link = h("a", { href: memoryHref(memory.id) }, gone ? h("del", {}, text) : text);
  return h(
    "li",
    { class: memory.status },
    link,
    before && h("span", { class: "badge" }, t("conversations.again")),
    !gone && memory.status !== "active" && h("span", { class: "badge" }, named("common.status", memory.status)),
    newer.map((/** @type {any} */ each) =>
      h(
        "p",
        { class: "quiet" },
        sentence("conversations.replaced", {
          by: h("a", { href: memoryHref(each.id) }, prose(shortened(each.text, 120))),
        }),
      ),
    ),
  );
}
