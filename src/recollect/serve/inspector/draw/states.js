// What a view shows while it loads, when it is empty, and after an error.

import { h, show } from "../dom.js";
import { t } from "../language.js";

/** @param {string} [what] */
export const loading = (what = t("common.loading")) => h("p", { class: "loading", role: "status" }, what);

/**
 * @param {string} title
 * @param {...(Node | string)} rest
 */
export const empty = (title, ...rest) =>
  h("div", { class: "empty" }, h("p", {}, h("b", {}, title)), rest.length > 0 && h("p", {}, rest));

/** What a view says before anything was remembered. */
export const nothingYet = () => empty(t("home.start"), h("a", { href: "#/home" }, t("home.begin")));

/**
 * @param {Error} error
 * @param {() => void} [again]
 */
export const failure = (error, again) =>
  h(
    "div",
    { class: "failure", role: "alert" },
    h("p", {}, error.message),
    again && h("button", { type: "button", onclick: again }, t("common.try_again")),
  );

/**
 * Fills an element with the result of a request. Shows a message while it loads and after an error.
 * @template T
 * @param {Element} place
 * @param {() => Promise<T>} fetched
 * @param {(found: T) => Node | Node[]} drawn
 */
export async function filled(place, fetched, drawn) {
  show(place, loading());
  place.setAttribute("aria-busy", "true");
  try {
    show(place, drawn(await fetched()));
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return;
    show(
      place,
      failure(/** @type {Error} */ (error), () => filled(place, fetched, drawn)),
    );
  } finally {
    place.removeAttribute("aria-busy");
  }
}
