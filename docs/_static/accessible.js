// What the theme's pages lack for people who use a keyboard or a screen reader.
document.addEventListener("DOMContentLoaded", () => {
  const name = (selector, text) => document.querySelector(selector)?.setAttribute("aria-label", text);
  name("aside.sidebar-drawer", "Pages");
  name("aside.toc-drawer", "On this page");
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");
  for (const wide of document.querySelectorAll("pre, .table-wrapper")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
  const top = document.querySelector(".back-to-top");
  if (top) {
    const place = document.createElement("nav");
    place.setAttribute("aria-label", "Top");
    top.replaceWith(place);
    place.append(top);
  }
});
