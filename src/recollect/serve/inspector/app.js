// The page: who is here, which view is open, and what surrounds it.

import { ask, Problem } from "./api.js";
import { h, show } from "./dom.js";
import { failure } from "./draw/states.js";
import { shortened } from "./format.js";
import { keyCard, listen } from "./keys.js";
import { arrived, follow, putBack, TOP } from "./return.js";
import { parsed } from "./route.js";
import * as theme from "./theme.js";
import { askView } from "./views/ask.js";
import { browseView } from "./views/browse.js";
import { compareView } from "./views/compare.js";
import { memoryView } from "./views/memory.js";
import { overviewView } from "./views/overview.js";
import { profileView } from "./views/profile.js";
import { signIn } from "./views/signin.js";

/**
 * What a view is given.
 * @typedef {{
 *   route: import("./route.js").Route,
 *   session: import("./role.js").Session,
 *   recipes: {name: string, cite: string}[],
 *   namespaces: string[],
 *   kinds: string[],
 *   signal: AbortSignal,
 *   go: (to: string) => void,
 *   reload: () => void,
 *   notice: (text: string) => void,
 *   announce: (text: string) => void,
 *   title: (text: string) => void,
 * }} Context
 */

/** @type {Record<string, [string, (root: HTMLElement, context: Context) => Promise<void>]>} */
const VIEWS = {
  ask: ["Ask", askView],
  compare: ["Compare", compareView],
  browse: ["Browse", browseView],
  overview: ["Overview", overviewView],
  profile: ["Profile", profileView],
};
const NOTICE_MS = 6000;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const card = keyCard();

/** @type {Pick<Context, "session" | "recipes" | "namespaces" | "kinds"> | null} */
let around = null;
let leaving = new AbortController();

/** The session and the options of the selects; fetched once per session. */
async function surroundings() {
  const session = await ask("GET", "session");
  const [{ recipes }, { namespaces }, stats] = await Promise.all([
    ask("GET", "recipes"),
    ask("GET", "namespaces"),
    ask("GET", "stats"),
  ]);
  return {
    session,
    recipes,
    namespaces: Object.keys(namespaces).sort(),
    kinds: Object.keys(stats.by_kind ?? {}).sort(),
  };
}

async function open() {
  try {
    around = await surroundings();
  } catch (error) {
    around = null;
    drawTools();
    const outside = error instanceof Problem && [401, 403].includes(error.status);
    if (outside) signIn(main, open);
    else show(main, failure(/** @type {Error} */ (error), open));
    return;
  }
  drawTools();
  await draw();
}

/**
 * @param {import("./return.js").Place | null} [place] where the reader was in this view, when they come back to it;
 *   null leaves the page where it is
 */
async function draw(place = TOP) {
  const route = parsed(location.hash);
  if (!route || !around) return;
  leaving.abort();
  leaving = new AbortController();
  drawViews(route.view);
  const [name, view] = route.view === "memory" ? ["Memory", memoryView] : (VIEWS[route.view] ?? VIEWS.ask);
  title(route.params.get("q") || name);
  const held = document.activeElement?.closest(".filters [name]")?.getAttribute("name");
  const root = h("div", { class: `view ${route.view}` });
  show(main, root);
  const drawing = view(root, {
    ...around,
    route,
    signal: leaving.signal,
    go,
    reload: () => draw(null),
    notice,
    announce,
    title,
  });
  if (place) scrollTo(0, 0);
  focusOn(root, held ? `.filters [name=${held}]` : "[data-question]:placeholder-shown, [data-first]");
  await drawing;
  // Focus what came with the data, unless the user has gone elsewhere meanwhile.
  if (!root.isConnected || document.activeElement !== main) return;
  focusOn(root, "[data-first]");
  if (place) putBack(root, place);
}

/**
 * Focuses the control that was in use or is wanted, else the view itself.
 * @param {HTMLElement} root
 * @param {string} selector
 */
function focusOn(root, selector) {
  const control = /** @type {HTMLElement | null} */ (root.querySelector(selector));
  // On a phone a focused field opens the on-screen keyboard.
  const wanted = control && (matchMedia("(pointer: fine)").matches || control.matches("[data-first]"));
  (wanted ? control : main).focus({ preventScroll: !wanted });
}

/** @param {string} to */
function go(to) {
  if (location.hash === to) draw();
  else location.hash = to;
}

/** @param {string} text */
function title(text) {
  document.title = `${shortened(text, 60)} · recollect`;
}

// Around the view --------------------------------------------------------------------------------

/** @param {string} open */
function drawViews(open) {
  const links = Object.entries(VIEWS).map(([view, [name]]) =>
    h("a", { href: `#/${view}`, "aria-current": view === open ? "page" : null }, name),
  );
  show(/** @type {HTMLElement} */ (document.getElementById("views")), links);
}

function drawTools() {
  const dark = theme.current() === "dark";
  const tools = /** @type {HTMLElement} */ (document.getElementById("tools"));
  const who =
    around &&
    h(
      "span",
      { class: "who", title: `${around.session.name}: ${around.session.role}` },
      h("b", {}, around.session.namespace || "all"),
      ` ${around.session.role}`,
    );
  show(
    tools,
    who,
    h(
      "button",
      {
        type: "button",
        class: "icon",
        "aria-label": dark ? "Use light colours" : "Use dark colours",
        title: "Light or dark (t)",
        onclick: toggle,
      },
      dark ? "☀" : "☾",
    ),
    around &&
      h("button", { type: "button", class: "icon", "aria-label": "Keys", title: "Keys (?)", onclick: help }, "?"),
    around && h("button", { type: "button", class: "quiet-button", onclick: leave }, "Sign out"),
  );
  if (!around) show(/** @type {HTMLElement} */ (document.getElementById("views")));
}

function toggle() {
  theme.toggle();
  drawTools();
}

const help = () => card.showModal();

async function leave() {
  await ask("DELETE", "session").catch((error) => notice(error.message));
  open();
}

let fading = 0;

/** @param {string} text */
function notice(text) {
  clearTimeout(fading);
  show(/** @type {HTMLElement} */ (document.getElementById("notice")), h("p", {}, text));
  fading = setTimeout(() => show(/** @type {HTMLElement} */ (document.getElementById("notice"))), NOTICE_MS);
}

/**
 * Announces a text to screen readers only. The page shows it elsewhere.
 * @param {string} text
 */
function announce(text) {
  show(/** @type {HTMLElement} */ (document.getElementById("said")), text);
}

theme.begin();
theme.onSystemChange(drawTools);
document.body.append(card, h("div", { id: "said", class: "unseen", role: "status", "aria-live": "polite" }));
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => draw(arrived()));
addEventListener("signedout", open);
follow();
listen({ go, theme: toggle, help });
open();
