// The conversation around a message, in place.

import { ask } from "../api.js";
import { h, prose } from "../dom.js";
import { named, t } from "../language.js";
import { href } from "../route.js";
import { filled } from "./states.js";

const BEFORE = 2;
const SHOWN = 5;

/**
 * A button that shows the messages before and after; null for what was not said in a conversation.
 * @param {any} memory
 * @param {AbortSignal} signal
 */
export function talkAround(memory, signal) {
  if (!memory.session_id || memory.turn === null) return null;
  const place = h("div", { class: "place-in-talk", hidden: true });
  const button = h("button", { type: "button", class: "quiet-button", "aria-expanded": "false" }, t("ask.around"));
  button.addEventListener("click", () => {
    place.hidden = !place.hidden;
    button.setAttribute("aria-expanded", String(!place.hidden));
    if (!place.firstChild) filled(place, () => read(memory, signal), (found) => drawn(found, memory));
  });
  return { button, place };
}

/**
 * @param {any} memory
 * @param {AbortSignal} signal
 */
const read = ({ session_id, turn, namespace }, signal) =>
  ask("GET", "conversation", { query: { session_id, namespace, start: Math.max(0, turn - BEFORE), limit: SHOWN }, signal });

/**
 * @param {{turns: {memory: any}[]}} found
 * @param {any} memory
 */
function drawn({ turns }, memory) {
  return [
    h(
      "ol",
      {},
      turns.map(({ memory: turn }) =>
        h(
          "li",
          { class: turn.turn === memory.turn && "this" },
          h("span", { class: "speaker" }, prose(named("conversations.role", turn.role ?? ""))),
          prose(turn.text),
        ),
      ),
    ),
    h("p", { class: "foot" }, h("a", { href: href("conversations", { namespace: memory.namespace, turn: memory.turn }, memory.session_id) }, t("ask.whole_talk"))),
  ];
}
