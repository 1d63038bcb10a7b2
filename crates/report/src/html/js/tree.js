// Stacks merged into a tree, outermost frames first: by a weight, with library frames folded or not, with machine code
// or not.

function frameName(frame) {
  if (frame.kind === "cut") return frame.function || "frames missing";
  return frame.function || "?";
}

function framePlace(frame) {
  if (!frame.file) return "";
  return frame.line > 0 ? `${frame.file}:${frame.line}` : `[${frame.file}]`;
}

/** The package that a file of a library belongs to. */
function packageOf(frame) {
  if (frame.kind === "native") return frame.file || "machine code";
  if (frame.kind === "standard") return "python";
  const parts = frame.file.split("/");
  const at = parts.findLastIndex((part) => part === "site-packages" || part === "dist-packages");
  return (parts[at + 1] || "library").replace(/\.py$/, "");
}

/** Functions that only pass a call on, as decorators make them: a run is named after what they call. */
function isWrapper(frame) {
  return frame.kind !== "native" && (frame.function.includes("<locals>") || /^_*(wrapper|call|__call__)/.test(frame.function));
}

/** What stands in the tree for a frame. */
function frameEntry(frame) {
  return { key: null, kind: frame.kind, name: frameName(frame), where: framePlace(frame), folded: 0 };
}

/**
 * Makes trees from a profile. Frames become entries once per pair of options, so that another weight is only a sum.
 */
class Forest {
  constructor(profile) {
    this.profile = profile;
    this.paths = new Map();
  }

  /** Per stack its entries, outermost first. */
  pathsFor(python, fold) {
    const options = `${python} ${fold}`;
    if (!this.paths.has(options)) {
      const known = new Map();
      this.paths.set(options, this.profile.stacks.map((stack) => this.path(stack, python, fold, known)));
    }
    return this.paths.get(options);
  }

  path(stack, python, fold, known) {
    const out = [];
    let run = null;
    const close = () => {
      if (run) out.push(this.foldedEntry(run, known));
      run = null;
    };
    for (const id of stack.frames) {
      const frame = this.profile.frames[id];
      if (!frame || (python && frame.kind === "native")) continue;
      const folds = fold && (frame.kind === "library" || frame.kind === "standard" || frame.kind === "native");
      if (!folds) {
        close();
        out.push(this.entry(`frame ${id}`, known, () => frameEntry(frame)));
      } else if (run && (run.first.kind === "native") === (frame.kind === "native")) {
        run.count += 1;
        if (isWrapper(run.first) && packageOf(run.first) === packageOf(frame)) run.first = frame;
      } else {
        close();
        run = { first: frame, count: 1 };
      }
    }
    close();
    if (out.length === 0) out.push(this.entry("none", known, () => ({ kind: "cut", name: PICTURES.flame.noLine, where: "", folded: 0 })));
    return out;
  }

  /** One entry for a run of frames that are not the user's: named after the one that was entered first. */
  foldedEntry(run, known) {
    const owner = packageOf(run.first);
    const isNative = run.first.kind === "native";
    const name = isNative ? owner : `${owner}: ${run.first.function || "?"}`;
    const entry = this.entry(`fold ${name}`, known, () => ({ kind: run.first.kind, name, where: "", folded: 0 }));
    entry.folded = Math.max(entry.folded, run.count);
    return entry;
  }

  entry(key, known, make) {
    let entry = known.get(key);
    if (!entry) known.set(key, (entry = { ...make(), key }));
    return entry;
  }

  /** The tree under a weight: a function from a stack to bytes; what weighs nothing or less is left out. */
  tree(weight, python, fold) {
    const paths = this.pathsFor(python, fold);
    const root = newNode({ kind: "root", name: "all", where: "", folded: 0 }, null);
    let negative = 0;
    this.profile.stacks.forEach((stack, i) => {
      const bytes = weight(stack);
      if (bytes < 0) negative += bytes;
      if (!(bytes > 0)) return;
      let node = root;
      node.value += bytes;
      node.samples += stack.samples;
      for (const entry of paths[i]) {
        const child = childOf(node, entry);
        child.value += bytes;
        child.samples += stack.samples;
        node = child;
      }
      node.own += bytes;
    });
    root.negative = negative;
    settle(root);
    return root;
  }
}

function newNode(entry, parent) {
  return { entry, parent, value: 0, own: 0, samples: 0, known: null, children: [], depth: parent ? parent.depth + 1 : 0 };
}

/** Children up to which looking through them is quicker than a map, of which there would be hundreds of thousands. */
const FEW = 8;

function childOf(node, entry) {
  const { children, known } = node;
  let child = known ? known.get(entry) : children.find((one) => one.entry === entry);
  if (!child) {
    children.push((child = newNode(entry, node)));
    if (known) known.set(entry, child);
    else if (children.length > FEW) node.known = new Map(children.map((one) => [one.entry, one]));
  }
  return child;
}

/** The heaviest child first. */
function settle(root) {
  for (const node of nodesBelow(root)) {
    if (node.children.length > 1) node.children.sort((a, b) => b.value - a.value || (a.entry.key < b.entry.key ? -1 : 1));
    node.known = null;
  }
}

/** All nodes below, and the node itself, parents first. */
function* nodesBelow(root) {
  const open = [root];
  while (open.length > 0) {
    const node = open.pop();
    yield node;
    for (let i = node.children.length - 1; i >= 0; i -= 1) open.push(node.children[i]);
  }
}
