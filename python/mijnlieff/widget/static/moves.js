/** The list of moves: a button for each, two to a row. */
function makeMoves(go, art, pieces) {
  const list = h("ol", { class: "mj-moves", "aria-label": "Moves" });
  const empty = h("p", { class: "mj-faint" }, "No moves yet.");
  let look = "";

  function build(state) {
    const rows = [];
    state.moves.forEach((move, index) => {
      const ply = state.firstPly + index;
      if (!rows.length || ply % 2 === 0) {
        const row = h("li", { class: "mj-turn-row" }, h("span", { class: "mj-number" }, `${Math.floor(ply / 2) + 1}.`));
        if (ply % 2) row.append(h("span", { class: "mj-blank" }, "…"));
        rows.push(row);
      }
      const mark = move.loss ? `${move.blunder ? "??" : "?"} −${move.loss}` : "";
      const told = move.loss ? `, gives away ${points(move.loss)}${move.blunder ? " and the result" : ""}` : "";
      const sign = move.pass ? "" : pieces[move.piece].sign;
      const cell = move.name.slice(0, move.name.length - sign.length); // or "pass"
      const gain = move.scored ? `+${move.scored}` : "";
      const seen = [cell, gain, mark].filter(Boolean).join(" "); // for people who speak what they see
      const kind = move.pass ? "" : `, ${pieces[move.piece].name}`;
      const scored = move.scored ? `, scores ${points(move.scored)}` : "";
      const button = h("button", {
        type: "button", class: `mj-move${mark ? (move.blunder ? " mj-blunder" : " mj-mistake") : ""}`,
        "data-index": index, "data-name": move.name, "data-loss": move.loss, click: () => go(index + 1),
        "aria-label": `${seen}${kind}, ply ${ply + 1}, ${PLAYERS[move.player]}${told}${scored}`,
      });
      if (!move.pass) button.append(h("span", { class: "mj-stone", title: move.name }, svg(art.stones[move.player][move.piece])));
      button.append(h("span", {}, cell));
      if (gain) button.append(" ", h("span", { class: "mj-scored" }, gain));
      if (mark) button.append(" ", h("span", { class: "mj-mark" }, mark));
      rows.at(-1).append(button);
    });
    const active = list.getRootNode().activeElement; // that of a shadow root, where the board is in one
    const focused = list.contains(active) ? active.dataset.index : null;
    list.replaceChildren(...rows);
    if (focused) list.querySelector(`[data-index="${focused}"]`)?.focus();
  }

  function draw(state) {
    const next = JSON.stringify([state.moves, state.firstPly]);
    if (next !== look) {
      look = next;
      build(state);
    }
    empty.hidden = state.moves.length > 0;
    for (const button of list.querySelectorAll(".mj-move")) {
      const current = Number(button.dataset.index) === state.shown - 1;
      set(button, "aria-current", current ? "step" : null);
      if (!current) continue;
      const row = button.parentElement; // scrollIntoView would move the whole page
      const low = row.offsetTop + row.offsetHeight - list.clientHeight;
      if (list.scrollTop < low) list.scrollTop = low;
      if (list.scrollTop > row.offsetTop) list.scrollTop = row.offsetTop;
    }
  }

  return { element: h("div", { class: "mj-list" }, empty, list), draw };
}
