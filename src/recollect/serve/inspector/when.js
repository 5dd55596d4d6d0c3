// The time that a text names, in words: one day, several, a month, a year, or something that repeats.

import { dayInWords } from "./format.js";
import { language, named, t } from "./language.js";

const DAY_MS = 86_400_000;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const UNITS = ["day", "week", "month", "year"];
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);

/**
 * What the server says, such as "in 2026-04", "about 2026-05-18 to 2026-05-22" or "every Tue from 2026-07-14".
 * @param {string} when
 */
export function whenInWords(when) {
  const [, about, first, last] = /^(about )?(?:on |in )?(\d{4}(?:-\d\d){0,2})(?: to (\d{4}-\d\d-\d\d))?$/.exec(when) ?? [];
  if (first) {
    const days = last ? daysInWords(first, last) : written(first);
    return about ? t("memory.about", { days }) : days;
  }
  const [, how, start, end] = /^every (.+?)(?: from (\S+))?(?: until (\S+))?$/.exec(when) ?? [];
  if (!how) return when;
  const parts = [t("memory.every", { how: how.split(", ").map(repeating).join(t("memory.and")) })];
  if (start) parts.push(t("memory.from", { day: dayInWords(start) }));
  if (end) parts.push(t("home.until", { day: dayInWords(end) }));
  return parts.join(" ");
}

/**
 * From one day to another: "1–12 May 2026", "May 2026", "2026".
 * @param {string} first
 * @param {string} last
 */
export function daysInWords(first, last) {
  if (first === last) return dayInWords(first);
  const next = new Date(Date.parse(last) + DAY_MS).toISOString().slice(0, 10);
  if (first.endsWith("-01-01") && next === `${Number(first.slice(0, 4)) + 1}-01-01`) return written(first.slice(0, 4));
  if (first.endsWith("-01") && last.slice(0, 7) === first.slice(0, 7) && next.endsWith("-01")) return written(first.slice(0, 7));
  if (language() === "en") return formats({ dateStyle: "long" }).formatRange(new Date(first), new Date(last));
  return t("memory.days", { start: dayInWords(first), end: dayInWords(last) });
}

/** A year, a month or a day. @param {string} date */
function written(date) {
  if (date.length === 10) return dayInWords(date);
  return formats(date.length === 4 ? { year: "numeric" } : { year: "numeric", month: "long" }).format(new Date(date));
}

/** A weekday or a unit of time. @param {string} each */
function repeating(each) {
  const day = WEEKDAYS.indexOf(each);
  if (day >= 0) return formats({ weekday: "long" }).format(new Date(MONDAY + day * DAY_MS));
  return UNITS.includes(each) ? named("memory.unit", each) : each;
}

/** @param {Intl.DateTimeFormatOptions} options */
const formats = (options) => new Intl.DateTimeFormat(language() === "en" ? "en-GB" : language(), { ...options, timeZone: "UTC" });
