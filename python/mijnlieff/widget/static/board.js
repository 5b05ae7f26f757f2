/** The board: one button for each cell, in rows for screen readers. */
function makeBoard(act) {
  const grid = h("div", { class: "mj-board", role: "grid", keydown: move });
  const frame = h("div", { class: "mj-frame" }, grid);
  let key = "";
  let cells = [];
  let game = null;

  function build(next) {
    game = next;
    key = JSON.stringify(game.cells);
    cells = [];
    grid.style.setProperty("--columns", game.width);
    const largest = Math.max(40, Math.min(128, 540 / game.height));
    grid.style.setProperty("--largest", `${largest}px`);
    set(grid, "aria-label", `Board, ${game.width} by ${game.height}`);
    const rows = [];
    for (let y = game.height - 1; y >= 0; y--) {
      const row = h("div", { role: "row", class: "mj-row" });
      row.append(h("span", { class: "mj-label", "aria-hidden": "true" }, `${y + 1}`));
      for (let x = 0; x < game.width; x++) {
        const cell = game.cells.findIndex(([cx, cy]) => cx === x && cy === y);
        const shade = (x + y) % 2 ? "mj-odd" : "mj-even";
        if (cell < 0) {
          row.append(h("div", { class: "mj-gap", role: "gridcell", "aria-label": "gap" }));
          continue;
        }
        const button = h("button", {
          type: "button", class: `mj-cell ${shade}`, tabindex: -1, "data-cell": cell,
          "data-name": game.names[cell], click: () => act(cell),
          focus: () => cells.forEach((it) => set(it, "tabindex", it === button ? 0 : -1)),
        });
        cells[cell] = button;
        row.append(h("div", { role: "gridcell", class: "mj-place" }, button));
      }
      rows.push(row);
    }
    const letters = h("div", { class: "mj-row", "aria-hidden": "true" }, h("span"));
    for (let x = 0; x < game.width; x++) {
      const cell = game.cells.findIndex(([cx]) => cx === x);
      const letter = cell < 0 ? "" : game.names[cell].replace(/\d+$/, "");
      letters.append(h("span", { class: "mj-label" }, letter));
    }
    grid.replaceChildren(...rows, letters);
    set(cells[0], "tabindex", 0);
  }

  function move(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const from = cells.indexOf(event.target);
    if (!step || from < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    // The next cell straight on, or else the one least aside: a corner may be all that joins two parts.
    let next = null;
    let least = Infinity;
    game.cells.forEach(([x, y], cell) => {
      const [dx, dy] = [x - game.cells[from][0], y - game.cells[from][1]];
      const ahead = dx * step[0] + dy * step[1];
      const aside = Math.abs(dx * step[1] - dy * step[0]);
      const rank = aside * (game.width + game.height) + ahead;
      if (ahead > 0 && rank < least) [next, least] = [cells[cell], rank];
    });
    next?.focus();
  }

  /** Draw each cell by `of(cell)`: its drawing, its class, a hint and its label. */
  function draw(next, of) {
    if (JSON.stringify(next.cells) !== key) build(next);
    cells.forEach((button, cell) => {
      const { drawing, marks, hint, quality, label, playable } = of(cell);
      const look = JSON.stringify([drawing, hint, quality]);
      if (button.mjLook !== look) {
        button.mjLook = look;
        button.replaceChildren(svg(drawing));
        if (hint !== null) button.append(h("span", { class: "mj-hint", "data-quality": quality }, hint));
      }
      for (const [name, on] of Object.entries(marks)) button.classList.toggle(`mj-${name}`, on);
      set(button, "aria-disabled", playable ? null : "true");
      set(button, "aria-label", label);
    });
  }

  const focus = () => grid.querySelector('[tabindex="0"]').focus({ preventScroll: true });

  return { element: frame, draw, focus };
}
