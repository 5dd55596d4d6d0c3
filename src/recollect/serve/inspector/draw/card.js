// A memory in a list.

import { h, prose } from "../dom.js";
import { day, shortened } from "../format.js";
import { href, memoryHref } from "../route.js";

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
  if (repeats) return `repeats ${repeats}`;
  if (!start || !end || (start === end && start === day(said(memory)))) return "";
  return `${uncertain ? "about " : ""}${start === end ? start : `${start} to ${end}`}`;
}

/**
 * Kind, day, the time it names, tags, and badges for an unusual status, tier or trust.
 * @param {any} memory
 */
export function meta(memory) {
  return h(
    "p",
    { class: "meta" },
    h("span", {}, memory.kind),
    h("span", {}, day(said(memory) ?? memory.occurred_at ?? memory.created_at)),
    named(memory) && h("span", {}, named(memory)),
    !["memory", memory.kind].includes(memory.granularity) && h("span", {}, memory.granularity),
    memory.role && h("span", {}, memory.role),
    ...badges(memory),
    memory.tags.map((/** @type {string} */ tag) => h("a", { class: "tag", href: href("browse", { tag }) }, `#${tag}`)),
  );
}

/** @param {any} memory */
export function badges(memory) {
  return [
    memory.status !== "active" && h("span", { class: `badge ${memory.status}` }, memory.status),
    memory.tier !== "searchable" && h("span", { class: `badge ${memory.tier}` }, memory.tier),
    memory.trust !== "user" && h("span", { class: "badge trust" }, `from ${memory.trust}`),
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
      h("li", {}, prose(typeof each === "string" ? each : JSON.stringify(each))),
    ),
  );
}
