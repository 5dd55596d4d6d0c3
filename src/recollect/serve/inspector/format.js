// Formats numbers, moments and names for people.

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

/** @param {string | null | undefined} moment */
export function moment(moment) {
  return moment ? `${moment.slice(0, 10)} ${moment.slice(11, 16)} UTC` : "";
}

/** @param {number} ms */
export const milliseconds = (ms) => (ms < 0.1 ? "<0.1" : ms < 10 ? ms.toFixed(1) : Math.round(ms).toString());

/** @param {number} bytes */
export function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let n = 0;
  while (bytes >= 1000 && n < units.length - 1) [bytes, n] = [bytes / 1000, n + 1];
  return `${n ? bytes.toFixed(bytes < 10 ? 1 : 0) : bytes} ${units[n]}`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** @param {number} place from 1 */
export function ordinal(place) {
  const teen = Math.floor(place / 10) % 10 === 1;
  return `${place}${(!teen && ["th", "st", "nd", "rd"][place % 10]) || "th"}`;
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
  if (value === null || value === undefined || value === "") return "nothing";
  if (Array.isArray(value)) return value.length ? value.map(valued).join(", ") : "nothing";
  if (typeof value === "object") return JSON.stringify(value);
  if (typeof value === "number") return number(value);
  return /^\d{4}-\d\d-\d\dT/.test(String(value)) ? moment(String(value)) : String(value);
}

/** The heading of what comes nearest to a refused question. */
export const NEAREST = "probably not in memory; nearest:";

/** @param {string} name */
export const words = (name) => name.replaceAll("_", " ");

/** @param {string} text */
export const listed = (text) =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
