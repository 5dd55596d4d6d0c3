// One statement of Home. Its story, the changes and what it replaced open in place.

import { h, prose } from "../dom.js";
import { dayInWords, shortened } from "../format.js";
import { named, sentence, t } from "../language.js";
import { memoryHref } from "../route.js";
import { whenInWords } from "../when.js";
import { filled } from "./states.js";
import { readStory, story } from "./steps.js";

/** @typedef {import("../app.js").Context} Context */

/**
 * A row of the list. Its story opens in place.
 * @param {any} statement of a profile
 * @param {Map<string, any>} shown the statements of the list, by id
 * @param {Context} context
 */
export function statementRow(statement, shown, context) {
  const id = `story-${statement.id}`;
  const place = h("div", { class: "story", id, hidden: true });
  const line = h(
    "button",
    { type: "button", class: "statement-line", "data-open": true, "aria-expanded": "false", "aria-controls": id },
    prose(shortened(statement.text, 600)),
  );
  line.addEventListener("click", () => {
    place.hidden = !place.hidden;
    line.setAttribute("aria-expanded", String(!place.hidden));
    if (!place.firstChild) filled(place, () => readStory(statement, context), (found) => story(statement, found, context));
  });
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || place.querySelector("[data-closes]")) return;
    place.hidden = true;
    line.setAttribute("aria-expanded", "false");
    line.focus();
  });
  const was = statement.replaced[0];
  return h(
    "li",
    { class: "statement", "data-item": statement.id },
    h(
      "div",
      { class: "statement-head" },
      line,
      h(
        "span",
        { class: "named-time" },
        statement.pinned && h("span", { class: "badge pinned" }, named("browse.tiers", "pinned")),
        whenInWords(statement.when),
      ),
      h("time", { datetime: statement.told_at }, t("home.told", { day: dayInWords(statement.told_at) })),
    ),
    statement.contradicts.map((/** @type {string} */ other) => clash(other, shown.get(other))),
    was && h("p", { class: "was" }, t("home.before"), " ", h("del", {}, prose(shortened(was.text, 160)))),
    place,
  );
}

/**
 * Another statement that says otherwise and holds too.
 * @param {string} id
 * @param {any} other undefined when it is not in the list
 */
function clash(id, other) {
  const text = other ? prose(shortened(other.text, 160)) : t("home.another");
  return h("p", { class: "clash" }, sentence("home.clash", { other: h("a", { href: memoryHref(id) }, text) }));
}
