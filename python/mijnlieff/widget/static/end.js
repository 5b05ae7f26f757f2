const GRAPH = { width: 300, height: 84 };

/** The exact value of each position of the game; a click shows the position. */
function makeGraph(go) {
  const root = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const { width, height } = GRAPH;
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.setAttribute("role", "img");
  root.setAttribute("class", "mj-graph");
  let count = 1;
  root.addEventListener("click", (event) => {
    const box = root.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * count));
  });

  function draw({ values, shown, moves }) {
    count = Math.max(1, values.length - 1);
    const x = (index) => (index * width) / count;
    const y = (margin) => height / 2 - (Math.max(-BAR_POINTS, Math.min(BAR_POINTS, margin)) * (height / 2 - 5)) / BAR_POINTS;
    // A value holds until the next move.
    let line = "";
    values.forEach((value, index) => {
      if (value === null) return;
      const known = index > 0 && values[index - 1] !== null;
      line += known ? `V${y(value)}` : `M${x(index)} ${y(value)}`;
      if (index < count) line += `H${x(index + 1)}`;
    });
    const dots = moves.map((move, index) => !move.loss ? "" :
      `<circle class="${move.blunder ? "mj-dot-bad" : "mj-dot-warn"}" cx="${x(index + 1)}" cy="${y(values[index + 1] ?? 0)}" r="4"/>`);
    root.innerHTML = `<rect class="mj-graph-dark" y="${height / 2}" width="${width}" height="${height / 2}"/>`
      + `<path class="mj-graph-zero" d="M0 ${height / 2}H${width}"/><path class="mj-graph-now" d="M${x(shown)} 0V${height}"/>`
      + `<path class="mj-graph-line" d="${line}"/>${dots.join("")}`;
    const told = values.map((value) => (value === null ? "unknown" : signed(value))).join(", ");
    set(root, "aria-label", `Value with perfect play after each move, points of Light minus Dark: ${told}`);
  }

  return { element: root, draw };
}

/** What is shown when a game is over: who won, what was given away, and what next. */
function makeEnd({ go, again, share }) {
  const text = h("p", { class: "mj-result" });
  const review = h("p");
  const mistakes = h("div", { class: "mj-buttons mj-faults" });
  const back = h("p", { class: "mj-faint" }, "Press a move to go back to it; Hints then shows what was better.");
  const shared = h("p", { class: "mj-faint", role: "status" });
  const graph = makeGraph(go);
  const caption = h("p", { class: "mj-faint" }, "Value with perfect play: Light above, Dark below the middle.");
  const shareButton = h("button", { type: "button", class: "mj-button", click: async () => say(shared, await share()) }, "Share");
  const result = h("div", { class: "mj-end-result" }, text, review, mistakes, back,
    h("div", { class: "mj-buttons" },
      h("button", { type: "button", class: "mj-button mj-primary", click: again }, "Play again"), shareButton), shared);
  const element = h("section", { class: "mj-end", "aria-label": "Result and review" }, result, graph.element, caption);
  let look = "";

  function draw(state, canShare) {
    const { result: end, values, moves } = state;
    element.hidden = !values;
    result.hidden = !end;
    if (!end) say(shared, ""); // it was about another game
    if (!values) return;
    graph.draw(state);
    if (!end) return;
    say(text, end.text);
    say(review, end.review);
    back.hidden = !end.mistakes.length;
    shareButton.hidden = !canShare;
    const next = JSON.stringify([end.mistakes, moves.map((move) => move.name)]);
    if (next === look) return;
    look = next;
    mistakes.replaceChildren(...end.mistakes.map((index) => {
      const { name, loss } = moves[index];
      const shown = `${Math.floor((state.firstPly + index) / 2) + 1}. ${name} −${loss}`;
      return h("button", {
        type: "button", class: "mj-button", click: () => go(index), "aria-label": `${shown}: show the position before it`,
      }, shown);
    }));
  }

  return { element, draw };
}
