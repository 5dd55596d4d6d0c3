// What each role may do, as in docs/server.md. The server decides; the page hides what would be refused.

const RANKS = ["read", "write", "admin"];

/** @typedef {{memories: number, namespaces: string[], more: number, command: string}} Elsewhere */
/** @typedef {{name: string, namespace: string, role: string, place: string, elsewhere: Elsewhere | null}} Session */

/**
 * @param {Session} session
 * @param {"read" | "write" | "admin"} least
 */
export const may = (session, least) => RANKS.indexOf(session.role) >= RANKS.indexOf(least);

/**
 * What this caller may do with this memory in its current state.
 * @param {Session} session
 * @param {{status: string, tier: string}} memory
 */
export function actions(session, memory) {
  const writes = may(session, "write");
  const gone = memory.status === "forgotten";
  const quarantined = memory.status === "quarantined";
  return {
    edit: writes && !gone,
    pin: writes && !gone && !quarantined,
    forget: writes && !gone,
    restore: writes && gone,
    release: may(session, "admin") && quarantined,
    purge: may(session, "admin") && gone,
  };
}
