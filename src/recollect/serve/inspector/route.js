// Addresses: `#/view/id?name=value`, so that every view can be linked to.

/** @typedef {{view: string, id: string, params: URLSearchParams}} Route */

/**
 * @param {string} hash
 * @returns {Route | null} null when the hash is not one of ours
 */
export function parsed(hash) {
  const found = /^#\/([a-z]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash || "#/");
  if (!found) return null;
  return { view: found[1] || "home", id: decoded(found[2] || ""), params: new URLSearchParams(found[3] || "") };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} view
 * @param {Record<string, string | number | boolean | null | undefined>} [params] empty values are left out
 * @param {string} [id]
 */
export function href(view, params = {}, id = "") {
  const pairs = Object.entries(params).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined && value !== false,
  );
  const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}${query.size ? `?${query}` : ""}`;
}

/** @param {string} id */
export const memoryHref = (id) => href("memory", {}, id);

/**
 * The place of a message, or of a statement taken from one, in its conversation.
 * @param {{session_id: string, namespace: string, turn: number | null}} memory
 */
export const talkHref = ({ session_id, namespace, turn }) => href("conversations", { namespace, turn }, session_id);
