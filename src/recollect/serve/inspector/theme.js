// Light or dark: the system's choice, until the reader makes another.

const KEPT = "recollect.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** @returns {"light" | "dark"} */
export function current() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return system.matches ? "dark" : "light";
}

/** Puts back what was chosen before. */
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
