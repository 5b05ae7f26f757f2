function render({ model, el }) {
  const art = model.get("art");
  let state = model.get("state");
  const { pieces } = state.game; // the same in every game
  let piece = 0;
  let told = "";
  let pointed = -1; // the player whose lines are pointed at
  let skipped = remembers("coach");
  let recorded = { text: "", number: state.number }; // what was written into the box of the record, and in which game
  const send = (message) => model.send(message);

  const legalPieces = () => pieces.map((_, kind) => kind).filter((kind) => legalCells(kind).length);
  const legalCells = (kind) => {
    const size = state.game.cells.length;
    const low = kind * size;
    return state.position.legal.filter((action) => action >= low && action < low + size).map((action) => action - low);
  };

  function place(cell) {
    if (!state.yourTurn) return;
    if (legalCells(piece).includes(cell)) {
      send({ type: "play", ply: state.position.ply, action: piece * state.game.cells.length + cell });
    } else {
      // The demand says why the cell is not allowed.
      demand.classList.remove("mj-nudge");
      void demand.offsetWidth; // starts the animation again
      demand.classList.add("mj-nudge");
      say(live, `${state.game.names[cell]} is not allowed. ${state.position.demand}`);
    }
  }
  const choose = (kind) => {
    if (state.yourTurn && legalPieces().includes(kind)) {
      piece = kind;
      draw();
    }
  };
  const go = (shown) => send({ type: "go", shown });
  const toggle = (aid) => {
    // A finished game always shows its mistakes.
    if (aid !== "mistakes" || !state.result) send({ type: "show", [aid]: !state.aids[aid] });
  };
  const pass = () => send({ type: "play", ply: state.position.ply, action: state.game.passAction });
  const openSetup = () => {
    setup.open(state);
    draw();
  };
  const closeSetup = () => {
    setup.element.hidden = true;
    draw();
    newGame.focus();
  };

  const button = (text, click, attributes = {}) => h("button", { type: "button", class: "mj-button", click, ...attributes }, text);
  const board = makeBoard(place);
  const point = (index) => (on) => {
    pointed = on ? sides()[index] : -1;
    draw();
  };
  const trays = [makeTray(choose, point(0), pieces), makeTray(choose, point(1), pieces)];
  const moves = makeMoves(go, art, pieces);
  const setup = makeSetup((wanted) => send({ type: "new", ...wanted }), closeSetup);
  const coach = makeCoach(() => {
    skipped = true;
    remember("coach");
    draw();
  });
  const end = makeEnd({ go, again: () => send({ type: "rematch" }), share });

  /** The players above and below the board; the person's own pieces lie below. */
  function sides() {
    return state.seat === "dark" ? [0, 1] : [1, 0];
  }

  /** Put a link to the game into the clipboard, or show it. */
  async function share() {
    const link = model.get("link")(state);
    try {
      await navigator.clipboard.writeText(link);
      return "The link to this game is in the clipboard.";
    } catch {
      return link;
    }
  }

  const status = h("p", { class: "mj-status" });
  const demand = h("p", { class: "mj-demand" });
  const detail = h("p", { class: "mj-detail" });
  const live = h("p", { class: "mj-only-read", role: "status", "aria-live": "polite" });
  const again = button("Ask again", () => send({ type: "again" }));
  const errorText = h("span");
  const error = h("p", { class: "mj-error", role: "alert" }, errorText, again);
  const note = h("p", { class: "mj-note" });
  const barFill = h("div", { class: "mj-bar-light" });
  const barText = h("span", { class: "mj-bar-text" });
  const bar = h("div", { class: "mj-bar", "aria-label": "Evaluation, points of Light minus Dark" },
    h("div", { class: "mj-bar-track" }, barFill, h("div", { class: "mj-bar-middle" })), barText);
  const passButton = button("Pass", pass, { class: "mj-button mj-primary mj-pass" });
  const newGame = button("New game", () => (setup.element.hidden ? openSetup() : closeSetup()), { "aria-expanded": "false" });
  const undo = button("Undo", () => send({ type: "undo" }));
  const aids = Object.fromEntries(Object.entries(AIDS).map(([aid, text]) => [aid, button(text, () => toggle(aid), { class: "mj-button mj-toggle", "aria-pressed": "false" })]));
  const first = button("«", () => go(0), { "aria-label": "First position", class: "mj-button mj-step" });
  const back = button("‹", () => go(state.shown - 1), { "aria-label": "One move back", class: "mj-button mj-step" });
  const forth = button("›", () => go(state.shown + 1), { "aria-label": "One move forward", class: "mj-button mj-step" });
  const last = button("»", () => go(state.moves.length), { "aria-label": "Last position", class: "mj-button mj-step" });
  const resume = button("Play on from here", () => send({ type: "resume" }), { class: "mj-button mj-primary" });
  const scale = h("span");
  const legend = h("p", { class: "mj-legend" }, scale, ...Object.entries(QUALITIES).map(([quality, text]) =>
    h("span", {}, h("span", { class: "mj-hint", "data-quality": quality, "aria-hidden": "true" }, "n"), text)));
  const record = h("textarea", { rows: 3, spellcheck: "false", "aria-label": "Record of the game" });
  const load = button("Load", () => send({ type: "load", record: record.value }));
  const copied = h("p", { class: "mj-faint" });
  const copy = button("Copy", async () => {
    record.select();
    let done = true;
    try {
      await navigator.clipboard.writeText(record.value);
    } catch {
      done = document.execCommand("copy");
    }
    say(copied, done ? "The record is in the clipboard." : "The browser refuses; the text is selected, so you can copy it by keys.");
    say(live, copied.textContent);
  });
  const help = h("details", { class: "mj-more" }, h("summary", {}, "Keys"),
    h("p", {}, "Tab moves between the board, the pieces and the buttons; arrow keys move within them; Enter places the piece. "),
    h("p", {}, "1 to 4 choose a piece, U undoes, N starts a new game, H, E and M switch hints, evaluation and mistakes, comma and period step through the moves."));

  const root = h("div", {
    class: "mijnlieff", role: "region", "aria-label": "Mijnlieff",
    "data-lm-suppress-shortcuts": "true", // JupyterLab's own keys, such as 1 for a heading
    keydown: shortcut,
  },
  h("div", { class: "mj-head" }, h("div", {}, status, demand, detail), passButton), live, error, note,
  h("div", { class: "mj-table" },
    h("div", { class: "mj-left" }, bar, board.element, coach.element, end.element),
    trays[0].element, trays[1].element,
    h("div", { class: "mj-controls" },
      h("div", { class: "mj-buttons" }, newGame, undo),
      setup.element,
      h("div", { class: "mj-buttons", role: "group", "aria-label": "Help from exact play" }, ...Object.values(aids)), legend,
      makeRules(art, pieces)),
    h("section", { class: "mj-record", "aria-label": "Moves" },
      h("div", { class: "mj-buttons mj-steps", role: "group", "aria-label": "Step through the moves" }, first, back, forth, last),
      resume, moves.element,
      h("details", { class: "mj-more" }, h("summary", {}, "Record"), record, h("div", { class: "mj-buttons" }, load, copy), copied),
      help)));

  function shortcut(event) {
    if (event.target.closest("input, textarea, select") || event.ctrlKey || event.altKey || event.metaKey) return;
    const kind = "1234".indexOf(event.key);
    const keys = {
      u: () => state.canUndo && send({ type: "undo" }), n: () => newGame.click(),
      h: () => aids.hints.click(), e: () => aids.evaluation.click(), m: () => aids.mistakes.click(),
      ",": () => back.click(), ".": () => forth.click(),
    };
    if (kind >= 0) choose(kind);
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  }

  function cellOf(cell, open, hints, best) {
    const { position, game } = state;
    const owner = position.stones[cell];
    const size = game.cells.length;
    const lastCell = position.lastAction === null || position.lastAction === game.passAction ? -1 : position.lastAction % size;
    const name = game.names[cell];
    const playable = state.yourTurn && legalCells(piece).includes(cell);
    const isOpen = open.has(cell);
    let drawing = "";
    let label = `${name}: `;
    let hint = null;
    let quality = "";
    let worth = "";
    if (owner) {
      const kind = position.pieces[cell];
      drawing = `<circle class="mj-shadow" cy="9" r="100"/>${art.stones[owner - 1][kind]}`;
      label += `${PLAYERS[owner - 1]} ${pieces[kind].name}`;
      drawing += runsThrough(cell, owner - 1, lastCell);
      if (cell === lastCell) {
        drawing += '<circle class="mj-ring" r="113"/>';
        label += ", the last move";
      }
    } else {
      const kinds = state.yourTurn ? [piece] : pieces.keys();
      const margins = hints ? [...kinds].map((kind) => hints[kind * size + cell]).filter((it) => it !== undefined) : [];
      if (margins.length) {
        const margin = Math.max(...margins);
        hint = signed(margin);
        quality = qualityOf(margin, best);
        worth = `, leads to ${signedPoints(margin)} for ${PLAYERS[position.toPlay]}, ${QUALITIES[quality]}`;
      } else if (isOpen && (playable || !state.yourTurn)) {
        drawing = '<circle class="mj-dot" r="31"/>';
      }
      if (playable) drawing += `<g class="mj-ghost">${art.stones[position.toPlay][piece]}</g>`;
      label += `empty${isOpen ? ", allowed" : ""}${worth}`;
    }
    return { drawing, hint, quality, label, playable, marks: { open: isOpen, playable, stone: owner > 0 } };
  }

  /** The lines of a player through a cell: at the end, when pointed at, and those of the last move. */
  function runsThrough(cell, player, lastCell) {
    const { position, game } = state;
    const all = position.isOver || pointed === player;
    let lines = "";
    for (const run of position.runs[player]) {
      const at = run.indexOf(cell);
      if (at < 0 || !(all || run.includes(lastCell))) continue;
      for (const next of [run[at - 1], run[at + 1]].filter((it) => it !== undefined)) {
        const [dx, dy] = [0, 1].map((axis) => game.cells[next][axis] - game.cells[cell][axis]);
        lines += `M0 0L${dx * 134} ${dy * -134}`;
      }
    }
    return lines && `<path class="mj-run mj-run-edge" d="${lines}"/><path class="mj-run mj-run-${player}" d="${lines}"/>`;
  }

  /** Which positions exact play is for, and why this board is not among them from the start. */
  function limits(game) {
    return `on boards of more than ${game.exactCells} cells exact play is for endings of at most ${game.exactEnding} empty cells.`;
  }

  function drawBar() {
    const { evaluation, game, aids: on } = state;
    bar.hidden = !on.evaluation;
    if (!on.evaluation) return;
    const margin = evaluation?.margin ?? null;
    const within = Math.max(-BAR_POINTS, Math.min(BAR_POINTS, margin ?? 0));
    barFill.style.width = `${50 + (50 * within) / BAR_POINTS}%`;
    bar.classList.toggle("mj-unknown", margin === null);
    const result = margin === null ? "" : margin === 0 ? "a draw" : `${PLAYERS[margin < 0 ? 1 : 0]} wins by ${points(Math.abs(margin))}`;
    const over = state.position.isOver ? "The result: " : "With perfect play: ";
    const unknown = evaluation?.pending ? "Solving…" : "Not solved";
    const text = margin !== null ? over + result : state.position.exact ? unknown : `Not known: ${limits(game)}`;
    say(barText, text);
    // A meter must have a value; without one, only the text is read.
    set(bar, "role", margin === null ? "group" : "meter");
    const value = { min: -BAR_POINTS, max: BAR_POINTS, now: within, text };
    for (const [name, it] of Object.entries(value)) set(bar, `aria-value${name}`, margin === null ? null : it);
  }

  /** Which position is shown in place of the last one, in turns as the list counts them. */
  function viewing() {
    const { moves: all, shown, firstPly } = state;
    if (state.isLive) return "";
    if (!shown) return "Before the first move. ";
    const turn = (count) => Math.ceil((firstPly + count) / 2);
    return `Turn ${turn(shown)} of ${turn(all.length)}, after ${PLAYERS[all[shown - 1].player]}. `;
  }

  function detailText() {
    const move = state.moves[state.shown - 1];
    if (!move) return "";
    const scored = move.scored ? ` and scored ${points(move.scored)}` : "";
    const text = `${PLAYERS[move.player]} ${move.pass ? "passed" : `played ${move.name}`}${scored}`;
    if (!move.loss) return state.isLive ? text : `${text}.`;
    return `${text}, which gives away ${points(move.loss)}${move.blunder ? " and the result" : ""}.`;
  }

  /** The element that has the focus, if it is one of the board. */
  function focused() {
    const element = root.getRootNode().activeElement;
    return root.contains(element) ? element : null;
  }

  function draw() {
    const before = focused();
    const { position, game } = state;
    const usable = legalPieces();
    if (state.yourTurn && usable.length && !usable.includes(piece)) piece = usable[0];
    const size = game.cells.length;
    const open = new Set(position.legal.filter((action) => action !== game.passAction).map((action) => action % size));
    const waits = state.thinking && state.isLive; // the choices are then the opponent's
    const hints = state.aids.hints && !waits ? state.evaluation?.hints ?? null : null;
    const best = hints ? Math.max(...Object.values(hints)) : 0;

    const yours = state.yourTurn && state.seat !== "both" && !position.mustPass ? ": your turn" : "";
    const who = state.thinking && state.isLive ? `${state.title} is thinking…` : position.status + yours;
    const name = state.opponents.find((it) => it.policy === state.opponent)?.name ?? state.title;
    say(status, viewing() + who);
    status.dataset.player = position.isOver ? "" : PLAYERS[position.toPlay].toLowerCase();
    say(demand, position.demand);
    say(detail, detailText());
    coach.draw(state, skipped);
    end.draw(state, Boolean(model.get("link")));
    // Other messages clear the error of an opponent that has failed; it can still be asked again.
    error.hidden = !(state.error || state.failed) || !setup.element.hidden;
    say(errorText, state.error || (state.failed ? `${state.title} did not answer` : ""));
    again.hidden = !state.failed;
    const never = size - 8 * game.copies > game.exactEnding; // so many cells stay empty
    const lacks = !position.exact && !position.isOver && (state.aids.hints || state.aids.mistakes);
    const inexact = lacks ? `No hints${never ? "" : " yet"}: ${limits(game)}` : "";
    const waiting = state.aids.hints && state.evaluation?.pending ? "Solving…" : "";
    say(note, [state.note, inexact, waiting].filter(Boolean).join(" "));
    note.hidden = !note.textContent;

    board.draw(game, (cell) => cellOf(cell, open, hints, best));
    drawBar();
    sides().forEach((player, index) => {
      const isPerson = state.seat === "both" || PLAYERS[player].toLowerCase() === state.seat;
      const turn = !position.isOver && position.toPlay === player;
      const pieceHints = hints && turn
        ? pieces.map((_, kind) => Math.max(...legalCells(kind).map((cell) => hints[kind * size + cell]))) : null;
      trays[index].element.classList.toggle("mj-upper", index === 0);
      trays[index].draw({
        art, player, title: state.seat === "both" ? "" : isPerson ? "you" : name,
        points: position.score[player], hand: position.hands[player], turn,
        active: state.yourTurn && turn && !position.mustPass, thinking: state.thinking && state.isLive && turn,
        chosen: piece, open: usable, hints: pieceHints, best,
      });
    });
    moves.draw(state);

    passButton.hidden = !(state.yourTurn && position.mustPass);
    undo.disabled = !state.canUndo;
    set(newGame, "aria-expanded", String(!setup.element.hidden));
    for (const [aid, element] of Object.entries(aids)) set(element, "aria-pressed", String(state.aids[aid]));
    set(aids.mistakes, "aria-pressed", String(state.marked));
    set(aids.mistakes, "aria-disabled", state.result ? "true" : null);
    legend.hidden = !hints;
    say(scale, `Points for ${PLAYERS[position.toPlay]} with perfect play:`);
    first.disabled = back.disabled = state.shown === 0;
    forth.disabled = last.disabled = state.isLive;
    resume.hidden = state.isLive;
    drawRecord();
    announce(open);
    // A button that can no longer be pressed would lose the focus to the page.
    const after = focused();
    if (before && (!after || after.disabled || !after.getClientRects().length)) board.focus();
  }

  /** Write the record; what was typed or pasted stays until another game begins, as by Load. */
  function drawRecord() {
    if (record.value !== recorded.text && state.number === recorded.number) return;
    if (record.value !== state.record) say(copied, "");
    record.value = state.record;
    recorded = { text: record.value, number: state.number };
  }

  /** Tell a screen reader what has happened, once for each move, step or error. */
  function announce(open) {
    const { position, game } = state;
    const key = JSON.stringify([state.moves.length, state.shown, position.notation, state.thinking]);
    if (key === told) return;
    told = key;
    const cells = [...open].map((cell) => game.names[cell]);
    const allowed = state.yourTurn && cells.length ? ` ${count(cells.length, "cell")} allowed: ${cells.join(" ")}.` : "";
    const score = `Light ${position.score[0]}, Dark ${position.score[1]}.`;
    say(live, `${[detail.textContent.replace(/\.$/, ""), status.textContent].filter(Boolean).join(". ")}. ${score}${allowed}`);
  }

  const update = () => {
    state = model.get("state");
    setup.update(state);
    draw();
  };
  model.on("change:state", update);
  el.append(root);
  const unfollow = followTheme(root);
  draw();
  return () => {
    unfollow();
    model.off("change:state", update);
  };
}

export default { render };
