// What lies around the curve: bands of phases, axes, ticks of cycles, the limit, the forecast.

/** Phases as bands behind the curve, with their names above it where there is room. */
function phaseBands(frame, { report }) {
  const group = s("g", { class: "bands", "aria-hidden": "true" });
  let [free, said] = [0, ""];
  for (const phase of report.phases ?? []) {
    if (phase.name === "program") continue;
    if (phase.end_seconds <= frame.begin || phase.begin_seconds >= frame.last) continue;
    const from = frame.x(Math.max(frame.begin, phase.begin_seconds));
    const to = frame.x(Math.min(frame.last, phase.end_seconds));
    const width = Math.max(to - from, 0.5);
    const name = `band ${bandClass(phase.name)}`;
    group.append(s("rect", { class: name, x: from, y: frame.top, width, height: frame.bottom - frame.top }));
    group.append(s("rect", { class: `${name} cap`, x: from, y: frame.top - 5, width, height: 5 }));
    const words = phaseWords(phase.name);
    const room = words.length * 6.4;
    if (words === said) continue;
    if (from >= free && width >= Math.min(room, 46) && from + room < frame.right) {
      group.append(s("text", { x: from, y: frame.top - 10, class: "small" }, words));
      free = from + room + 8;
      said = words;
    }
  }
  return group;
}

const BANDS = [
  { key: "start", words: "starting up" },
  { key: "work", words: PICTURES.curve.work },
  { key: "look", words: "validation, predict, evaluate" },
];

/** Start-up, the work itself, and what looks in between have a tint each. */
function bandClass(name) {
  if (["import", "first_op", "build", "fit_entry", "first_batch", "data_adapter", "trace"].includes(name)) return "start";
  return ["validation", "evaluate", "predict"].includes(name) ? "look" : "work";
}

function timeAxis(frame) {
  const group = s("g", { class: "axis", "aria-hidden": "true" });
  for (const tick of timeTicks(frame.end, frame.begin, frame.narrow ? 4 : 8)) {
    const x = frame.x(tick);
    const anchor = x > frame.right - 24 ? "end" : "middle";
    group.append(s("text", { x, y: frame.height - 4, "text-anchor": anchor }, tick === 0 ? "0 s" : tickTime(tick)));
  }
  return group;
}

/** Short words for round times. */
function tickTime(seconds) {
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 3600) return `${seconds / 60} min`.replace(/\.5 min$/, " min 30 s");
  return seconds < 86400 ? `${seconds / 3600} h` : `${Number((seconds / 86400).toFixed(1))} days`;
}

/** When a cycle ended; between two points of the curve, as if those between were equally long. */
function cycleTime(ends, cycle) {
  const at = lowerBound(ends, cycle, (end) => end.cycle);
  const [before, after] = [ends[at - 1], ends[at]];
  if (!after) return NaN;
  if (after.cycle === cycle || !before) return after.seconds;
  return before.seconds + ((cycle - before.cycle) / (after.cycle - before.cycle)) * (after.seconds - before.seconds);
}

/** Cycles as ticks under the picture, numbered where there is room. */
function cycleTicks(frame, { report, ends }) {
  const group = s("g", { class: "axis cycles", "aria-hidden": "true" });
  const { unit, count } = report.cycles;
  if (unit === "window" || ends.length === 0) return group;
  const shown = ends.filter(({ seconds }) => seconds >= frame.begin);
  const every = Math.ceil(shown.length / Math.max(1, (frame.right - frame.left) / 3));
  group.append(s("text", { x: frame.left - 8, y: frame.bottom + 17, "text-anchor": "end" }, unit));
  const tick = (x, length) => group.append(s("line", { class: "tick", x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + length }));
  shown.forEach(({ seconds }, i) => i % every === 0 && tick(frame.x(seconds), 3));
  let free = frame.left;
  for (const cycle of countTicks(count, frame.narrow ? 5 : 12)) {
    const x = frame.x(cycleTime(ends, cycle));
    const half = 4 * String(cycle).length;
    if (!(x - half >= free) || x + half > frame.right + 8) continue;
    tick(x, 6);
    group.append(s("text", { x, y: frame.bottom + 17, "text-anchor": "middle" }, number(cycle)));
    free = x + half + 6;
  }
  const since = report.growth && ends.find(({ cycle }) => cycle >= report.growth.since_cycle);
  if (since && since.seconds > frame.begin && !frame.ahead) {
    const x = frame.x(since.seconds);
    group.append(s("line", { class: "since", x1: x, x2: x, y1: frame.top, y2: frame.bottom }));
    group.append(s("text", { class: "small since", x: x + 4, y: frame.top + 11 }, frame.narrow ? "judged" : "judged from here"));
  }
  return group;
}

function limitLine(frame, { report }) {
  const limit = report.memory.limit_bytes;
  const group = s("g", { class: "limit" });
  if (frame.close) {
    group.append(s("text", { class: "small", x: frame.right, y: frame.top + 11, "text-anchor": "end" }, PICTURES.curve.close));
  }
  if (!limit || limit > frame.most) return group;
  const y = frame.y(limit);
  group.append(s("line", { x1: frame.left, x2: frame.right, y1: y, y2: y }));
  const words = `limit ${size(limit)} (${limitWords(report.memory.limit)})`;
  group.append(s("text", { x: frame.right, y: y - 5, "text-anchor": "end" }, words));
  return group;
}

/** From where the run stands to where the limit is reached. */
function forecastLine(frame, { report, points }) {
  const group = s("g", { class: "forecast" });
  const forecast = report.forecast;
  if (!frame.ahead || !forecast || forecast.seconds_left === null) return group;
  const last = points.at(-1);
  const [x1, y1] = [frame.x(last.seconds), frame.y(last.live + last.retained)];
  const [x2, y2] = [frame.x(last.seconds + forecast.seconds_left), frame.y(forecast.limit_bytes)];
  group.append(s("line", { x1, y1, x2, y2 }), s("circle", { cx: x2, cy: y2, r: 3.5 }));
  const words = `${report.cycles.unit} ${number(report.cycles.count + forecast.cycles_left)}, in ${duration(forecast.seconds_left)}`;
  group.append(s("text", { x: frame.right, y: y2 + 18, "text-anchor": "end" }, words));
  return group;
}
