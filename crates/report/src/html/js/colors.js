// Colours for what is drawn on a canvas, which knows no style sheet: read from the page whenever light turns to dark.

const colors = { listeners: [], known: new Map() };

/** The colour that a custom property stands for at this moment. */
function color(name) {
  if (!colors.known.has(name)) colors.known.set(name, resolved(name));
  return colors.known.get(name);
}

function resolved(name) {
  const probe = h("span", { class: "probe" });
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

/** Calls `draw` whenever colours changed, as long as the element is on the page. */
function onColors(element, draw) {
  colors.listeners.push({ element, draw });
}

function recolor() {
  colors.known.clear();
  for (const { draw } of colors.listeners) draw();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
matchMedia("print").addEventListener("change", recolor);

/** The button that turns light to dark and back. */
function themeButton() {
  const isDark = () => {
    const said = document.documentElement.dataset.theme;
    return said ? said === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const turn = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    one.textContent = isDark() ? "Light" : "Dark";
    recolor();
  };
  const one = button(isDark() ? "Light" : "Dark", { class: "quiet", "aria-label": SHARED.theme }, turn);
  return one;
}
