// Who holds how much: paths from roots that a person knows, as a tree.

/** Roots that are shown at once; with more holders than that, their parts are folded. */
const MANY = 12;

function holdersSection(report) {
  const held = (report.holders ?? []).filter(({ live_bytes }) => live_bytes > 0);
  if (held.length === 0) return null;
  const tree = holderTree(held);
  const draw = { most: Math.max(...tree.children.map((node) => node.bytes)), open: held.length <= MANY };
  const [first, rest] = [tree.children.slice(0, MANY), tree.children.slice(MANY)];
  const list = (nodes) => h("ul", { class: "tree" }, nodes.map((node) => holderNode(node, draw)));
  return section(
    "holders",
    "Holders",
    RUN.holders,
    list(first),
    rest.length > 0 && h("details", {}, h("summary", {}, `${number(rest.length)} smaller ones: ${size(sum(rest))}`), list(rest)),
  );
}

/** `fit(): callbacks[0].saved[*]` in steps: the root, then each attribute or item. A key may hold dots and brackets between its quotes. */
function pathSteps(path) {
  const [, root, rest] = path.match(/^([^[ ]*\(\)): (.*)$/su) ?? [path, "", path];
  const steps = rest.match(/^[^.[]+|\.<[^>]*>|\.[^.[]+|\[(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\]'"])*\]|./gsu) ?? [rest];
  return root ? [root, ...steps] : steps;
}

function holderTree(held) {
  const root = { name: "", bytes: 0, holder: null, known: new Map(), children: [] };
  for (const { holder, live_bytes } of held) {
    let node = root;
    for (const name of pathSteps(holder.path)) {
      if (!node.known.has(name)) node.known.set(name, { name, bytes: 0, holder: null, known: new Map(), children: [] });
      node = node.known.get(name);
      node.bytes += live_bytes;
    }
    node.holder = holder;
  }
  return joined(root);
}

/** A step with one way on is told together with it. */
function joined(node) {
  node.children = [...node.known.values()].map(joined).sort((a, b) => b.bytes - a.bytes);
  if (node.name && !node.holder && node.children.length === 1) {
    const [only] = node.children;
    const between = node.known.size === 1 && !/^[.[]/.test(only.name) ? ": " : "";
    return { ...only, name: node.name + between + only.name };
  }
  return node;
}

function sum(nodes) {
  return nodes.reduce((all, node) => all + node.bytes, 0);
}

function holderNode(node, draw) {
  const share = h("i", { class: "share" });
  share.style.width = `${Math.max(0.5, (100 * node.bytes) / draw.most)}%`;
  const { holder } = node;
  const words = [
    h("span", { class: "bytes" }, size(node.bytes)),
    h("span", { class: "held" },
      h("code", { class: "path" }, node.name),
      holder?.elements && [" ", h("span", { class: "elements" }, holder.elements)],
      holder?.owner && h("span", { class: "note" }, ` ${holder.kind ? `${holder.kind} of ` : ""}${holder.owner}`),
      holder?.bound != null && h("span", { class: "note" }, ` at most ${number(holder.bound)} elements`),
      h("span", { class: "share-box", "aria-hidden": "true" }, share),
    ),
  ];
  if (node.children.length === 0) return h("li", {}, h("div", { class: "row" }, words));
  return h(
    "li",
    {},
    h("details", { open: draw.open }, h("summary", { class: "row" }, words), h("ul", {}, node.children.map((child) => holderNode(child, draw)))),
  );
}
