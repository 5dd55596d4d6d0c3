// All views of the page: one row each.

import { askView } from "./views/ask.js";
import { browseView } from "./views/browse.js";
import { compareView } from "./views/compare.js";
import { conversationsView } from "./views/conversations.js";
import { graphView } from "./views/graph.js";
import { homeView } from "./views/home.js";
import { logView } from "./views/log.js";
import { manageView } from "./views/manage.js";
import { memoryView } from "./views/memory.js";
import { overviewView } from "./views/overview.js";

/**
 * `place`: "main" views are in the bar and have the number keys, in this order; "calm" ones follow in small print;
 * "none" are opened from elsewhere. The name of a view is the string `common.view.NAME`.
 * @typedef {{name: string, place: "main" | "calm" | "none",
 *   draw: (root: HTMLElement, context: import("./app.js").Context) => Promise<void>}} View
 */

/** @type {View[]} */
export const VIEWS = [
  { name: "home", place: "main", draw: homeView },
  { name: "ask", place: "main", draw: askView },
  { name: "conversations", place: "main", draw: conversationsView },
  { name: "browse", place: "main", draw: browseView },
  { name: "graph", place: "calm", draw: graphView },
  { name: "log", place: "main", draw: logView },
  { name: "manage", place: "main", draw: manageView },
  { name: "compare", place: "calm", draw: compareView },
  { name: "overview", place: "calm", draw: overviewView },
  { name: "memory", place: "none", draw: memoryView },
];

export const MAIN = VIEWS.filter(({ place }) => place === "main");
export const CALM = VIEWS.filter(({ place }) => place === "calm");

/** Addresses of earlier versions. @type {Record<string, string>} */
const FORMER = { profile: "home" };

/** @param {string} name @returns {View} the first view for a name that is unknown */
export const viewNamed = (name) => VIEWS.find((each) => each.name === (FORMER[name] ?? name)) ?? VIEWS[0];
