// Who said, wrote or asked something.

import { named } from "../language.js";

/**
 * The owner is "you"; a key goes by its name.
 * @param {string} actor
 */
export const teller = (actor) => named("common.who", actor.replace(/^key:/, ""));
