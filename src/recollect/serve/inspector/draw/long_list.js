// A list of any length. Only the pages near the screen are drawn; the others leave a space of their height.

import { h } from "../dom.js";

/** How far from the screen a page is still drawn. */
const NEAR = "1500px 0px";
/** How far from the screen the end of a list is when the next page comes. */
const COMES = "400px 0px";
/** Entries of a page that is drawn or left out as a whole. */
const PAGE = 50;

/**
 * @template Entry
 * @typedef {{set: (entries: Entry[]) => void, add: (entries: Entry[], first?: boolean) => void}} LongList
 */

/**
 * @template Entry
 * @param {Element} place
 * @param {"ul" | "ol"} tag
 * @param {string} kind the class of each page
 * @param {(entry: Entry) => HTMLElement} drawn
 * @param {AbortSignal} signal ends with the view
 * @returns {LongList<Entry>}
 */
export function longList(place, tag, kind, drawn, signal) {
  /** @type {Map<HTMLElement, Entry[]>} */
  const pages = new Map();
  /** @param {HTMLElement} page */
  const draw = (page) => {
    if (page.firstChild) return;
    page.append(...(pages.get(page) ?? []).map(drawn));
    page.style.minHeight = "";
  };
  /** @param {HTMLElement} page */
  const leave = (page) => {
    if (!page.firstChild || page.contains(document.activeElement)) return;
    page.style.minHeight = `${page.getBoundingClientRect().height}px`;
    page.replaceChildren();
  };
  const watching = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) (isIntersecting ? draw : leave)(/** @type {HTMLElement} */ (target));
    },
    { rootMargin: NEAR },
  );
  addEventListener("beforeprint", () => [...pages.keys()].forEach(draw), { signal });
  signal.addEventListener("abort", () => watching.disconnect());
  /** @param {Entry[]} entries @param {boolean} [first] whether they come before what is there */
  const add = (entries, first = false) => {
    const made = [];
    for (let n = 0; n < entries.length; n += PAGE) {
      const page = h(tag, { class: kind });
      pages.set(page, entries.slice(n, n + PAGE));
      draw(page);
      made.push(page);
    }
    place[first ? "prepend" : "append"](...made);
    for (const page of made) watching.observe(page);
    place.setAttribute("data-shown", String([...pages.values()].reduce((total, { length }) => total + length, 0)));
  };
  /** @param {Entry[]} entries */
  const set = (entries) => {
    watching.disconnect();
    pages.clear();
    place.replaceChildren();
    add(entries);
  };
  return { set, add };
}

/**
 * A button for the next page, which also comes by itself when the reader scrolls near it.
 * @param {string} words
 * @param {AbortSignal} signal
 * @param {() => void} go
 */
export function nextPage(words, signal, go) {
  let gone = false;
  const once = () => {
    if (gone || signal.aborted) return;
    gone = true;
    watching.disconnect();
    go();
  };
  const button = h("button", { type: "button", onclick: once }, words);
  const watching = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && once(), { rootMargin: COMES });
  // Not before the reader has moved: what is on the screen stays as it is.
  addEventListener("scroll", () => watching.observe(button), { once: true, passive: true, signal });
  return button;
}
