// Which births are shown: bars of the memory that lives, by the cycle it was born in, and a range of them.

function birthsPanel(report, profile, onchange) {
  const bins = profile.cycles.length;
  const sums = new Array(bins + 1).fill(0);
  for (const stack of profile.stacks) for (const [bin, bytes] of stack.births) sums[Math.min(bin, bins)] += bytes;
  const range = { from: Math.min(1, bins), to: Math.max(0, bins - 1) };
  const unit = report.cycles.unit;
  const words = h("span", { class: "found", role: "status" });
  const bars = h("div", { class: "births" });
  const input = (name, label) =>
    h("label", {}, label, " ", h("input", {
      type: "range", min: "0", max: String(bins), value: String(range[name]), id: `births-${name}`,
      oninput: (event) => set(name, Number(event.target.value)),
    }));
  const inputs = { from: input("from", "born from"), to: input("to", "to") };
  const set = (name, value) => {
    range[name] = value;
    if (range.from > range.to) range[name === "from" ? "to" : "from"] = value;
    update();
    onchange();
  };
  const update = () => {
    for (const name of ["from", "to"]) {
      const one = inputs[name].querySelector("input");
      one.value = String(range[name]);
      one.setAttribute("aria-valuetext", binWords(range[name], profile, unit));
    }
    const { from, to } = range;
    words.textContent = from === to ? binWords(from, profile, unit) : `${binWords(from, profile, unit)} to ${binWords(to, profile, unit)}`;
    drawBirths(bars, sums, range, profile, unit, (bin) => {
      range.from = range.to = bin;
      update();
      onchange();
    });
  };
  const element = h("div", { class: "births-box", hidden: true }, bars, h("div", { class: "bar" }, inputs.from, inputs.to, words));
  onWidth(bars, update);
  update();
  return { element, has: (bin) => Math.min(bin, bins) >= range.from && Math.min(bin, bins) <= range.to };
}

/** The cycles of a bin: `epoch 5`, `steps 101 to 200`. */
function binWords(bin, profile, unit) {
  if (bin >= profile.cycles.length) return `after the last ${unit}`;
  const last = profile.cycles[bin];
  const first = bin === 0 ? 1 : profile.cycles[bin - 1] + 1;
  const begins = bin === 0 ? "start-up and " : "";
  return begins + (first >= last ? `${unit} ${number(last)}` : `${plural(unit)} ${number(first)} to ${number(last)}`);
}

function drawBirths(holder, sums, range, profile, unit, onpick) {
  const width = holder.clientWidth || 300;
  const height = 56;
  const most = Math.max(1, ...sums);
  const each = width / sums.length;
  const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  sums.forEach((bytes, bin) => {
    const tall = Math.max(1, (Math.max(0, bytes) / most) * (height - 4));
    const isIn = bin >= range.from && bin <= range.to;
    const bar = s("rect", { class: isIn ? "birth in" : "birth", x: bin * each, y: height - tall, width: Math.max(each - 1, 0.5), height: tall });
    const press = s("rect", { class: "press", x: bin * each, y: 0, width: each, height, onclick: () => onpick(bin) });
    press.append(s("title", {}, `${binWords(bin, profile, unit)}: ${size(bytes)} live`));
    svg.append(bar, press);
  });
  holder.replaceChildren(svg);
}
