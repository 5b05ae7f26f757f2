// The boards in the pages of the website. Each shows a still table; the game is loaded when it is touched.

import widget from "./widget.js";
import { PageTable } from "./table.js";

const base = new URL(".", import.meta.url);
const LINK = "game"; // a shared game is the part of the address after #game=

const link = ({ game, record }) => {
  const shared = new URLSearchParams({ [LINK]: record, variant: game.variant });
  return `${new URL("../../play.html", base)}#${shared}`;
};

/** The message that loads the game of the address, if there is one. */
function sharedGame() {
  const shared = new URLSearchParams(location.hash.slice(1));
  if (!shared.has(LINK)) return null;
  return { type: "load", record: shared.get(LINK), variant: shared.get("variant") ?? "standard" };
}

async function embed(place) {
  const still = await (await fetch(new URL("still.json", base))).json();
  const { art, state, setup } = still;
  const model = new PageTable(base, { art, state, link }, setup);
  place.replaceChildren();
  widget.render({ model, el: place });
  const game = place.dataset.shared !== undefined && sharedGame();
  if (game) model.send(game);
  place.table = model;
}

for (const place of document.querySelectorAll(".mijnlieff-board")) {
  embed(place).catch((error) => {
    place.textContent = `The board could not be loaded: ${error.message}`;
  });
}
