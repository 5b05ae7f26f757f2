/** A player's name, points and pieces; the pieces are a choice when it is the person's turn. */
function makeTray(choose, point, kinds) {
  const name = h("span", { class: "mj-name" });
  const who = h("span", { class: "mj-who" });
  let lines = false;
  const show = (on) => () => {
    lines = on;
    point(on);
  };
  const score = h("button", {
    type: "button", class: "mj-score", title: "Show the lines that score", click: () => show(!lines)(),
    // A finger leaves before it clicks: the lines then stay until the next tap.
    pointerenter: (event) => event.pointerType === "mouse" && show(true)(),
    pointerleave: (event) => event.pointerType === "mouse" && show(false)(), blur: show(false),
  });
  const seat = h("span", { class: "mj-seat" });
  const spinner = h("span", { class: "mj-spinner", "aria-hidden": "true" });
  const rack = h("div", { class: "mj-rack", keydown: step });
  const pieces = kinds.map((_, piece) => {
    const button = h("button", { type: "button", class: "mj-piece", "data-piece": piece, click: () => choose(piece) });
    rack.append(button);
    return button;
  });
  const head = h("div", { class: "mj-player" }, seat, h("span", { class: "mj-names" }, name, who), spinner, score);
  const element = h("section", { class: "mj-tray" }, head, rack);
  let usable = [];

  function step(event) {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const from = pieces.indexOf(event.target);
    if (!way || from < 0 || !usable.length) return;
    event.preventDefault();
    const at = usable.indexOf(from);
    const to = usable[(at + way + usable.length) % usable.length];
    choose(to);
    pieces[to].focus();
  }

  function draw({ art, player, title, points: own, hand, active, turn, thinking, chosen, open, hints, best }) {
    usable = active ? open : [];
    element.dataset.player = PLAYERS[player].toLowerCase();
    element.classList.toggle("mj-turn", turn);
    element.classList.toggle("mj-thinking", thinking);
    if (seat.dataset.player !== String(player)) {
      seat.dataset.player = player;
      seat.replaceChildren(svg(art.stones[player][PLAIN]));
    }
    say(name, PLAYERS[player]);
    say(who, thinking ? `${title} is thinking` : title);
    say(score, String(own));
    set(score, "aria-label", `${PLAYERS[player]}: ${points(own)}; show the lines`);
    set(score, "aria-pressed", String(lines));
    set(element, "aria-label", `${PLAYERS[player]}, ${title}, ${points(own)}`);
    set(rack, "role", active ? "radiogroup" : "group");
    set(rack, "aria-label", active ? "Your piece" : `Pieces of ${PLAYERS[player]}`);
    pieces.forEach((button, piece) => {
      const can = usable.includes(piece);
      const hint = can && hints ? hints[piece] : null;
      const look = JSON.stringify([player, piece, hand[piece], hint, best]);
      if (button.mjLook !== look) {
        button.mjLook = look;
        button.replaceChildren(
          svg(art.stones[player][piece]),
          h("span", { class: "mj-count", "aria-hidden": "true" }, `×${hand[piece]}`),
        );
        if (hint !== null) {
          const quality = qualityOf(hint, best);
          button.append(h("span", { class: "mj-hint", "data-quality": quality, "aria-hidden": "true" }, signed(hint)));
        }
      }
      const kind = kinds[piece];
      const told = hint === null ? "" : `, best ${signedPoints(hint)}`;
      set(button, "aria-label", `${kind.name} ${kind.sign}, ${hand[piece]} left${told}`);
      set(button, "title", `${kind.name}: ${demanded(kind.demand)}`);
      set(button, "role", active ? "radio" : null);
      button.disabled = !active;
      set(button, "aria-checked", active ? String(chosen === piece) : null);
      set(button, "aria-disabled", can ? null : "true");
      set(button, "tabindex", active && chosen === piece ? 0 : -1);
      button.classList.toggle("mj-chosen", active && chosen === piece);
      button.classList.toggle("mj-none", hand[piece] === 0);
    });
  }

  return { element, draw };
}

/** How good an action is: it keeps the best margin, only the outcome, or not even that. */
function qualityOf(margin, best) {
  if (margin === best) return "best";
  return Math.sign(margin) === Math.sign(best) ? "less" : "bad";
}

const QUALITIES = { best: "best", less: "keeps the result, loses points", bad: "changes the result" };
