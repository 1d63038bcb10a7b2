// Elements from plain values. Strings of the program become text nodes and attributes that run nothing; this is the only
// file that makes elements.

/** Characters that show nothing, or turn the text around them: told by their number. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

function plain(value) {
  return String(value).replace(UNSEEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

function make(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : plain(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : plain(child));
  }
  return element;
}

/** An element: `h("p", {class: "note"}, "text", other)`. Functions in `on...` listen. */
function h(tag, attributes, ...children) {
  return make(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
function s(tag, attributes, ...children) {
  return make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function button(label, attributes, onclick) {
  return h("button", { type: "button", ...attributes, onclick }, label);
}

/** One of several: buttons of which one is pressed. Calls back with the value that was chosen. */
function choice(label, options, chosen, onchange) {
  const group = h("div", { class: "choice", role: "group", "aria-label": label });
  for (const [value, words] of options) {
    const press = () => {
      for (const other of group.children) other.setAttribute("aria-pressed", String(other === one));
      onchange(value);
    };
    const one = button(words, { "aria-pressed": String(value === chosen) }, press);
    group.append(one);
  }
  return group;
}

/** A section with its heading and the sentence that tells how to read it. */
function section(id, title, lead, ...children) {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    lead && h("p", { class: "lead" }, lead),
    ...children,
  );
}

/** A table that scrolls within itself where the screen is narrow. Columns: [title, class]; rows of cells. */
function table(caption, columns, rows) {
  const cell = (content, i) =>
    i === 0
      ? h("th", { scope: "row", class: columns[i][1] }, content)
      : h("td", { class: columns[i][1] }, content);
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map(([title, name]) => h("th", { scope: "col", class: name }, title)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell)))),
    ),
  );
}

/** Calls `draw(width)` now and whenever the element gets another width. */
function onWidth(element, draw) {
  let last = 0;
  const look = () => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) draw((last = width));
  };
  new ResizeObserver(look).observe(element);
  look();
}
