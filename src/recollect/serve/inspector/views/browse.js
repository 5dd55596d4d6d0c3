// Lists memories, with filters that act as one types.

import { ask } from "../api.js";
import { h, show } from "../dom.js";
import { card, reasons } from "../draw/card.js";
import { field, input, select } from "../draw/field.js";
import { inTurn, listening, live } from "../draw/live.js";
import { longList, nextPage } from "../draw/long_list.js";
import { narrow } from "../draw/names.js";
import { empty, failure, loading, nothingYet } from "../draw/states.js";
import { named, t } from "../language.js";
import { href } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const PAGE = 50;
/** The most memories with some words, and the most that are sorted in another order than newest first. */
const MOST = 500;
/** The most that are read at once when the reader comes back. */
const MOST_AGAIN = 1000;
const STATUSES = [
  "active",
  "superseded",
  "contradicted",
  "consolidated",
  "completed",
  "quarantined",
  "expired",
  "forgotten",
];
const TIERS = ["pinned", "searchable", "archived"];
const GRANULARITIES = ["memory", "turn", "fact", "chunk"];
const NAMES = ["namespace", "kind", "tag", "status", "tier", "granularity", "since", "until"];

/**
 * Orders that the server does not have: the newest memories are read, then sorted.
 * @type {Record<string, (a: any, b: any) => number>}
 */
const ORDERS = {
  recalled: (a, b) => b.retrieval_count - a.retrieval_count,
  important: (a, b) => b.importance - a.importance,
};

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function browseView(root, context) {
  const place = h("div", { class: "long" });
  const told = h("p", { class: "quiet count" });
  const foot = h("div", { class: "foot" });
  const list = longList(place, "ul", "cards", ({ memory, facts }) => entry(memory, facts), context.signal);
  const next = inTurn(context.signal);
  const read = (/** @type {URLSearchParams} */ params) =>
    firstPage({ list, place, foot, told }, { ...context, signal: next() }, params);
  root.append(h("h1", {}, t("common.view.browse")), form(context, read), told, place, foot);
  await read(context.route.params);
}

/**
 * @param {Context} context
 * @param {(params: URLSearchParams) => Promise<void>} read
 */
function form({ route: { params }, namespaces, kinds }, read) {
  const value = (/** @type {string} */ name) => params.get(name) ?? "";
  /** @param {string} set @param {string[]} options @param {string} any @returns {[string, string][]} */
  const worded = (set, options, any) => [["", any], ...options.map((each) => /** @type {[string, string]} */ ([each, named(set, each)]))];
  const any = t("browse.any");
  const clear = h("p", { class: "row", hidden: !params.size }, h("a", { href: href("browse") }, t("browse.clear")));
  const changed = live(
    (filters) => href("browse", filters),
    (next) => {
      clear.hidden = !next.size;
      read(next);
    },
  );
  return h(
    "form",
    { class: "filters", ...listening(changed), "aria-label": t("browse.filters") },
    h(
      "div",
      { class: "fields" },
      field(t("browse.text"), input("text", value("text"), { type: "search", placeholder: t("browse.text_hint") }), "wide"),
    ),
    h(
      "details",
      { class: "folds", open: !narrow() || [...params.keys()].some((name) => name !== "text") },
      h("summary", {}, t("browse.filters")),
      h(
        "div",
        { class: "fields" },
        field(t("browse.namespace"), select("namespace", value("namespace"), [["", t("browse.all")], ...namespaces])),
        field(t("browse.kind"), select("kind", value("kind"), worded("browse.kinds", kinds, any))),
        field(t("browse.tag"), input("tag", value("tag"))),
        field(t("browse.status"), select("status", value("status"), worded("common.status", STATUSES, t("browse.not_forgotten")))),
        field(t("browse.tier"), select("tier", value("tier"), worded("browse.tiers", TIERS, any))),
        field(t("browse.granularity"), select("granularity", value("granularity"), worded("browse.sizes", GRANULARITIES, any))),
        field(t("browse.since"), input("since", value("since"), { type: "date" })),
        field(t("browse.until"), input("until", value("until"), { type: "date" })),
        field(t("browse.order"), select("order", value("order"), worded("browse.orders", ["oldest", ...Object.keys(ORDERS)], t("browse.newest")))),
      ),
    ),
    clear,
  );
}

/**
 * Where the list is drawn, and what stands around it.
 * @typedef {{list: import("../draw/long_list.js").LongList<any>, place: HTMLElement, foot: HTMLElement, told: HTMLElement}} Places
 */
/**
 * What was read: where the next page begins, how many are shown, and those that wait for the next page.
 * @typedef {{cursor: string | null, count: number, rest: any[]}} Reading
 */

/**
 * As many as the reader had before, when they come back.
 * @param {Places} places
 * @param {Context} context
 * @param {URLSearchParams} params
 */
async function firstPage(places, context, params) {
  places.list.set([]);
  const limit = Math.min(Math.max(PAGE, context.before), MOST_AGAIN);
  await more(places, context, params, { cursor: null, count: 0, rest: [] }, limit);
}

/**
 * Shows the next page.
 * @param {Places} places
 * @param {Context} context
 * @param {URLSearchParams} params
 * @param {Reading} read
 * @param {number} [limit]
 */
async function more(places, context, params, read, limit = PAGE) {
  const { list, place, foot, told } = places;
  show(foot, loading());
  try {
    const found = await page(params, read.cursor, limit, context.signal);
    const all = found.next === null;
    const order = ORDERS[params.get("order") ?? ""];
    const memories = [...read.rest, ...found.memories];
    const [ready, rest] = order ? [memories.toSorted(order), memories] : settled(memories, all);
    if (order) list.set(grouped(ready));
    else list.add(grouped(ready));
    const next = { cursor: found.next, count: order ? ready.length : read.count + ready.length, rest };
    place.setAttribute("data-shown", String(next.count));
    context.announce(t("browse.shown", { count: next.count }));
    show(told, counted(params, next));
    show(foot, ending(next, context, () => more(places, context, params, next)));
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return;
    show(
      foot,
      failure(/** @type {Error} */ (error), () => more(places, context, params, read, limit)),
    );
  }
}

/**
 * Leaves out the last message and its facts while more of them may follow.
 * @param {any[]} memories
 * @param {boolean} all whether nothing follows
 */
function settled(memories, all) {
  const last = memories.at(-1);
  if (all || !last?.session_id) return [memories, []];
  const from = memories.findLastIndex((each) => spot(each) !== spot(last)) + 1;
  return from ? [memories.slice(0, from), memories.slice(from)] : [memories, []];
}

/**
 * A message with the facts that were taken from it in one entry.
 * @param {any[]} memories
 */
function grouped(memories) {
  const turns = new Map(memories.filter((each) => each.granularity === "turn").map((each) => [spot(each), each.id]));
  const facts = new Map();
  const alone = memories.filter((each) => {
    const turn = each.granularity === "fact" && each.session_id && turns.get(spot(each));
    if (turn) facts.set(turn, [...(facts.get(turn) ?? []), each]);
    return !turn;
  });
  return alone.map((memory) => ({ memory, facts: facts.get(memory.id) ?? [] }));
}

/** @param {any} memory @param {any[]} facts */
const entry = (memory, facts) =>
  card(memory, reasons(memory), facts.length > 0 && h("ul", { class: "own-facts" }, facts.map((fact) => card(fact))));

/** @param {any} memory */
const spot = ({ namespace, session_id, turn }) => JSON.stringify([namespace, session_id, turn]);

/**
 * How many are shown, and whether these are all.
 * @param {URLSearchParams} params
 * @param {Reading} read
 */
function counted(params, { cursor, count }) {
  if (cursor === null && count === MOST && params.get("text")) return t("browse.first", { count });
  if (cursor === null) return count ? t("browse.in_all", { count }) : "";
  if (ORDERS[params.get("order") ?? ""]) return t("browse.sorted", { count });
  return t("browse.so_far", { count });
}

/**
 * @param {Reading} read
 * @param {Context} context
 * @param {() => void} go
 */
function ending({ cursor, count }, { memories, signal }, go) {
  if (cursor !== null) return nextPage(t("browse.more"), signal, go);
  if (count) return h("p", { class: "quiet" }, t("browse.in_all", { count }));
  return memories ? empty(t("browse.none"), t("browse.none_hint")) : nothingYet();
}

/**
 * One page of memories that match the filters; all at once where words are searched.
 * @param {URLSearchParams} params
 * @param {string | null} cursor
 * @param {number} limit
 * @param {AbortSignal} signal
 */
async function page(params, cursor, limit, signal) {
  const query = Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ""]));
  const words = (params.get("text") ?? "").trim();
  if (/[\p{L}\p{N}]/u.test(words)) {
    const { memories } = await ask("GET", "matching", { query: { ...query, words, limit: MOST }, signal });
    return { memories: params.get("order") === "oldest" ? memories.reverse() : memories, next: null };
  }
  const order = params.get("order");
  if (order === "oldest") return ask("GET", "memories", { query: { ...query, order, limit, cursor }, signal });
  return ask("GET", "memories", { query: { ...query, limit: order ? MOST : limit, cursor }, signal });
}
