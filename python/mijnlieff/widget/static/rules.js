/** The four pieces with what they demand, and the rules in short. */
function makeRules(art, pieces) {
  const piece = ({ name, demand }, kind) => h("li", {},
    h("span", { class: "mj-sample" }, svg(art.stones[0][kind])), h("span", {}, h("b", {}, name), `: ${demanded(demand)}.`));
  return h("details", { class: "mj-more" }, h("summary", {}, "Rules"),
    h("ul", { class: "mj-pieces" }, ...pieces.map(piece)),
    h("p", {}, "Each player has the same pieces, two of each kind in the standard game. Light begins; the piece just placed says where the next one may go. Stones never block a line, but gaps in the board do. Two cells that meet at a corner touch, and a diagonal runs through it."),
    h("p", {}, "Whoever has no allowed cell passes, and the other may then place anywhere. When a player has placed the last piece, the opponent has one more turn."),
    h("p", {}, "An unbroken run of three own stones in a row, column or diagonal is 1 point, of four 2, and so on. More points win."));
}

/** Remarks during the first game; `skip` ends them for good. */
function makeCoach(skip) {
  const text = h("span");
  const element = h("p", { class: "mj-coach" }, text,
    h("button", { type: "button", class: "mj-button", click: skip }, "Skip"));

  function remark(state) {
    const { position, moves } = state;
    if (!state.yourTurn) return text.textContent; // until there is something to do
    const own = moves.filter((move) => move.player === position.toPlay && !move.pass).length;
    if (position.mustPass) return "No allowed cell is empty, so you must pass. Your opponent may then place anywhere.";
    if (moves.at(-1)?.scored) return `Three in a line are a point, four are two: your opponent has just scored ${moves.at(-1).scored}.`;
    if (moves.at(-1)?.pass) return "Your opponent had no allowed cell and passed, so you may place on any empty cell.";
    if (own === 0) return "Choose one of your pieces, then a marked cell. Your piece decides where your opponent may go next.";
    if (own === 1) return "The piece with the ring was placed last. It demands what you read above, so only the marked cells are allowed.";
    if (own === 2) return "Build lines of three and more, and choose pieces that keep your opponent away from them. Hints shows what each move is worth.";
    return "";
  }

  function draw(state, isSkipped) {
    const told = isSkipped || !state.isLive || state.position.isOver || state.seat === "both" ? "" : remark(state);
    say(text, told);
    element.hidden = !told;
  }

  return { element, draw };
}
