// What lies around a page: its head, the links to its sections, its foot, and what printing unfolds.

/** Fills the head of the page: what it is about, and what else stands there. */
function fillHead(...parts) {
  const nav = h("nav", { "aria-label": "Sections", id: "sections" });
  document.getElementById("top").replaceChildren(...parts.filter(Boolean), nav, themeButton());
}

function nameLine(...names) {
  return h("p", { class: "name" }, h("b", {}, "nilometer"), " ", names);
}

/** The way back to the list of captures, where a server has one. */
function homeLink(served) {
  return served?.home && h("a", { class: "home", href: served.home }, "All captures");
}

/** Headings that are too long for a link. */
const SHORT = { curve: "Curve", components: "Parts", sites: "Sites", types: "Types", start: "Start-up", framework: "Framework", processes: "Children", devices: "GPUs" };

/** Links to the sections that are there. */
function navigation(main) {
  const links = [...main.querySelectorAll(":scope > section[id]")].flatMap((one) => {
    const heading = one.querySelector("h2");
    return heading ? [h("a", { href: `#${one.id}` }, SHORT[one.id] ?? heading.textContent)] : [];
  });
  document.getElementById("sections").replaceChildren(...(links.length > 1 ? links : []));
}

function fillFoot(words) {
  document.getElementById("foot").replaceChildren(h("p", {}, words, " ", SHARED.units));
}

/** The page has all that it will have. */
function whole(main) {
  navigation(main);
  // A link into a part that had yet to come.
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  document.documentElement.dataset.ready = "yes";
  requestAnimationFrame(() => performance.mark("whole"));
}

/** Calls `later` once what is there already was painted. */
function afterPaint(later) {
  // A page that nobody looks at yet is not painted: the rest must come all the same.
  let isBegun = false;
  const once = () => {
    if (!isBegun) later();
    isBegun = true;
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, 500);
}

// On paper nothing can be unfolded: what is folded is printed, but for tables whose numbers the pictures show.
window.addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details:not([open], .numbers)")) {
    one.open = true;
    one.dataset.wasClosed = "yes";
  }
});
window.addEventListener("afterprint", () => {
  for (const one of document.querySelectorAll("details[data-was-closed]")) {
    one.open = false;
    delete one.dataset.wasClosed;
  }
});
