// Who may do what: the table of docs/server.md. The server decides; the page only offers no more than that.

const RANKS = ["read", "write", "admin"];

/** @typedef {{name: string, namespace: string, role: string}} Session */

/**
 * @param {Session} session
 * @param {"read" | "write" | "admin"} least
 */
export const may = (session, least) => RANKS.indexOf(session.role) >= RANKS.indexOf(least);

/**
 * What this caller may do with this memory, as it stands.
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
  };
}
