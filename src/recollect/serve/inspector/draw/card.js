// A memory in a list.

import { h, prose } from "../dom.js";
import { day as dayOf, dayInWords, shortened } from "../format.js";
import { named as worded, t } from "../language.js";
import { href, memoryHref, talkHref } from "../route.js";
import { daysInWords } from "../when.js";

/**
 * When a turn or fact was said.
 * @param {any} memory
 */
const said = (memory) => (memory.turn === null ? null : memory.valid_from);

/**
 * The time that the text names.
 * @param {any} memory
 */
function named(memory) {
  const { start, end, uncertain, repeats } = memory.metadata?.when ?? {};
  if (repeats) return t("memory.repeats", { how: repeats });
  if (!start || !end || (start === end && start === dayOf(said(memory)))) return "";
  const days = daysInWords(start, end);
  return t("memory.when", { days: uncertain ? t("memory.about", { days }) : days });
}

/**
 * Kind, day, the time it names, tags, and badges for an unusual status, tier or trust.
 * @param {any} memory
 */
export function meta(memory) {
  const when = named(memory);
  const day = dayInWords(said(memory) ?? memory.occurred_at ?? memory.created_at);
  return h(
    "p",
    { class: "meta" },
    h("span", {}, worded("browse.kinds", memory.kind)),
    h("span", {}, when ? t("home.told", { day }) : day),
    when && h("span", {}, when),
    !["memory", memory.kind].includes(memory.granularity) && h("span", {}, worded("browse.sizes", memory.granularity)),
    memory.role && h("span", {}, worded("conversations.role", memory.role)),
    ...badges(memory),
    memory.session_id && memory.turn !== null && h("a", { href: talkHref(memory) }, t("common.in_talk")),
    memory.tags.map((/** @type {string} */ tag) => h("a", { class: "tag", href: href("browse", { tag }) }, prose(`#${tag}`))),
  );
}

/** @param {any} memory */
export function badges(memory) {
  return [
    memory.status !== "active" && h("span", { class: `badge ${memory.status}` }, worded("common.status", memory.status)),
    memory.tier !== "searchable" && h("span", { class: `badge ${memory.tier}` }, worded("browse.tiers", memory.tier)),
    memory.trust !== "user" && h("span", { class: "badge trust" }, worded("memory.trust", memory.trust)),
  ];
}

/**
 * The link that opens it; `j` and `k` move between these.
 * @param {any} memory
 * @param {number} [most] characters
 */
export function opener(memory, most = 600) {
  return h("a", { class: "open", "data-open": true, href: memoryHref(memory.id) }, prose(shortened(memory.text, most)));
}

/**
 * @param {any} memory
 * @param {...(Node | null | false)} more
 */
export function card(memory, ...more) {
  return h("li", { class: "card", "data-item": memory.id }, opener(memory, 280), meta(memory), more);
}

/**
 * Why it was quarantined.
 * @param {any} memory
 */
export function reasons(memory) {
  const told = memory.metadata?.quarantine;
  const list = Array.isArray(told) ? told : (told?.reasons ?? (told ? [told] : []));
  if (!list.length) return null;
  return h(
    "ul",
    { class: "reasons" },
    list.map((/** @type {unknown} */ each) =>
      h("li", {}, prose(typeof each === "string" ? worded("memory.reason", each) : JSON.stringify(each))),
    ),
  );
}
