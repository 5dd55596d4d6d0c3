// Waits for a job of the server, and shows how far it is.

import { ask } from "../../api.js";
import { h } from "../../dom.js";
import { t } from "../../language.js";

const PAUSE_MS = 400;

/**
 * A bar; without `most` nobody knows how long it takes.
 * @param {string} what
 * @param {number} [done]
 * @param {number} [most]
 */
export const doing = (what, done, most) =>
  h("div", { class: "doing", role: "status" }, h("span", {}, what), h("progress", { "aria-label": what, value: most ? done : null, max: most ?? null }));

/**
 * @param {HTMLElement} place
 * @param {string} what
 * @param {Promise<any>} started
 * @param {AbortSignal} signal
 * @returns {Promise<any>} the result
 */
export async function finished(place, what, started, signal) {
  place.replaceChildren(doing(what));
  try {
    let job = await started;
    while (job.state === "running") {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      job = await ask("GET", `jobs/${encodeURIComponent(job.id)}`, { signal });
      if (job.done) place.replaceChildren(doing(`${what} ${t("manage.records", { count: job.done })}`));
    }
    if (job.state === "failed") throw new Error(job.error);
    return job.result;
  } finally {
    place.replaceChildren();
  }
}
