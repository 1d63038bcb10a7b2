// The flame graph with its controls, its words, and the heaviest lines as a table.

/** What was chosen, also for the next time that the section is made. */
const flameWanted = {};

function flameSection(report, profile) {
  if (!profile || profile.stacks.length === 0) return null;
  const unit = report.cycles.unit;
  const forest = new Forest(profile);
  const state = { weight: report.verdict === "leak" && profile.stacks.some((one) => one.bytes_per_cycle > 0) ? "growth" : "live", python: true, fold: true, ...flameWanted };
  const readout = h("p", { class: "readout", "aria-live": "polite" });
  const found = h("span", { class: "found", role: "status" });
  const out = h("button", { type: "button", class: "quiet", disabled: true, onclick: () => flame.zoom(flame.root) }, "zoom out");
  const rest = (node) => readout.replaceChildren(...nodeWords(node ?? flame.zoomed, flame.root, state, unit));
  const flame = new Flame(rest, (node) => {
    out.disabled = node === flame.root;
    rest(node);
  });
  const births = birthsPanel(report, profile, () => state.weight === "births" && show());
  const weights = {
    live: (stack) => stack.live_bytes,
    growth: (stack) => stack.bytes_per_cycle,
    births: (stack) => stack.births.reduce((sum, [bin, bytes]) => sum + (births.has(bin) ? bytes : 0), 0),
  };
  const show = () => {
    const tree = forest.tree(weights[state.weight], state.python, state.fold);
    tree.entry.name = rootWords(tree, state, unit);
    births.element.hidden = state.weight !== "births";
    out.disabled = true;
    flame.show(tree);
    look();
    rest(null);
  };
  const set = (name) => (value) => {
    state[name] = flameWanted[name] = value;
    show();
  };
  const look = () => {
    flame.matches = matching(flame.root, search.value);
    const tops = flame.matches && topmost(flame.matches);
    found.textContent = tops ? foundWords(tops, flame.root) : "";
    flame.draw();
    return tops;
  };
  const search = h("input", {
    type: "search",
    placeholder: "function or file",
    "aria-label": "Search frames",
    oninput: look,
    onkeydown: (event) => {
      const tops = event.key === "Enter" && look();
      if (tops?.length) flame.zoom(tops[(tops.indexOf(flame.zoomed) + 1) % tops.length]);
    },
  });
  const fold = h("input", { type: "checkbox", id: "fold", checked: state.fold, onchange: () => set("fold")(fold.checked) });
  queueMicrotask(show);
  return section(
    "sites",
    "Memory by site",
    PICTURES.flame.lead,
    h("div", { class: "bar" },
      choice("Weight", [["live", "live now"], ["growth", `growth per ${unit}`], ["births", "by birth"]], state.weight, set("weight")),
      choice("Frames", [[true, "Python only"], [false, PICTURES.flame.merged]], state.python, set("python")),
      h("label", { for: "fold" }, fold, " fold library frames"),
    ),
    h("div", { class: "bar" }, search, found, out),
    births.element,
    flame.element,
    readout,
    heaviestLines(profile, unit),
  );
}

function rootWords(tree, state, unit) {
  const words = { live: "live memory", growth: `growth per ${unit}`, births: PICTURES.flame.births }[state.weight];
  const less = tree.negative < 0 ? PICTURES.flame.shrank(size(-tree.negative)) : "";
  return tree.value > 0 ? `${words}: ${size(tree.value)}${less}` : `${words}: nothing`;
}

function nodeWords(node, root, state, unit) {
  if (node === root) return [h("b", {}, root.entry.name), ` from ${counted(root.samples, "sample")}.`];
  const { entry } = node;
  const bytes = state.weight === "growth" ? `${added(node.value)} per ${unit}` : size(node.value);
  const own = node.own > 0 && node.own < node.value ? PICTURES.flame.own(size(node.own)) : "";
  const folded = entry.folded > 1 ? PICTURES.flame.folded(entry.folded) : "";
  return [
    h("b", {}, entry.name, folded),
    entry.where && [" ", h("code", {}, entry.where)],
    `: ${bytes}, ${percent(node.value / root.value)}${own}, ${counted(node.samples, "sample")}`,
  ].flat(Infinity).filter(Boolean);
}

function matching(root, words) {
  const wanted = words.trim().toLowerCase();
  if (!wanted || !root) return null;
  const out = new Set();
  for (const node of nodesBelow(root)) {
    if (node !== root && `${node.entry.name} ${node.entry.where}`.toLowerCase().includes(wanted)) out.add(node);
  }
  return out;
}

/** Matches that lie in no other match, the widest first: their widths may be summed. */
function topmost(matches) {
  const isInside = (node) => {
    for (let above = node.parent; above; above = above.parent) if (matches.has(above)) return true;
    return false;
  };
  return [...matches].filter((node) => !isInside(node)).sort((a, b) => b.value - a.value);
}

function foundWords(tops, root) {
  if (tops.length === 0) return "nothing found";
  const sum = tops.reduce((all, node) => all + node.value, 0);
  return PICTURES.flame.found(counted(tops.length, "place"), percent(sum / root.value));
}

/** The user's innermost lines, or the part that no line of the user's was found for. */
function heaviestLines(profile, unit) {
  const MOST = 40;
  const sums = new Map();
  for (const stack of profile.stacks) {
    const frame = stack.frames.map((id) => profile.frames[id]).findLast((one) => one?.kind === "user");
    const key = frame ? `${framePlace(frame)} ${frame.function}` : "";
    const sum = sums.get(key) ?? { frame, live: 0, growth: 0, samples: 0 };
    sum.live += stack.live_bytes;
    sum.growth += stack.bytes_per_cycle;
    sum.samples += stack.samples;
    sums.set(key, sum);
  }
  const rows = [...sums.values()].sort((a, b) => b.live - a.live).slice(0, MOST);
  const columns = [["your innermost line", ""], ["function", ""], ["live", "right"], [`growth per ${unit}`, "right"], ["samples", "right"]];
  const cells = ({ frame, live, growth, samples }) => [
    frame ? h("code", {}, framePlace(frame)) : "none of yours",
    frame?.function ?? "",
    size(live),
    growth === 0 ? "" : added(growth),
    number(samples),
  ];
  const details = h("details", { class: "numbers" }, h("summary", {}, PICTURES.flame.table));
  details.addEventListener("toggle", () => details.append(table("The heaviest lines", columns, rows.map(cells))), { once: true });
  return details;
}
