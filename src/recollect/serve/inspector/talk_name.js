// What a conversation is called: its name if a person gave it one, else the words it began with.

import { shortened } from "./format.js";

/** Programs number their conversations or give them random letters. A name has a space, or nothing but letters. */
export const isName = (/** @type {string} */ id) => /\S\s\S|[^\x00-\x7f]|^[a-z'-]{3,}$/iu.test(id);

const MOST = 60;
/** A word that was cut off. */
const CUT = /[\s,;:]+\S*…$/;

/**
 * @param {string} id
 * @param {string | undefined} words its first message
 */
export const talkName = (id, words) => (isName(id) || !words ? id : shortened(words, MOST).replace(CUT, "…"));
