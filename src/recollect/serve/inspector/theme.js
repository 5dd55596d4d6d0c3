// Light or dark: as the system is set, until the user chooses.

const KEPT = "recollect.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** @returns {"light" | "dark"} */
export function current() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return system.matches ? "dark" : "light";
}

/** Restores the earlier choice. */
export function begin() {
  const kept = localStorage.getItem(KEPT);
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
}

export function toggle() {
  const next = current() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem(KEPT, next);
}

/** @param {() => void} listener */
export const onSystemChange = (listener) => system.addEventListener("change", listener);
