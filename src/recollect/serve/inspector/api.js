// Requests to the server. The session is a same-site cookie, so the page holds no key.

import { named, t } from "./language.js";

/** An error of the server, from its problem document (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status 0 when the server could not be reached
   * @param {string} detail
   */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/**
 * @param {string} method
 * @param {string} path below /v1
 * @param {{query?: Record<string, unknown>, body?: unknown, signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function ask(method, path, { query, body, signal } = {}) {
  /** @type {Record<string, string>} */
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const url = `/v1/${path}${queried(query)}`;
  const sent = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) };
  const answer = await fetch(url, sent).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, t("common.no_answer"));
  });
  const told = await answer.json().catch(() => null);
  // When the session has ended, every view asks for a key.
  if (answer.status === 401 && path !== "session") dispatchEvent(new Event("signedout"));
  if (!answer.ok)
    throw new Problem(answer.status, plain(told?.detail) || told?.title || t("common.status_answer", { status: String(answer.status) }));
  if (!["GET", "HEAD"].includes(method) && CHANGING.test(path)) dispatchEvent(new Event("changed"));
  return told;
}

/** Requests after which the lists of namespaces and kinds may be others. */
const CHANGING = /^(memories|change|import|namespaces|events)\b/;

/**
 * What the server says about a value that is too long or missing, in words.
 * @param {string | undefined} detail
 */
function plain(detail) {
  const long = detail?.match(/(\w+)(?:\.\d+)?: \w+ should have at most (\d+)/);
  if (long) return t("common.too_long", { field: named("memory.field", long[1]), count: Number(long[2]) });
  const missing = detail?.match(/(\w+): String should (?:have at least 1 character|match pattern)/);
  return missing ? t("common.is_empty", { field: named("memory.field", missing[1]) }) : detail?.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase());
}

/** @param {Record<string, unknown>} [query] lists repeat; empty values are left out */
function queried(query = {}) {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") pairs.append(name, String(each));
    }
  }
  return pairs.size ? `?${pairs}` : "";
}

/**
 * The path of a memory, or of a resource below it.
 * @param {string} id
 * @param {string} [of]
 */
export const memoryPath = (id, of) => `memories/${encodeURIComponent(id)}${of ? `/${of}` : ""}`;
