// Counts, growth, health and quarantined memories.

import { ask, memoryPath } from "../api.js";
import { h, show } from "../dom.js";
import { card, reasons } from "../draw/card.js";
import { growthChart } from "../draw/growth.js";
import { filled } from "../draw/states.js";
import { size } from "../format.js";
import { amount, named, t } from "../language.js";
import { actions } from "../role.js";
import { href } from "../route.js";

/** @typedef {import("../app.js").Context} Context */

const QUARANTINE_SHOWN = 10;
/** @type {Record<string, string>} filter → where its values are named */
const SETS = { status: "common.status", tier: "browse.tiers", kind: "browse.kinds", granularity: "browse.sizes" };

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function overviewView(root, context) {
  const place = h("div", {});
  const aside = h("section", { class: "panel quarantine", "aria-labelledby": "quarantine" });
  root.append(h("h1", {}, t("common.view.overview")), place);
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
      tile(t("overview.memories"), amount(stats.memories)),
      tile(t("overview.links"), amount(stats.links)),
      tile(t("overview.recalls"), amount(stats.recalls)),
      tile(t("overview.events"), amount(stats.events)),
      held > 0 && tile(named("common.status", "quarantined"), amount(held)),
      tile(t("overview.size"), size(stats.bytes)),
    ),
    h("section", { class: "panel" }, h("h2", {}, t("overview.growth")), growthChart(stats.growth ?? [])),
    h(
      "div",
      { class: "panels" },
      counts(t("overview.status"), stats.by_status, "status"),
      counts(t("overview.tiers"), stats.by_tier, "tier"),
      counts(t("overview.kinds"), stats.by_kind, "kind"),
      counts(t("overview.granularity"), stats.by_granularity, "granularity"),
      Object.keys(namespaces).length > 1 && counts(t("overview.namespaces"), namespaces, "namespace"),
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
      : h("p", { class: "quiet" }, t("overview.nothing")),
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
    h("a", { href: href("browse", { [filter]: name }) }, named(SETS[filter] ?? "", name)),
    h("span", { class: "figure" }, amount(count)),
    bar,
  );
}

/** @param {string | undefined} state of the embedding model */
function model(state) {
  if (state === "loading") return t("overview.loading_model");
  return state === "words only" && t("overview.words_only");
}

/** @param {any} stats */
function health(stats) {
  const unseen = stats.without_vector;
  const findings = [
    model(stats.health?.model),
    unseen > 0 && t("overview.no_vector", { count: unseen }),
  ].filter(Boolean);
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, t("overview.health")),
    findings.length
      ? h(
          "ul",
          { class: "findings" },
          findings.map((each) => h("li", {}, each)),
        )
      : h("p", { class: "well" }, t("overview.well")),
    h("p", { class: "quiet" }, t("overview.embedder", { name: stats.embedder }), " ", h("a", { href: href("manage", {}, "health") }, t("manage.health"))),
  );
}

/**
 * @param {HTMLElement} aside
 * @param {Context} context
 */
async function quarantine(aside, context) {
  const list = h("div", {});
  show(aside, h("h2", { id: "quarantine" }, t("manage.quarantine")), list);
  const query = { status: "quarantined", limit: QUARANTINE_SHOWN };
  await filled(
    list,
    () => ask("GET", "memories", { query, signal: context.signal }),
    (found) => {
      if (!found.memories.length) return [h("p", { class: "quiet" }, t("manage.quarantine_empty"))];
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
          t("manage.quarantine_hint"),
        ),
        held,
        found.next && h("a", { href: href("browse", { status: "quarantined" }) }, t("overview.show_all")),
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
      h("button", { type: "button", onclick: act("POST", memoryPath(memory.id, "restore"), t("overview.released")) }, t("manage.release")),
    offered.forget &&
      h(
        "button",
        { type: "button", class: "quiet-button", onclick: act("DELETE", memoryPath(memory.id), t("common.forgotten")) },
        t("overview.forget"),
      ),
  );
}
