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
  if (place.dataset.shared !== undefined) await follow(model);
}

/** Show what the address asks for, now and whenever it changes. */
async function follow(model) {
  let linked = null; // the number of the game that the address asked for
  const show = async () => {
    linked = null;
    const message = wanted();
    if (!message) return;
    await model.send(message);
    const { error, number } = model.get("state");
    linked = number;
    if (error && model.core) model.complain(`This link is damaged: ${error}. Ask for it again, or play here`);
  };
  // Once another game has begun, the same link can be opened again.
  model.on("change:state", () => {
    if (linked === null || model.get("state").number === linked) return;
    linked = null;
    history.replaceState(null, "", location.pathname + location.search);
  });
  addEventListener("hashchange", show);
  await show();
}

for (const place of document.querySelectorAll(".mijnlieff-board")) {
  embed(place).catch((error) => {
    place.textContent = `The board could not be loaded: ${error.message}`;
  });
}
