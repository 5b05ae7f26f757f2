// The board of mijnlieff, for notebooks (anywidget), the page of `mijnlieff play --browser` and the website.
// It draws `state` and sends the person's requests; all rules are in Rust (src/play). Only the piece in hand
// and the contents of forms are kept here.
//
// One ES module in several files, which static_files.py joins: a notebook loads a single text.

const PLAYERS = ["Light", "Dark"];
const PLAIN = 4; // the drawing of a stone without a sign
const SEATS = { light: "Light (begins)", dark: "Dark", both: "Both sides", drawn: "Light or Dark, drawn" };
const OPENINGS = {
  outside: "Outside: any piece on the edge",
  corner: "Corner: any piece in a corner",
  corner_straight: "Corner, with a Straight",
  anywhere: "Anywhere",
};
const BOARDS = {
  "Standard, 4×4": "####\n####\n####\n####",
  "Long, 8×2": "########\n########",
  "Zigzag": "..####\n..####\n####..\n####..",
  "T-shape": "######\n######\n..##..\n..##..",
  "Ring, with gaps": "..##..\n..##..\n##..##\n##..##\n..##..\n..##..",
  "Large, 6×6": Array(6).fill("######").join("\n"),
  "Largest, 8×8": Array(8).fill("########").join("\n"),
};
const OTHER = "other";
const AIDS = { hints: "Hints", evaluation: "Evaluation", mistakes: "Mistakes" };
const BAR_POINTS = 8; // a margin of this many points fills the evaluation bar, and half the graph

/** Make an element; attributes that are functions listen, and those that are null are left out. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function svg(drawing) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  element.setAttribute("viewBox", "-128 -128 256 256"); // a cell; a stone has the radius 100
  element.setAttribute("aria-hidden", "true");
  element.innerHTML = drawing;
  return element;
}

/** Set an attribute only where it changes, so that screen readers and focus stay calm. */
function set(element, name, value) {
  if (value === null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Whether something was remembered in this browser; pages without storage forget. */
function remembers(name) {
  try {
    return localStorage.getItem(`mijnlieff-${name}`) !== null;
  } catch {
    return false;
  }
}

function remember(name) {
  try {
    localStorage.setItem(`mijnlieff-${name}`, "1");
  } catch {
    // Only for this page, then.
  }
}

/** What a piece demands of the opponent, in words for its owner. */
const demanded = (demand) => `the opponent must place ${demand}`;
const signed = (points) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0");
const points = (count) => `${count} point${count === 1 ? "" : "s"}`;
const signedPoints = (margin) => `${signed(margin)} point${Math.abs(margin) === 1 ? "" : "s"}`;
const count = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;

/** Jupyter's, VS Code's or Colab's theme, or else the one that the browser prefers. */
function isDark() {
  const { body, documentElement } = document;
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false";
  if (body.dataset.vscodeThemeKind) return /dark|high-contrast$/.test(body.dataset.vscodeThemeKind);
  if (/^(dark|light)$/.test(body.dataset.theme)) return body.dataset.theme === "dark"; // of this site
  if (documentElement.getAttribute("theme")) return documentElement.getAttribute("theme") === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

function followTheme(root) {
  const update = () => set(root, "data-theme", isDark() ? "dark" : "light");
  const media = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(update);
  const watched = ["data-jp-theme-light", "data-vscode-theme-kind", "data-theme", "theme"];
  observer.observe(document.body, { attributes: true, attributeFilter: watched });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: watched });
  media.addEventListener("change", update);
  update();
  return () => {
    observer.disconnect();
    media.removeEventListener("change", update);
  };
}
