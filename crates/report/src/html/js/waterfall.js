// Memory before the first batch: what each step of starting up added, one on top of the other.

const STARTING = ["import", "program", "first_op", "build", "trace", "data_adapter", "fit", "fit_entry", "first_batch", "epoch"];

function waterfallSection(report) {
  const steps = startSteps(report);
  if (steps.length < 2) return null;
  const holder = h("div", { class: "chart" });
  const total = steps.reduce((sum, step) => sum + step.bytes, 0);
  const draw = () => holder.clientWidth && holder.replaceChildren(drawWaterfall(holder.clientWidth, steps, total));
  queueMicrotask(() => onWidth(holder, draw));
  return section(
    "start",
    RUN.start.title,
    RUN.start.lead(size(total)),
    holder,
    h("ul", { class: "unseen" }, steps.map((step) => h("li", {}, `${step.words}: ${added(step.bytes)}. ${step.sentence}`))),
  );
}

function startSteps(report) {
  const order = (phase) => {
    const at = STARTING.indexOf(phase ?? "program");
    return at < 0 ? STARTING.length : at;
  };
  return report.components
    .filter((component) => component.kind === "one-time")
    .sort((a, b) => order(a.phase) - order(b.phase))
    .map(({ phase, bytes, sentence, made_at }) => ({
      words: phaseWords(phase ?? "program"),
      bytes,
      sentence: sentence + (made_at ? `, made at ${place(made_at)}` : ""),
    }));
}

function drawWaterfall(width, steps, total) {
  const narrow = width < 520;
  const each = narrow ? 62 : 46;
  const [left, right] = [narrow ? 4 : 150, width - 4];
  const x = linear([0, Math.max(total, ...steps.map((step) => step.bytes))], [left, right]);
  const height = steps.length * each + 8;
  const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "waterfall", "aria-hidden": "true" });
  let sum = 0;
  steps.forEach((step, i) => {
    const y = i * each + (narrow ? 20 : 4);
    const [from, to] = [x(sum), x(sum + step.bytes)].sort((a, b) => a - b);
    if (narrow) svg.append(s("text", { x: left, y: y - 6 }, `${step.words}  ${added(step.bytes)}`));
    else svg.append(s("text", { x: left - 10, y: y + 14, "text-anchor": "end" }, step.words));
    svg.append(s("rect", { class: "step", x: from, y, width: Math.max(to - from, 1), height: 20 }));
    if (!narrow) {
      const words = added(step.bytes);
      const fits = to + words.length * 7 + 8 < right;
      const inside = to - from > words.length * 7 + 16;
      const at = fits ? to + 6 : inside ? to - 6 : from - 6;
      svg.append(s("text", { x: at, y: y + 14, "text-anchor": fits ? "start" : "end", class: !fits && inside ? "on" : "" }, words));
    }
    const room = Math.floor((right - left) / 6.1);
    const sentence = step.sentence.length > room ? `${step.sentence.slice(0, room - 1)}…` : step.sentence;
    svg.append(s("text", { class: "small", x: left, y: y + 34 }, s("title", {}, step.sentence), sentence));
    sum += step.bytes;
    if (i + 1 < steps.length) svg.append(s("line", { class: "joint", x1: x(sum), x2: x(sum), y1: y + 20, y2: y + each }));
  });
  return svg;
}
