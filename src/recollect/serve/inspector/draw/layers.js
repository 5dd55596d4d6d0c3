// The context that an agent would get for a question, layer by layer.

import { ask } from "../api.js";
import { h } from "../dom.js";
import { named, t } from "../language.js";
import { doing } from "../views/manage/job.js";
import { failure } from "./states.js";

/**
 * Loads when it is opened.
 * @param {string} query
 * @param {Record<string, unknown>} more the namespace and recipe
 * @param {AbortSignal} signal
 */
export function agentContext(query, more, signal) {
  const place = h("div", {});
  const load = () => {
    place.replaceChildren(doing(t("ask.assembling")));
    ask("POST", "context", { body: { ...more, query, track: false }, signal }).then(
      (found) => place.replaceChildren(...drawn(found)),
      (error) => error.name !== "AbortError" && place.replaceChildren(failure(error, load)),
    );
  };
  const whole = h("details", { class: "agent-context" }, h("summary", {}, t("ask.context")), place);
  whole.addEventListener("toggle", () => !place.firstChild && load());
  return whole;
}

/** @param {{text: string, tokens: number, layers: any[]}} found */
function drawn({ tokens, layers }) {
  const held = layers.filter(({ text }) => text);
  if (!held.length) return [h("p", { class: "quiet" }, t("ask.context_empty"))];
  return [
    h("p", { class: "quiet" }, t("ask.context_hint", { count: tokens })),
    h(
      "ol",
      { class: "layers" },
      held.map((layer) =>
        h(
          "li",
          {},
          h(
            "details",
            {},
            h("summary", {}, h("span", {}, named("ask.layer", layer.name)), h("span", {}, t("ask.tokens", { count: layer.tokens }))),
            h("pre", { tabindex: 0 }, layer.text),
            layer.truncated && h("p", { class: "quiet" }, t("ask.truncated")),
          ),
        ),
      ),
    ),
  ];
}
