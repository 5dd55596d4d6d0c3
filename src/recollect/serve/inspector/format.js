// Formats numbers, moments and names for people.

import { language, named, t } from "./language.js";

/** @param {number | boolean} value */
export function number(value) {
  const plain = Number(value);
  if (!Number.isFinite(plain)) return String(value);
  if (Number.isInteger(plain) && Math.abs(plain) < 1e6) return String(plain);
  return String(Number(plain.toPrecision(Math.abs(plain) >= 1000 ? 6 : 4)));
}

/** @param {number} share */
export const percent = (share) => `${Math.round(100 * share)}\u00a0%`;

/** @param {string | null | undefined} moment */
export const day = (moment) => (moment ? moment.slice(0, 10) : "");

/** Moments at which a day begins stand for the whole day. */
const MIDNIGHT = /T00:00(:00(\.0+)?)?(Z|\+00:00)$/;

/**
 * A moment in words, by the clock of the reader: "3 March 2026, 18:05".
 * @param {string | null | undefined} moment
 */
export function moment(moment) {
  if (!moment) return "";
  if (MIDNIGHT.test(moment)) return dayInWords(moment);
  return new Date(moment).toLocaleString(locale(), { dateStyle: "long", timeStyle: "short" }).replace(" at ", ", ");
}

/** A moment as a clock shows it: "18:05". @param {string} moment */
export const clock = (moment) => new Date(moment).toLocaleTimeString(locale(), { timeStyle: "short" });

const locale = () => (language() === "en" ? "en-GB" : language());

/** @param {number} ms */
export const milliseconds = (ms) => (ms < 0.1 ? "<0.1" : ms < 10 ? ms.toFixed(1) : Math.round(ms).toString());

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return t("common.bytes", { count: bytes });
  const units = ["KB", "MB", "GB", "TB"];
  let n = 0;
  for (bytes /= 1000; bytes >= 1000 && n < units.length - 1; n += 1) bytes /= 1000;
  return `${bytes.toFixed(bytes < 10 ? 1 : 0)} ${units[n]}`;
}

/**
 * @param {string} text
 * @param {number} most
 */
export function shortened(text, most) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/**
 * A field's value on one line.
 * @param {unknown} value
 * @returns {string}
 */
export function valued(value) {
  if (value === null || value === undefined || value === "") return t("memory.nothing");
  if (Array.isArray(value)) return value.length ? value.map(valued).join(", ") : t("memory.nothing");
  if (typeof value === "object") return JSON.stringify(value);
  if (typeof value === "number") return number(value);
  return /^\d{4}-\d\d-\d\dT/.test(String(value)) ? moment(String(value)) : String(value);
}

/**
 * A value of a field. Statuses and tiers go by their names.
 * @param {string} name
 * @param {unknown} value
 */
export function fieldInWords(name, value) {
  if (name === "status") return named("common.status", String(value));
  return name === "tier" ? named("browse.tiers", String(value)) : valued(value);
}

/** @param {string} name */
export const words = (name) => name.replaceAll("_", " ");

/**
 * Where a memory comes from: the file it was imported from, else what it says itself.
 * @param {any} memory
 */
export const fileOf = ({ metadata, source }) => (source?.includes(":") && (metadata.file ?? metadata.note)) || source;

/** @param {string} text */
export const listed = (text) =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);

/**
 * The day of one's own clock, as a date field has it.
 * @param {Date} moment
 */
export const localDay = (moment) => new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

/**
 * A day in words: "3 March 2026".
 * @param {string | null | undefined} moment
 */
export function dayInWords(moment) {
  const at = new Date(`${day(moment)}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return "";
  return at.toLocaleDateString(locale(), { dateStyle: "long", timeZone: "UTC" });
}
