// Lists memories, with filters.

import { ask } from "../api.js";
import { h, show } from "../dom.js";
import { card, reasons } from "../draw/card.js";
import { field, given, input, select } from "../draw/field.js";
import { empty, failure, loading } from "../draw/states.js";
import { counted } from "../format.js";
import { href } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const PAGE = 50;
/** A search for text asks after this many memories whether to continue. */
const READ_ON = 1000;
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
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function browseView(root, context) {
  const list = h("ul", { class: "cards" });
  const foot = h("div", { class: "foot" });
  root.append(h("h1", {}, "Browse"), form(context), list, foot);
  await more(context, list, foot, null, { shown: 0, looked: 0 });
}

/** @param {Context} context */
function form({ route: { params }, namespaces, kinds, go }) {
  const value = (/** @type {string} */ name) => params.get(name) ?? "";
  const any = (/** @type {string[]} */ options) =>
    /** @type {[string, string][]} */ ([["", "any"], ...options.map((each) => [each, each])]);
  /** @param {Event} event */
  const sent = (event) => {
    event.preventDefault();
    const to = href("browse", given(/** @type {HTMLFormElement} */ (event.currentTarget)));
    // Enter in a field causes both a change and a submission.
    if (to !== location.hash) go(to);
  };
  return h(
    "form",
    { class: "filters", onsubmit: sent, onchange: sent, "aria-label": "Filters" },
    h(
      "div",
      { class: "fields" },
      field("Text", input("text", value("text"), { type: "search", placeholder: "text contains …" }), "wide"),
      field("Namespace", select("namespace", value("namespace"), [["", "all"], ...namespaces])),
      field("Kind", select("kind", value("kind"), any(kinds))),
      field("Tag", input("tag", value("tag"))),
      field("Status", select("status", value("status"), [["", "all but forgotten"], ...STATUSES])),
      field("Tier", select("tier", value("tier"), any(TIERS))),
      field("Granularity", select("granularity", value("granularity"), any(GRANULARITIES))),
      field("Since", input("since", value("since"), { type: "date" })),
      field("Until", input("until", value("until"), { type: "date" })),
    ),
    params.size > 0 && h("p", { class: "row" }, h("a", { href: href("browse") }, "Clear all filters")),
  );
}

/**
 * @param {Context} context
 * @param {HTMLElement} list
 * @param {HTMLElement} foot
 * @param {string | null} cursor
 * @param {{shown: number, looked: number}} before how many are shown already, of how many that were read
 */
async function more(context, list, foot, cursor, before) {
  const { params } = context.route;
  show(foot, loading());
  try {
    const found = await page(params, cursor, context.signal);
    list.append(...found.memories.map((/** @type {any} */ memory) => card(memory, reasons(memory))));
    const shown = before.shown + found.memories.length;
    const looked = before.looked + found.looked;
    context.announce(`${counted(shown, "memory", "memories")} shown`);
    const go = () => more(context, list, foot, found.next, { shown, looked });
    show(foot, ending(found.next === null, shown, looked, go));
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return;
    show(
      foot,
      failure(/** @type {Error} */ (error), () => more(context, list, foot, cursor, before)),
    );
  }
}

/**
 * @param {boolean} all whether nothing is left to read
 * @param {number} shown
 * @param {number} looked
 * @param {() => void} go
 */
function ending(all, shown, looked, go) {
  if (all && shown === 0) return [empty("No memories.", "No memory matches these filters.")];
  const count = counted(shown, "memory", "memories");
  const among = looked > shown ? `${count} among ${looked.toLocaleString("en")}` : count;
  if (all) return [h("p", { class: "quiet" }, `${among} in all.`)];
  return [h("p", { class: "quiet" }, `${among} so far.`), h("button", { type: "button", onclick: go }, "Show more")];
}

/**
 * One page of memories that match the filters. The text is searched here, in the pages that the server returns.
 * @param {URLSearchParams} params
 * @param {string | null} cursor
 * @param {AbortSignal} signal
 */
async function page(params, cursor, signal) {
  const text = (params.get("text") ?? "").toLocaleLowerCase();
  const query = Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ""]));
  const memories = [];
  let looked = 0;
  do {
    const found = await ask("GET", "memories", { query: { ...query, limit: PAGE, cursor }, signal });
    memories.push(
      ...found.memories.filter(
        (/** @type {any} */ each) => !text || `${each.text} ${each.gist}`.toLocaleLowerCase().includes(text),
      ),
    );
    looked += found.memories.length;
    cursor = found.next;
  } while (text && cursor !== null && memories.length < PAGE && looked < READ_ON);
  return { memories, next: cursor, looked };
}
