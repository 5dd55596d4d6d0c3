// Going back to a list restores its scroll position and focus.

/** @typedef {{y: number, item: string | null, shown: number}} Place `shown` is how long its list was */

/** @type {Place} */
export const TOP = { y: 0, item: null, shown: 0 };

/** @type {Map<number, Place>} */
const places = new Map();
let entry = 0;
let entries = 0;

/** Numbers the entries of the browser's history, to recognise one that is visited again. */
export function follow() {
  history.scrollRestoration = "manual";
  addEventListener("scroll", note, { passive: true });
  addEventListener("focusin", note);
  numbered();
}

function note() {
  const item = document.activeElement?.closest("[data-item]")?.getAttribute("data-item") ?? null;
  const shown = Number(document.querySelector("[data-shown]")?.getAttribute("data-shown") ?? 0);
  places.set(entry, { y: scrollY, item, shown });
}

function numbered() {
  entries += 1;
  entry = entries;
  history.replaceState({ entry }, "");
}

/**
 * To be called when the address has changed.
 * @returns {Place} where the reader was, or the top of what is new
 */
export function arrived() {
  const known = history.state?.entry;
  if (known === undefined) {
    numbered();
    return TOP;
  }
  entry = known;
  return places.get(known) ?? TOP;
}

/**
 * @param {HTMLElement} root
 * @param {Place} place
 */
export function putBack(root, { y, item }) {
  const link = item && root.querySelector(`[data-item="${CSS.escape(item)}"] [data-open]`);
  if (link) /** @type {HTMLElement} */ (link).focus({ preventScroll: true });
  if (y) scrollTo(0, y);
}
