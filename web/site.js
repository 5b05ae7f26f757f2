// The boards in the pages of the website. Each shows a still table; the game is loaded when it is touched.

import widget from "./widget.js";
import { PageTable } from "./table.js";

const base = new URL(".", import.meta.url);
const LINK = "game"; // a shared game is the part of the address after #game=

const link = ({ game, record }) => {
  const shared = new URLSearchParams({ [LINK]: record, variant: game.variant });
  return `${new URL("../../play.html", base)}#${shared}`;
};

/** The message that shows what the address asks for: a shared game, or a variant to play. */
function wanted() {
  const shared = new URLSearchParams(location.hash.slice(1));
  const variant = shared.get("variant");
  if (shared.has(LINK)) return { type: "load", record: shared.get(LINK), variant: variant ?? "standard" };
  return variant === null ? null : { type: "rematch", variant };
}

async function embed(place) {
  const still = await (await fetch(new URL(place.dataset.still, base))).json();
  const { art, state, setup } = still;
  const model = new PageTable(base, { art, state, link }, setup);
  place.replaceChildren();
  widget.render({ model, el: place });
  place.table = model;
  const message = place.dataset.shared !== undefined && wanted();
  if (!message) return;
  await model.send(message);
  const { error } = model.get("state");
  if (error && model.core) model.complain(`This link is damaged: ${error}. Ask for it again, or play here`);
}

for (const place of document.querySelectorAll(".mijnlieff-board")) {
  embed(place).catch((error) => {
    place.textContent = `The board could not be loaded: ${error.message}`;
  });
}
