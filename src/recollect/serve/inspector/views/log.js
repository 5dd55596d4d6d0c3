// What was asked, by whom, what was given, refused or used, and how long it took.

import { ask } from "../api.js";
import { h, prose, show, undisguised } from "../dom.js";
import { field, input, select } from "../draw/field.js";
import { inTurn, listening, live } from "../draw/live.js";
import { longList, nextPage } from "../draw/long_list.js";
import { rates } from "../draw/rates.js";
import { teller } from "../draw/teller.js";
import { empty, failure, filled, loading } from "../draw/states.js";
import { milliseconds, moment } from "../format.js";
import { t } from "../language.js";
import { href } from "../route.js";
import { recalledView } from "./recalled.js";

/** @typedef {import("../app.js").Context} Context */

const PAGE = 50;
/** The most that are read at once when the reader comes back. */
const MOST = 200;
/** Pages that are read in a row while the filters match nothing. */
const MOST_EMPTY_PAGES = 10;
const DAY_MS = 86_400_000;
const OWNER = "user";
/** The ids of the list that was drawn last, newest first. @type {string[]} */
let order = [];

/**
 * The entries before and after one in the list that the reader comes from.
 * @param {string} id
 */
export function beside(id) {
  const n = order.indexOf(id);
  return n < 0 ? {} : { newer: order[n - 1], older: order[n + 1] };
}

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function logView(root, context) {
  if (context.route.id) return recalledView(root, context);
  const chart = h("section", { class: "panel-plain", "aria-label": t("log.over_time") });
  const list = h("section", { "aria-label": t("log.list") });
  const next = inTurn(context.signal);
  const read = (/** @type {URLSearchParams} */ params) => listed(list, { ...context, signal: next() }, params);
  const form = filters(context, read);
  root.append(h("h1", {}, t("common.view.log")), h("p", { class: "quiet" }, t("log.hint")), chart, form, list);
  const drawn = filled(
    chart,
    () => ask("GET", "recalls/days", { signal: context.signal }),
    ({ days }) => (days.length ? [rates(days)] : []),
  );
  await Promise.all([drawn, read(context.route.params)]);
}

/**
 * @param {Context} context
 * @param {(params: URLSearchParams) => void} read
 */
function filters({ route: { params }, session, signal }, read) {
  const value = (/** @type {string} */ name) => params.get(name) ?? "";
  const changed = live((filters) => href("log", filters), read);
  const who = select("actor", value("actor"), [["", t("log.anyone")], ...named([value("actor")])]);
  if (session.role === "admin") askers(who, value("actor"), signal);
  return h(
    "form",
    { class: "filters fields", role: "search", ...listening(changed) },
    field(t("log.text"), input("text", value("text"), { type: "search", placeholder: t("log.text_example") }), "wide"),
    field(t("log.period"), select("period", value("period"), periods())),
    field(t("log.outcome"), select("outcome", value("outcome"), outcomes())),
    session.role === "admin" && field(t("log.who"), who),
  );
}

/**
 * Offers the owner and everybody who has a key.
 * @param {HTMLSelectElement} who
 * @param {string} chosen
 * @param {AbortSignal} signal
 */
async function askers(who, chosen, signal) {
  const { keys } = await ask("GET", "keys", { signal }).catch(() => ({ keys: [] }));
  const others = [OWNER, ...keys.map((/** @type {any} */ key) => key.name)].filter((name) => name !== chosen);
  who.append(...named(others).map(([value, words]) => h("option", { value }, words)));
}

/**
 * @param {string[]} actors
 * @returns {[string, string][]}
 */
const named = (actors) => actors.filter(Boolean).map((actor) => [actor, actor === OWNER ? teller(actor) : undisguised(actor)]);

/** @returns {[string, string][]} */
const periods = () => [
  ["", t("log.period.any")],
  ["today", t("log.period.today")],
  ["yesterday", t("log.period.yesterday")],
  ["week", t("log.period.week")],
  ["month", t("log.period.month")],
];

/** @returns {[string, string][]} */
const outcomes = () => [
  ["", t("log.outcome.any")],
  ["answered", t("log.outcome.answered")],
  ["refused", t("log.outcome.refused")],
  ["used", t("log.outcome.used")],
  ["unused", t("log.outcome.unused")],
];

/**
 * The days of the reader's own time zone.
 * @param {string | null} period
 */
function between(period) {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  /** @param {number} days */
  const before = (days) => new Date(midnight.getTime() - days * DAY_MS).toISOString();
  if (period === "yesterday") return { since: before(1), until: before(0) };
  const days = { today: 0, week: 6, month: 29 }[period ?? ""];
  return days === undefined ? {} : { since: before(days) };
}

/**
 * @param {HTMLElement} place
 * @param {Context} context
 * @param {URLSearchParams} params
 */
async function listed(place, context, params) {
  const items = h("div", { class: "long" });
  const foot = h("div", { class: "foot" });
  const list = longList(items, "ol", "cards", (recall) => row(recall, params), context.signal);
  order = [];
  show(place, items, foot);
  /** @param {string | null} before @param {number} [limit] */
  const more = async (before, limit) => {
    show(foot, loading());
    try {
      const next = await readOn(list, context, params, before, limit);
      show(foot, next !== null && nextPage(t("log.older"), context.signal, () => more(next)));
    } catch (error) {
      if (/** @type {Error} */ (error).name === "AbortError") return;
      show(foot, failure(/** @type {Error} */ (error), () => more(before)));
      return;
    }
    if (!items.children.length && !foot.children.length) show(foot, nothing(params));
  };
  await more(null, Math.min(Math.max(PAGE, context.before), MOST));
}

/**
 * Adds the next entries. A page can be empty before the end, so several are read in a row.
 * @param {import("../draw/long_list.js").LongList<any>} list
 * @param {Context} context
 * @param {URLSearchParams} params
 * @param {string | null} before
 * @param {number} [limit]
 * @returns {Promise<string | null>} where the next page begins
 */
async function readOn(list, { signal }, params, before, limit = PAGE) {
  const query = {
    ...between(params.get("period")),
    outcome: params.get("outcome"),
    text: params.get("text"),
    actor: params.get("actor"),
    limit,
  };
  let next = before;
  for (let page = 0; page < MOST_EMPTY_PAGES; page += 1) {
    const found = await ask("GET", "recalls", { query: { ...query, before: next }, signal });
    list.add(found.recalls);
    order.push(...found.recalls.map((/** @type {any} */ each) => each.id));
    next = found.before;
    if (found.recalls.length || next === null) break;
  }
  return next;
}

/** @param {URLSearchParams} params */
const nothing = (params) =>
  params.size ? empty(t("log.no_match"), h("a", { href: "#/log" }, t("log.show_all"))) : empty(t("log.empty"), t("log.empty_hint"));

/**
 * @param {any} recall
 * @param {URLSearchParams} params the filters, which the way back keeps
 */
function row(recall, params) {
  const link = h(
    "a",
    { class: "open", "data-open": true, href: href("log", Object.fromEntries(params), recall.id) },
    recall.query ? prose(recall.query) : h("i", {}, t("log.no_query")),
  );
  return h(
    "li",
    { class: "card", "data-item": recall.id },
    link,
    h(
      "p",
      { class: "meta" },
      h("span", {}, moment(recall.at)),
      h("span", { title: recall.actor }, prose(teller(recall.actor))),
      outcome(recall),
      recall.ms !== null && h("span", {}, t("log.ms", { ms: milliseconds(recall.ms) })),
    ),
  );
}

/** @param {any} recall */
export function outcome(recall) {
  if (recall.rejected !== null) return h("span", { class: "badge quarantined" }, t("log.refused"));
  const used = recall.hits.filter((/** @type {any} */ hit) => hit.used).length;
  const judged = recall.hits.some((/** @type {any} */ hit) => hit.used !== null);
  return h(
    "span",
    {},
    t("log.gave", { count: recall.hits.length }),
    judged && [" ", h("span", { class: used ? "badge used" : "badge" }, used ? t("log.used", { count: used }) : t("log.outcome.unused"))],
  );
}
