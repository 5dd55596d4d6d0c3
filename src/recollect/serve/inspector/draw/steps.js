// The story of a statement: who told it in which words, said it again or corrected it, and what it replaced.

import { ask, memoryPath } from "../api.js";
import { h, prose, show } from "../dom.js";
import { dayInWords, fileOf, shortened } from "../format.js";
import { sentence, t } from "../language.js";
import { may } from "../role.js";
import { memoryHref, talkHref } from "../route.js";
import { isName } from "../talk_name.js";
import { forget, pin } from "../undo.js";
import { correction } from "./correction.js";
import { teller } from "./teller.js";

/** @typedef {import("../app.js").Context} Context */
/** @typedef {{memory: any, links: any[], events: any[], same: any[]}} Found */
/** @typedef {{at: string, drawn: HTMLElement}} Step */

const QUOTED = 400;

/**
 * @param {any} statement
 * @param {Context} context
 * @returns {Promise<Found>}
 */
export const readStory = async ({ id, same: others }, { signal }) => {
  const [memory, { links }, { events }, ...same] = await Promise.all([
    ask("GET", memoryPath(id), { signal }),
    ask("GET", memoryPath(id, "links"), { signal }),
    ask("GET", memoryPath(id, "history"), { signal }),
    ...others.map((/** @type {string} */ other) => ask("GET", memoryPath(other), { signal })),
  ]);
  return { memory, links, events, same };
};

/**
 * @param {any} statement
 * @param {Found} found
 * @param {Context} context
 */
export function story(statement, found, context) {
  const changes = corrections(found);
  const told = said(statement, found, changes.map(({ before }) => before)[0]);
  const steps = [...former(statement), ...told, ...changes.map(corrected)].sort((a, b) => (a.at < b.at ? -1 : 1));
  return [
    h(
      "ol",
      { class: "steps" },
      steps.map(({ drawn }) => drawn),
    ),
    buttons(found, context),
  ];
}

/** @param {any} statement what was believed before */
const former = (statement) =>
  statement.replaced.map((/** @type {any} */ each) => ({
    at: each.told_at,
    drawn: h(
      "li",
      { class: "former" },
      h("span", { class: "step-day" }, dayInWords(each.told_at)),
      h("a", { href: memoryHref(each.id) }, h("del", {}, prose(shortened(each.text, QUOTED)))),
      each.valid_to && h("span", { class: "quiet" }, ` ${t("home.until", { day: dayInWords(each.valid_to) })}`),
    ),
  }));

/**
 * The messages that said it; a statement that was not taken from a conversation stands for itself.
 * @param {any} statement
 * @param {Found} found
 * @param {string | undefined} before its words before they were corrected
 * @returns {Step[]}
 */
function said(statement, { memory, links, events }, before) {
  const turns = links
    .filter(({ link, memory: other }) => link.kind === "extends" && link.a === memory.id && other.granularity === "turn")
    .map(({ memory: turn }) => turn)
    .sort((a, b) => (a.valid_from < b.valid_from ? -1 : 1));
  if (turns.length) return turns.map((turn, n) => inTalk(turn, n ? "home.said_again_in" : "home.said_in"));
  const first = [...events].sort(byTime)[0];
  const file = fileOf(memory);
  const who = file ? prose(file) : teller(first?.actor ?? memory.origin);
  return [step(statement.told_at, sentence("home.told_by", { who }), before ?? memory.text, before !== undefined)];
}

/** @param {any} turn @param {string} key @returns {Step} */
const inTalk = (turn, key) =>
  step(turn.valid_from, sentence(key, { where: h("a", { href: talkHref(turn) }, isName(turn.session_id) ? prose(shortened(turn.session_id, 40)) : t("home.a_talk")) }), turn.text, false);

/** @param {{at: string}} a @param {{at: string}} b */
const byTime = (a, b) => (a.at < b.at ? -1 : 1);

/**
 * The changes of its words that were not taken back, oldest first.
 * @param {Found} found
 */
function corrections({ memory, events }) {
  let after = memory.text;
  const made = [];
  for (const event of [...events].sort(byTime).reverse()) {
    const before = event.changes.find((/** @type {any} */ each) => each.memory_id === memory.id)?.before?.text;
    if (before === undefined) continue;
    if (!event.undone_by && event.action !== "undo") made.push({ at: event.at, who: event.actor, before, after });
    after = before;
  }
  return made.reverse();
}

/** @param {{at: string, who: string, after: string}} change @returns {Step} */
const corrected = ({ at, who, after }) => step(at, sentence("home.corrected_by", { who: teller(who) }), after, false);

/**
 * @param {string} at
 * @param {(Node | string)[]} told
 * @param {string} text
 * @param {boolean} gone whether these words do not hold any more
 * @returns {Step}
 */
function step(at, told, text, gone) {
  const words = prose(shortened(text, QUOTED));
  return {
    at,
    drawn: h(
      "li",
      {},
      h("span", { class: "step-day" }, dayInWords(at)),
      h("span", {}, told),
      h("blockquote", {}, gone ? h("del", {}, words) : words),
    ),
  };
}

/**
 * @param {Found} found
 * @param {Context} context
 */
function buttons({ memory, same }, context) {
  const row = h("div", { class: "row" });
  const open = h("a", { href: memoryHref(memory.id) }, t("home.open"));
  if (!may(context.session, "write") || memory.status === "forgotten") {
    show(row, open);
    return row;
  }
  const pinned = memory.tier === "pinned";
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    h("button", { type: "button", class: "quiet-button", onclick }, text);
  const again = context.refresh;
  const edit = () => show(row, correction(memory, same, context, () => show(row, ...shown)));
  const correcting = button(t("home.correct"), edit);
  correcting.setAttribute("data-correct", "");
  const shown = [
    correcting,
    button(t(pinned ? "home.unpin" : "home.pin"), () => pin(memory.id, !pinned, context, again)),
    button(t("home.forget"), () => forget(memory.id, context, again)),
    open,
  ];
  show(row, ...shown);
  return row;
}
