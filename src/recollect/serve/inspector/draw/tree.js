// The explanation of a score as a tree that can be walked with the arrow keys.

import { sharesOf } from "../contributions.js";
import { h, prose } from "../dom.js";
import { number, words } from "../format.js";
import { filledIn, written } from "../formula.js";
import { t } from "../language.js";

/** @typedef {import("../contributions.js").Explanation} Explanation */

const OPEN_LEVELS = 2;

/**
 * @param {Explanation} score
 * @param {string} label
 */
export function explanationTree(score, label) {
  const tree = h("ul", { class: "tree", role: "tree", "aria-label": label, onkeydown: walked, onclick: clicked });
  tree.append(item(score, 1, 1));
  focusable(tree, rows(tree)[0]);
  return tree;
}

/**
 * @param {Explanation} node
 * @param {number} level
 * @param {number} share of the whole score
 * @returns {HTMLElement}
 */
function item(node, level, share) {
  const parts = node.parts ?? [];
  const open = parts.length > 0 && level <= OPEN_LEVELS;
  const named = `${words(node.name)} ${number(node.value)}${node.note ? `, ${node.note}` : ""}`;
  const row = h("li", {
    role: "treeitem",
    tabindex: "-1",
    "aria-level": level,
    "aria-label": node.formula ? t("ask.computed", { value: named, formula: written(node.formula) }) : named,
    "aria-expanded": parts.length ? String(open) : null,
  });
  row.append(line(node, share), ...arithmetic(node));
  if (parts.length) {
    const group = h("ul", { role: "group" });
    const shares = sharesOf(node);
    // Parts of a long explanation are drawn when they are first opened.
    const fill = () => group.append(...parts.map((part) => item(part, level + 1, share * (shares[part.name] ?? 0))));
    if (open) fill();
    else row.addEventListener("opened", fill, { once: true });
    row.append(group);
  }
  return row;
}

/**
 * @param {Explanation} node
 * @param {number} share
 */
function line(node, share) {
  const bar = h("span", { class: "share", "aria-hidden": "true" }, h("span", {}));
  /** @type {HTMLElement} */ (bar.firstChild).style.width = `${share * 100}%`;
  return h(
    "div",
    { class: "line" },
    h("span", { class: "twisty", "aria-hidden": "true" }),
    h("span", { class: "name" }, words(node.name)),
    h("span", { class: "value" }, number(node.value)),
    share > 0.004 && bar,
    node.note && h("span", { class: "note" }, prose(node.note)),
  );
}

/** @param {Explanation} node */
function arithmetic(node) {
  if (!node.formula) return [];
  const values = new Map((node.parts ?? []).map((part) => [part.name, number(part.value)]));
  const numbers = filledIn(node.formula, (name) => values.get(name));
  const same = numbers === node.formula || numbers === number(node.value);
  return [
    h(
      "div",
      { class: "formula" },
      h("span", {}, `= ${written(node.formula)}`),
      !same && h("span", {}, `= ${written(numbers)}`),
    ),
  ];
}

// Walking ----------------------------------------------------------------------------------------

/** @param {Element} tree */
const rows = (tree) =>
  /** @type {HTMLElement[]} */ ([...tree.querySelectorAll("[role=treeitem]")]).filter(
    (row) => row.offsetParent !== null || !row.isConnected,
  );

/**
 * @param {Element} tree
 * @param {HTMLElement} row
 */
function focusable(tree, row) {
  tree.querySelectorAll("[tabindex='0']").forEach((other) => other.setAttribute("tabindex", "-1"));
  row.setAttribute("tabindex", "0");
}

/**
 * @param {HTMLElement} row
 * @param {boolean} open
 */
function setOpen(row, open) {
  if (!row.hasAttribute("aria-expanded")) return;
  if (open) row.dispatchEvent(new Event("opened"));
  row.setAttribute("aria-expanded", String(open));
}

/** @param {Event} event */
function clicked(event) {
  const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[role=treeitem]"));
  if (!row || getSelection()?.toString()) return;
  setOpen(row, row.getAttribute("aria-expanded") === "false");
  moved(/** @type {Element} */ (event.currentTarget), row);
}

/**
 * @param {Element} tree
 * @param {HTMLElement | null | undefined} row
 */
function moved(tree, row) {
  if (!row) return;
  focusable(tree, row);
  row.focus();
}

/** @param {KeyboardEvent} event */
function walked(event) {
  const row = /** @type {HTMLElement} */ (event.target);
  const tree = /** @type {Element} */ (event.currentTarget);
  const step = steps[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  step(tree, row);
}

/** @type {Record<string, (tree: Element, row: HTMLElement) => void>} */
const steps = {
  ArrowDown: (tree, row) => moved(tree, rows(tree)[rows(tree).indexOf(row) + 1]),
  ArrowUp: (tree, row) => moved(tree, rows(tree)[rows(tree).indexOf(row) - 1]),
  Home: (tree) => moved(tree, rows(tree)[0]),
  End: (tree) => moved(tree, rows(tree).at(-1)),
  ArrowRight: (tree, row) => {
    if (row.getAttribute("aria-expanded") === "false") setOpen(row, true);
    else moved(tree, /** @type {HTMLElement | null} */ (row.querySelector("[role=treeitem]")));
  },
  ArrowLeft: (tree, row) => {
    if (row.getAttribute("aria-expanded") === "true") setOpen(row, false);
    else moved(tree, /** @type {HTMLElement | null | undefined} */ (row.parentElement?.closest("[role=treeitem]")));
  },
  Enter: (_, row) => setOpen(row, row.getAttribute("aria-expanded") === "false"),
  " ": (_, row) => setOpen(row, row.getAttribute("aria-expanded") === "false"),
};
