// Requests to the server. The session is a same-site cookie, so the page holds no key.

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
    throw new Problem(0, "The server does not answer. Is `recollect serve` still running?");
  });
  const told = await answer.json().catch(() => null);
  // When the session has ended, every view asks for a key.
  if (answer.status === 401 && path !== "session") dispatchEvent(new Event("signedout"));
  if (!answer.ok)
    throw new Problem(answer.status, told?.detail || told?.title || `The server answered ${answer.status}.`);
  return told;
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
