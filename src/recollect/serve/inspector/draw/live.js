// Filters that act as one types: the address changes in place, and only the list is read again.

import { given } from "./field.js";

const WAITS_MS = 250;

/**
 * A listener for what happens in a form of filters: typing, choosing and Enter.
 * @param {(filters: Record<string, string>) => string} address where the view has these filters
 * @param {(params: URLSearchParams) => void} read
 */
export function live(address, read) {
  let waiting = 0;
  return (/** @type {Event} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const to = address(given(form));
    clearTimeout(waiting);
    // Enter in a field causes a change, an input and a submission.
    if (to === location.hash) return;
    const act = () => {
      if (!form.isConnected) return;
      history.replaceState(history.state, "", to);
      read(new URLSearchParams(to.split("?")[1] ?? ""));
    };
    waiting = setTimeout(act, event.type === "input" ? WAITS_MS : 0);
  };
}

/**
 * The attributes of such a form.
 * @param {(event: Event) => void} changed
 */
export const listening = (changed) => ({ onsubmit: changed, oninput: changed, onchange: changed });

/**
 * Reads one list at a time: what is being read ends when the next filters are given, or with the view.
 * @param {AbortSignal} signal
 */
export function inTurn(signal) {
  let reading = new AbortController();
  signal.addEventListener("abort", () => reading.abort());
  return () => {
    reading.abort();
    reading = new AbortController();
    return reading.signal;
  };
}
