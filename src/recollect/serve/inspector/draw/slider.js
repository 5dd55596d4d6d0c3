// A slider through time: one step is one day.

import { h } from "../dom.js";
import { dayInWords } from "../format.js";
import { t } from "../language.js";

const DAY_MS = 86_400_000;
const WAITS_MS = 180;

/** @param {string} day */
const numbered = (day) => Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
/** @param {number} number */
const dated = (number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

/**
 * @param {{first: string, last: string, chosen: string}} days `chosen` is "" for now
 * @param {(day: string) => void} moved called when the slider has come to rest; "" at its end
 */
export function timeSlider({ first, last, chosen }, moved) {
  const [from, to] = [numbered(first), Math.max(numbered(last), numbered(first) + 1)];
  const range = /** @type {HTMLInputElement} */ (
    h("input", { type: "range", min: from, max: to, step: 1, id: "day", value: chosen ? numbered(chosen) : to })
  );
  const told = h("output", { for: "day", class: "slider-day" });
  const date = /** @type {HTMLInputElement} */ (h("input", { type: "date", min: first, max: last, "aria-label": t("home.slider_day") }));
  const now = h("button", { type: "button", class: "quiet-button" }, t("home.now"));
  const day = () => (Number(range.value) === to ? "" : dated(Number(range.value)));
  const tell = () => {
    const words = day() ? t("home.as_of", { day: dayInWords(day()) }) : t("home.today");
    told.textContent = words;
    range.setAttribute("aria-valuetext", words);
    now.hidden = !day();
    date.value = day();
  };
  let waiting = 0;
  range.addEventListener("input", () => {
    tell();
    clearTimeout(waiting);
    waiting = setTimeout(() => moved(day()), WAITS_MS);
  });
  date.addEventListener("change", () => {
    if (date.value && !date.checkValidity()) return;
    range.value = String(date.value ? numbered(date.value) : to);
    tell();
    moved(day());
  });
  now.addEventListener("click", () => {
    range.value = String(to);
    tell();
    moved("");
    range.focus();
  });
  tell();
  return h(
    "div",
    { class: "slider" },
    h("label", { for: "day" }, t("home.slider")),
    told,
    h("div", { class: "row" }, now, date),
    range,
    h("div", { class: "ends", "aria-hidden": "true" }, h("span", {}, dayInWords(first)), h("span", {}, t("home.now"))),
  );
}
