// Counts, growth, health and quarantined memories.

import { ask, memoryPath } from "../api.js";
import { h, show } from "../dom.js";
import { card, reasons } from "../draw/card.js";
import { growthChart } from "../draw/growth.js";
import { filled } from "../draw/states.js";
import { counted, size } from "../format.js";
import { actions } from "../role.js";
import { href } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const QUARANTINE_SHOWN = 10;

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function overviewView(root, context) {
  const place = h("div", {});
  const aside = h("section", { class: "panel quarantine", "aria-labelledby": "quarantine" });
  root.append(h("h1", {}, "Overview"), place);
  await filled(
    place,
    () => Promise.all(["stats", "namespaces"].map((path) => ask("GET", path, { signal: context.signal }))),
    ([stats, { namespaces }]) => drawn(stats, namespaces, aside),
  );
  if (aside.isConnected) await quarantine(aside, context);
}

/**
 * @param {any} stats
 * @param {Record<string, number>} namespaces
 * @param {HTMLElement} aside
 */
function drawn(stats, namespaces, aside) {
  const held = stats.by_status.quarantined ?? 0;
  return [
    h(
      "dl",
      { class: "tiles" },
      tile("memories", stats.memories.toLocaleString("en")),
      tile("links", stats.links.toLocaleString("en")),
      tile("recalls", stats.recalls.toLocaleString("en")),
      tile("events", stats.events.toLocaleString("en")),
      held > 0 && tile("quarantined", held.toLocaleString("en")),
      tile("text", size(stats.bytes)),
    ),
    h("section", { class: "panel" }, h("h2", {}, "Growth"), growthChart(stats.growth ?? [])),
    h(
      "div",
      { class: "panels" },
      counts("Status", stats.by_status, "status"),
      counts("Tiers", stats.by_tier, "tier"),
      counts("Kinds", stats.by_kind, "kind"),
      counts("Granularity", stats.by_granularity, "granularity"),
      Object.keys(namespaces).length > 1 && counts("Namespaces", namespaces, "namespace"),
    ),
    health(stats),
    aside,
  ];
}

/**
 * @param {string} name
 * @param {string} value
 */
const tile = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

/**
 * @param {string} title
 * @param {Record<string, number>} numbers
 * @param {string} filter
 */
function counts(title, numbers, filter) {
  const listed = Object.entries(numbers)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...listed.map(([, count]) => count));
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, title),
    listed.length
      ? h(
          "ul",
          { class: "counts" },
          listed.map(([name, count]) => countRow(name, count, most, filter)),
        )
      : h("p", { class: "quiet" }, "Nothing yet."),
  );
}

/**
 * @param {string} name
 * @param {number} count
 * @param {number} most
 * @param {string} filter
 */
function countRow(name, count, most, filter) {
  const bar = h("span", { class: "length", "aria-hidden": "true" });
  bar.style.width = `${(count / most) * 100}%`;
  return h(
    "li",
    {},
    h("a", { href: href("browse", { [filter]: name }) }, name),
    h("span", { class: "figure" }, count.toLocaleString("en")),
    bar,
  );
}

/** @type {Record<string, string>} */
const MODEL = {
  loading: "The embedding model is still loading. Recalls that need it wait.",
  "words only": "The embedding model can't be loaded, so recalls use words only. `recollect doctor` says why.",
};

/** @param {any} stats */
function health(stats) {
  const unseen = stats.without_vector;
  const findings = [
    MODEL[stats.health?.model],
    unseen > 0 && `${counted(unseen, "memory has", "memories have")} no vector: \`recollect reembed\` adds it.`,
  ].filter(Boolean);
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, "Health"),
    findings.length
      ? h(
          "ul",
          { class: "findings" },
          findings.map((each) => h("li", {}, each)),
        )
      : h("p", { class: "well" }, "No problems found."),
    h("p", { class: "quiet" }, `Vectors come from the embedder ${stats.embedder}.`),
  );
}

/**
 * @param {HTMLElement} aside
 * @param {Context} context
 */
async function quarantine(aside, context) {
  const list = h("div", {});
  show(aside, h("h2", { id: "quarantine" }, "Quarantine"), list);
  const query = { status: "quarantined", limit: QUARANTINE_SHOWN };
  await filled(
    list,
    () => ask("GET", "memories", { query, signal: context.signal }),
    (found) => {
      if (!found.memories.length) return [h("p", { class: "quiet" }, "Nothing is quarantined.")];
      const held = h(
        "ul",
        { class: "cards" },
        found.memories.map((/** @type {any} */ memory) =>
          card(
            memory,
            reasons(memory),
            releasing(memory, context, () => quarantine(aside, context)),
          ),
        ),
      );
      return [
        h(
          "p",
          { class: "quiet" },
          "Texts of other writers that look like instructions to a model or contain secrets. No recipe recalls them.",
        ),
        held,
        found.next && h("a", { href: href("browse", { status: "quarantined" }) }, "Show all"),
      ].filter(Boolean);
    },
  );
}

/**
 * @param {any} memory
 * @param {Context} context
 * @param {() => void} after
 */
function releasing(memory, { session, notice }, after) {
  const offered = actions(session, memory);
  /** @param {string} method @param {string} path @param {string} said */
  const act = (method, path, said) => async () => {
    await ask(method, path).then(
      () => notice(said),
      (error) => notice(error.message),
    );
    after();
  };
  if (!offered.release && !offered.forget) return null;
  return h(
    "div",
    { class: "row" },
    offered.release &&
      h("button", { type: "button", onclick: act("POST", memoryPath(memory.id, "restore"), "Released.") }, "Release"),
    offered.forget &&
      h(
        "button",
        { type: "button", class: "quiet-button", onclick: act("DELETE", memoryPath(memory.id), "Forgotten.") },
        "Forget",
      ),
  );
}
