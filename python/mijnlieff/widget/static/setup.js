/** A player in the list of opponents. */
function nameOf({ level, name, policy, rating }) {
  return level === null ? name : `${level}. ${name} (${policy}, rating ${signed(rating)})`;
}

/** The form for a new game. */
function makeSetup(start, cancel) {
  const select = (options) => h("select", {}, ...Object.entries(options).map(([value, text]) => h("option", { value }, text)));
  const seat = select(SEATS);
  const opponent = select({});
  const board = select({ ...Object.fromEntries(Object.keys(BOARDS).map((name) => [name, name])), [OTHER]: "Other" });
  const rows = h("textarea", { rows: 6, spellcheck: "false", "aria-label": "Rows of the board, # a cell and . a gap" });
  const opening = select(OPENINGS);
  const copies = h("input", { type: "number", min: 1, max: 127, inputmode: "numeric" });
  const field = (text, input) => {
    if (!input.hasAttribute("aria-label")) input.setAttribute("aria-label", text); // not its options
    return h("label", { class: "mj-field" }, h("span", {}, text), input);
  };
  const drawing = field("Rows, # a cell, . a gap", rows);
  const error = h("p", { class: "mj-form-error", role: "alert" });
  const known = h("p", { class: "mj-faint" });
  let game = null; // the one at the table
  let number = 0; // of the game in the last state
  let before = null; // that number when the form was sent
  board.addEventListener("change", () => {
    drawing.hidden = board.value !== OTHER;
    if (board.value !== OTHER) rows.value = BOARDS[board.value];
  });
  /** Say who wins with perfect play, while the form describes the game at the table. */
  function tellKnown() {
    const isSame = rows.value.trim() === game.rows && opening.value === game.opening && copies.value === String(game.copies);
    say(known, isSame ? game.perfectPlay : "");
    known.hidden = !known.textContent;
  }
  const element = h(
    "form",
    {
      class: "mj-setup", "aria-label": "New game", input: tellKnown, change: tellKnown,
      submit: (event) => {
        event.preventDefault();
        before = number;
        start({
          seat: seat.value, opponent: opponent.value, rows: rows.value.trim(),
          opening: opening.value, copies: copies.value,
        });
      },
      keydown: (event) => {
        if (event.key === "Escape") cancel();
      },
    },
    field("You play", seat), known, field("Opponent", opponent), field("Board", board), drawing,
    field("Opening", opening), field("Pieces of each type", copies), error,
    h("div", { class: "mj-buttons" },
      h("button", { type: "submit", class: "mj-button mj-primary" }, "Start"),
      h("button", { type: "button", class: "mj-button", click: cancel }, "Cancel")),
  );
  element.hidden = true;

  function open(state) {
    game = state.game;
    opponent.replaceChildren(...state.opponents.map((it) => h("option", { value: it.policy }, nameOf(it))));
    opponent.value = state.choice;
    seat.value = state.askedSeat;
    rows.value = game.rows;
    board.value = Object.keys(BOARDS).find((name) => BOARDS[name] === game.rows) ?? OTHER;
    drawing.hidden = board.value !== OTHER;
    opening.value = game.opening;
    copies.value = game.copies;
    before = null;
    tellKnown();
    element.hidden = false;
    update(state);
    seat.focus();
  }

  /** Close the form when its game has begun; stay open, with the reason, if it has not. */
  function update(state) {
    if (element.hidden) return;
    number = state.number;
    say(error, state.error);
    error.hidden = !state.error;
    // Other states may come before the answer, such as one that says that the game is being loaded.
    if (before !== null && number !== before) cancel();
  }

  return { element, open, update };
}
