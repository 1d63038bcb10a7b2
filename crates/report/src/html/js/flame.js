// The icicle: a canvas on which a frame lies over what it called, as wide as its bytes. Only what is wide enough to be
// seen is drawn, so that ten thousand stacks cost what the screen can show.

const ROW = 22;
const THINNEST = 0.7;

class Flame {
  /** `onpoint(node)` when a frame is pointed at or moved to; `onzoom(node)` after a zoom. */
  constructor(onpoint, onzoom) {
    this.onpoint = onpoint;
    this.onzoom = onzoom;
    this.root = this.zoomed = this.current = null;
    this.matches = null;
    this.drawn = [];
    this.canvas = h("canvas", {
      class: "flame",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "flame graph",
      "aria-label": PICTURES.flame.told,
      onpointermove: (event) => this.point(this.at(event)),
      onpointerleave: () => this.point(null),
      onclick: (event) => this.zoom(this.at(event) ?? this.root),
      onkeydown: (event) => this.key(event),
    });
    this.element = h("div", { class: "flame-box" }, this.canvas);
    onColors(this.canvas, () => this.draw());
    onWidth(this.element, () => this.draw());
  }

  show(root) {
    this.root = this.zoomed = root;
    this.current = null;
    this.draw();
  }

  zoom(node) {
    this.zoomed = node;
    this.current = node;
    this.draw();
    this.onzoom(node);
  }

  point(node) {
    if (node === this.current) return;
    this.current = node;
    this.draw();
    this.onpoint(node);
  }

  /** The node under the pointer. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, row] = [event.clientX - box.left, Math.floor((event.clientY - box.top) / ROW)];
    return this.drawn.find((one) => one.row === row && x >= one.x && x < one.x + one.width)?.node ?? null;
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const node = this.current ?? this.zoomed;
    const siblings = node.parent?.children ?? [node];
    const beside = siblings.indexOf(node);
    const moves = {
      ArrowUp: () => this.point(node.parent ?? node),
      ArrowDown: () => this.point(node.children[0] ?? node),
      ArrowLeft: () => this.point(siblings[beside - 1] ?? node),
      ArrowRight: () => this.point(siblings[beside + 1] ?? node),
      Home: () => this.point(this.root),
      Enter: () => this.zoom(node),
      " ": () => this.zoom(node),
      Backspace: () => this.zoom(this.zoomed.parent ?? this.root),
      Escape: () => this.zoom(this.root),
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
    this.uncover();
  }

  /** Scrolls to the frame that keys have moved to. */
  uncover() {
    const one = this.drawn.find(({ node }) => node === this.current);
    if (!one) return;
    const box = this.element;
    const [top, bottom] = [one.row * ROW, (one.row + 1) * ROW];
    if (top < box.scrollTop) box.scrollTop = top;
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }

  /** Where each node lies: ancestors of the zoomed one as wide as the picture, then what is below it. */
  lay(width) {
    const drawn = [];
    const above = [];
    for (let node = this.zoomed.parent; node; node = node.parent) above.unshift(node);
    above.forEach((node, row) => drawn.push({ node, row, x: 0, width, above: true }));
    const open = [{ node: this.zoomed, row: above.length, x: 0, width }];
    while (open.length > 0) {
      const one = open.pop();
      drawn.push(one);
      let x = one.x;
      for (const child of one.node.children) {
        const share = (child.value / one.node.value) * one.width;
        if (share < THINNEST) break; // the rest is thinner still
        open.push({ node: child, row: one.row + 1, x, width: share });
        x += share;
      }
    }
    return drawn;
  }

  draw() {
    const width = this.element.clientWidth;
    if (!this.root || width === 0) return;
    this.drawn = this.lay(width);
    const rows = this.drawn.reduce((most, one) => Math.max(most, one.row), 0) + 1;
    const sharp = window.devicePixelRatio || 1;
    const height = rows * ROW;
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(height * sharp);
    this.canvas.style.height = `${height}px`;
    const ctx = this.canvas.getContext("2d");
    ctx.scale(sharp, sharp);
    ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textBaseline = "middle";
    const palette = flamePalette();
    for (const one of this.drawn) this.drawOne(ctx, one, palette);
  }

  drawOne(ctx, { node, row, x, width, above }, palette) {
    const isMatch = this.matches?.has(node);
    const dims = above || (this.matches && !isMatch);
    ctx.globalAlpha = dims ? 0.45 : 1;
    ctx.fillStyle = isMatch ? palette.match : (palette[node.entry.kind] ?? palette.library);
    ctx.fillRect(x, row * ROW, Math.max(width - 1, 0.6), ROW - 1);
    ctx.globalAlpha = dims ? 0.7 : 1;
    if (node === this.current) {
      ctx.strokeStyle = palette.ink;
      ctx.lineWidth = 2;
      ctx.strokeRect(x + 1, row * ROW + 1, Math.max(width - 3, 1), ROW - 3);
    }
    if (width > 28) {
      ctx.fillStyle = isMatch ? palette.paper : palette.ink;
      ctx.fillText(fitting(ctx, nodeLabel(node), width - 10), x + 5, row * ROW + ROW / 2);
    }
  }
}

function flamePalette() {
  const names = ["user", "library", "standard", "native", "cut", "root", "match", "ink", "paper"];
  const own = new Set(["ink", "paper"]);
  return Object.fromEntries(names.map((name) => [name, color(own.has(name) ? name : `frame-${name}`)]));
}

function nodeLabel({ entry }) {
  const where = entry.where ? `  ${fileName(entry.where.replace(/^\[|\]$/g, ""))}` : "";
  return plain(entry.name + where);
}

/** As much of a text as fits. */
function fitting(ctx, text, room) {
  const short = text.slice(0, Math.ceil(room / 3));
  if (ctx.measureText(short).width <= room) return short;
  let [low, high] = [0, short.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(`${short.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low < 2 ? "" : `${short.slice(0, low)}…`;
}
