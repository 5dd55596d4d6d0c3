// Everything that changes the memory as a whole: adding, changing many, files, keys, namespaces, quarantine, health.

import { h } from "../dom.js";
import { empty } from "../draw/states.js";
import { t } from "../language.js";
import { may } from "../role.js";
import { href } from "../route.js";
import { addRoom } from "./manage/add.js";
import { changesRoom } from "./manage/changes.js";
import { filesRoom } from "./manage/files.js";
import { healthRoom } from "./manage/health.js";
import { keysRoom } from "./manage/keys.js";
import { manyRoom } from "./manage/many.js";
import { placesRoom } from "./manage/places.js";
import { quarantineRoom } from "./manage/quarantine.js";

/** @typedef {import("../app.js").Context} Context */
/** @typedef {{name: string, title: () => string, least: string, draw: (place: HTMLElement, context: Context) => Promise<void> | void}} Room */

/** @type {Room[]} */
const ROOMS = [
  { name: "add", title: () => t("manage.add"), least: "write", draw: addRoom },
  { name: "many", title: () => t("manage.many"), least: "write", draw: manyRoom },
  { name: "changes", title: () => t("manage.changes"), least: "admin", draw: changesRoom },
  { name: "files", title: () => t("manage.files"), least: "admin", draw: filesRoom },
  { name: "keys", title: () => t("manage.keys"), least: "admin", draw: keysRoom },
  { name: "places", title: () => t("manage.places"), least: "read", draw: placesRoom },
  { name: "quarantine", title: () => t("manage.quarantine"), least: "write", draw: quarantineRoom },
  { name: "health", title: () => t("manage.health"), least: "admin", draw: healthRoom },
];

/**
 * @param {HTMLElement} root
 * @param {Context} context
 */
export async function manageView(root, context) {
  const rooms = ROOMS.filter(({ least }) => may(context.session, least));
  const known = ROOMS.some(({ name }) => name === context.route.id);
  const room = rooms.find(({ name }) => name === context.route.id) ?? (known ? null : rooms[0]);
  const links = rooms.map((each) =>
    h("li", {}, h("a", { href: href("manage", {}, each.name), "aria-current": each === room ? "page" : null }, each.title())),
  );
  const place = h("section", {});
  root.append(h("h1", {}, t("common.view.manage")), h("nav", { class: "rooms", "aria-label": t("manage.rooms") }, h("ul", {}, links)), place);
  if (!room) return place.append(empty(t("manage.not_allowed"), t("manage.not_allowed_hint")));
  place.append(h("h2", {}, room.title()));
  await room.draw(place, context);
}
