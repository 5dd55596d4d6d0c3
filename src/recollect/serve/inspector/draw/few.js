// A list that shows its first few items, and the rest on request.

import { h } from "../dom.js";
import { t } from "../language.js";

/**
 * @param {"ul" | "ol"} tag
 * @param {string} kind
 * @param {number} most
 * @param {HTMLElement[]} items
 */
export function few(tag, kind, most, items) {
  const list = h(tag, { class: kind }, items.slice(0, most));
  const rest = items.slice(most);
  if (!rest.length) return list;
  const more = h("button", { type: "button", class: "quiet-button" }, t("memory.more", { count: rest.length }));
  more.addEventListener("click", () => {
    list.append(...rest);
    more.remove();
  });
  return h("div", {}, list, more);
}
