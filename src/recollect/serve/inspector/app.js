// The page: who is here, which view is open, and what surrounds it.

import { ask, Problem } from "./api.js";
import { h, show } from "./dom.js";
import { failure } from "./draw/states.js";
import { shortened } from "./format.js";
import { keyCard, listen } from "./keys.js";
import { choose, language, LANGUAGES, named, t } from "./language.js";
import { arrived, follow, putBack, TOP } from "./return.js";
import { parsed } from "./route.js";
import * as theme from "./theme.js";
import { dismiss, toast } from "./toast.js";
import { CALM, MAIN, viewNamed } from "./views.js";
import { signIn } from "./views/signin.js";

/**
 * What a view is given. `before` is how long its list was when the reader left it; 0 when they come anew.
 * @typedef {{
 *   route: import("./route.js").Route,
 *   session: import("./role.js").Session,
 *   recipes: {name: string, cite: string}[],
 *   namespaces: string[],
 *   kinds: string[],
 *   memories: number,
 *   held: number,
 *   days: {first: string, last: string},
 *   signal: AbortSignal,
 *   go: (to: string) => void,
 *   reload: () => void,
 *   refresh: () => void,
 *   restart: () => void,
 *   notice: (text: string, undo?: () => unknown) => void,
 *   announce: (text: string) => void,
 *   title: (text: string) => void,
 *   before: number,
 * }} Context
 */

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let card = keyCard();

/** @type {Pick<Context, "session" | "recipes" | "namespaces" | "kinds" | "memories" | "held" | "days"> | null} */
let around = null;
let leaving = new AbortController();
let outdated = false;
let draws = 0;

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
    memories: stats.memories,
    held: stats.by_status?.quarantined ?? 0,
    days: { first: stats.growth?.[0]?.day ?? today(), last: today() },
  };
}

/** Reads what surrounds the view again, because something was changed. */
async function renewed() {
  outdated = false;
  around = await surroundings().catch(() => around);
}

const today = () => new Date().toISOString().slice(0, 10);

async function open() {
  try {
    around = await surroundings();
  } catch (error) {
    around = null;
    drawTools();
    const outside = error instanceof Problem && [401, 403].includes(error.status);
    if (outside) signIn(main, open), told();
    else show(main, failure(/** @type {Error} */ (error), open));
    return;
  }
  drawTools();
  await draw();
  told();
}

/** A login link that did not work leads here. */
function told() {
  if (new URLSearchParams(location.search).get("link") !== "used") return;
  history.replaceState(history.state, "", `/${location.hash}`);
  toast(t("signin.link_used"));
}

/**
 * @param {import("./return.js").Place | null} [place] where the reader was in this view, when they come back to it;
 *   null leaves the page where it is
 */
async function draw(place = TOP) {
  draws += 1;
  const mine = draws;
  if (outdated) await renewed();
  // The reader has gone on meanwhile.
  if (mine !== draws) return;
  const route = parsed(location.hash);
  if (!route || !around) return;
  leaving.abort();
  leaving = new AbortController();
  card.close();
  const view = viewNamed(route.view);
  drawViews(view.name === "memory" ? "browse" : view.name);
  title(route.params.get("q") || named("common.view", view.name));
  const held = inUse();
  const root = h("div", { class: `view ${view.name}` });
  show(main, root);
  const drawing = view.draw(root, {
    ...around,
    route,
    signal: leaving.signal,
    go,
    reload: () => draw(null),
    refresh: () => draw(null),
    restart: open,
    notice: toast,
    announce,
    title,
    before: place?.shown ?? 0,
  });
  if (place) scrollTo(0, 0);
  focusOn(root, held || "[data-question]:placeholder-shown, [data-first]");
  await drawing;
  // Focus what came with the data, unless the user has gone elsewhere meanwhile.
  if (!root.isConnected || document.activeElement !== main) return;
  focusOn(root, held || "[data-first]");
  if (place) putBack(root, place);
}

/** The control in use, which keeps the focus when its view is drawn again: a filter, or one with an id. */
function inUse() {
  const active = document.activeElement;
  const name = active?.closest(".filters [name]")?.getAttribute("name");
  if (name) return `.filters [name=${name}]`;
  return active?.id && active !== main ? `#${CSS.escape(active.id)}` : "";
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
  /** @param {import("./views.js").View} view @param {string} [kind] */
  const link = ({ name }, kind) =>
    h(
      "a",
      { href: `#/${name}`, class: kind, "aria-current": name === open ? "page" : null },
      named("common.view", name),
    );
  const views = /** @type {HTMLElement} */ (document.getElementById("views"));
  views.setAttribute("aria-label", t("common.views"));
  show(
    views,
    MAIN.map((view) => link(view)),
    CALM.map((view) => link(view, "calm")),
  );
}

function drawTools() {
  const dark = theme.current() === "dark";
  show(
    /** @type {HTMLElement} */ (document.getElementById("tools")),
    around && who(around.session),
    languages(),
    tool(dark ? "☀" : "☾", t(dark ? "common.light" : "common.dark"), t("common.theme"), toggle),
    around && tool("?", t("common.keys"), `${t("common.keys")} (?)`, help),
    around && h("button", { type: "button", class: "quiet-button", onclick: leave }, t("common.sign_out")),
  );
  if (!around) show(/** @type {HTMLElement} */ (document.getElementById("views")));
}

/** @param {import("./role.js").Session} session */
const who = ({ name, role, namespace }) =>
  h(
    "span",
    { class: "who", title: `${name}: ${role}` },
    h("b", {}, namespace || t("common.whole_memory")),
    ` ${named("common.role", role)}`,
  );

/**
 * @param {string} sign
 * @param {string} label
 * @param {string} title
 * @param {() => void} onclick
 */
const tool = (sign, label, title, onclick) =>
  h("button", { type: "button", class: "icon", "aria-label": label, title, onclick }, sign);

/** A button for every other language; with two that is one button. */
function languages() {
  const others = /** @type {import("./language.js").Language[]} */ (Object.keys(LANGUAGES)).filter(
    (each) => each !== language(),
  );
  return others.map((each) =>
    h(
      "button",
      { type: "button", class: "quiet-button", lang: each, onclick: () => speak(each), title: t("common.language") },
      LANGUAGES[each],
    ),
  );
}

/** @param {import("./language.js").Language} next */
function speak(next) {
  choose(next);
  spoken();
  if (around) draw(null);
  else open();
}

/** What surrounds the view, in the language of the reader. */
function spoken() {
  document.documentElement.lang = language();
  /** @type {HTMLElement} */ (document.querySelector(".skip")).textContent = t("common.skip");
  const former = card;
  card = keyCard();
  former.replaceWith(card);
  drawTools();
}

function toggle() {
  theme.toggle();
  drawTools();
}

const help = () => card.showModal();

async function leave() {
  // What the view still reads would be refused.
  leaving.abort();
  try {
    await ask("DELETE", "session");
    dismiss();
    history.replaceState(history.state, "", "/");
  } catch (error) {
    toast(/** @type {Error} */ (error).message);
  }
  open();
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
document.body.append(card);
spoken();
document.body.append(h("div", { id: "said", class: "unseen", role: "status", "aria-live": "polite" }));
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => draw(arrived()));
addEventListener("signedout", open);
addEventListener("changed", () => (outdated = true));
follow();
listen({ go, theme: toggle, help });
open();
