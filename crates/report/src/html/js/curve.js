// The curve: memory over time in layers, phases as bands, cycles as ticks, the limit and the forecast as lines.

const LAYERS = [
  { key: "live", words: "live", tells: PICTURES.curve.live },
  { key: "retained", words: "retained", tells: PICTURES.curve.retained },
  { key: "file", words: "file-backed", tells: PICTURES.curve.file },
];

/** What was chosen, also for the next time that the section is made. */
const wanted = { range: "run" };

/** Points as the picture has them: what lies on what. */
function curvePoints(report) {
  return report.timeline.map((point) => {
    const anonymous = point.anonymous_bytes ?? point.live_bytes ?? 0;
    const live = point.live_bytes ?? anonymous;
    return {
      seconds: point.seconds,
      cycle: point.cycle,
      live,
      retained: Math.max(0, anonymous - live),
      file: point.file_bytes ?? 0,
      device: point.device_bytes ?? null,
      known: point,
    };
  });
}

/** Where each cycle ended, as far as the curve has points. */
function cycleEnds(points) {
  const ends = [];
  let last = 0;
  for (const point of points) {
    if (point.cycle > last) ends.push({ cycle: point.cycle, seconds: point.seconds });
    last = Math.max(last, point.cycle);
  }
  return ends;
}

function curveSection(report) {
  const points = curvePoints(report);
  if (points.length < 2) return section("curve", "The curve", PICTURES.curve.nothing);
  const state = { report, points, ends: cycleEnds(points), range: "run", at: null };
  const holder = h("div", { class: "chart" });
  const readout = h("p", { class: "readout", "aria-live": "polite" }, curveHint(state));
  const redraw = () => holder.clientWidth && drawCurve(holder, readout, state);
  const options = [
    ["run", "the run"],
    state.ends.length >= 3 && ["cycles", `the ${plural(report.cycles.unit)}`],
    report.memory.limit_bytes && ["limit", PICTURES.curve.limit(report.forecast)],
  ].filter(Boolean);
  if (options.some(([range]) => range === wanted.range)) state.range = wanted.range;
  const choose = (value) => {
    state.range = wanted.range = value;
    redraw();
  };
  const out = section(
    "curve",
    "The curve",
    PICTURES.curve.lead,
    h("div", { class: "bar" }, legend(report, points), options.length > 1 && choice(PICTURES.curve.range, options, state.range, choose)),
    holder,
    readout,
    curveTable(state),
  );
  queueMicrotask(() => onWidth(holder, redraw));
  return out;
}

function legend(report, points) {
  const shown = LAYERS.filter(({ key }) => points.some((point) => point[key] > 0));
  const layers = shown.map(({ key, words, tells }) => h("li", { title: tells }, h("i", { class: `key ${key}` }), words));
  const bands = BANDS.filter(({ key }) => (report.phases ?? []).some(({ name }) => name !== "program" && bandClass(name) === key));
  return h("ul", { class: "legend" }, layers, bands.map(({ key, words }) => h("li", {}, h("i", { class: `key strip ${key}` }), words)));
}

function drawCurve(holder, readout, state) {
  const frame = curveFrame(holder.clientWidth, state);
  const svg = s("svg", {
    class: "curve",
    width: frame.width,
    height: frame.height,
    viewBox: `0 0 ${frame.width} ${frame.height}`,
    tabindex: "0",
    role: "img",
    "aria-label": curveWords(state),
  });
  svg.append(phaseBands(frame, state), byteAxis(frame), layerShapes(frame), trendLine(frame, state));
  if (!frame.close && frame.shown.some((point) => point.device !== null)) svg.append(deviceLine(frame));
  svg.append(timeAxis(frame, state), cycleTicks(frame, state), limitLine(frame, state), forecastLine(frame, state));
  holder.replaceChildren(svg);
  listenToCurve(svg, readout, frame, state);
}

/** Sizes and scales of the picture: of the whole run, from the first cycles on, or up to the limit. */
function curveFrame(width, state) {
  const { report, points, ends, range } = state;
  const ahead = range === "limit";
  const narrow = width < 520;
  const box = { left: 64, right: width - 8, top: 30, bottom: (narrow ? 240 : 320) - 46 };
  // The first cycle starts things up: what repeats begins behind it. Seen closely, only live memory is shown, and its
  // axis does not begin at 0: growth would be too small to see.
  const close = range === "cycles";
  const [begin, last] = close ? [ends[0].seconds, ends.at(-1).seconds] : [0, points.at(-1).seconds];
  const shown = points.filter((point) => point.seconds >= begin && point.seconds <= last);
  const layers = close ? LAYERS.slice(0, 1) : LAYERS;
  const tops = shown.map((point) => layers.reduce((sum, { key }) => sum + point[key], 0));
  const most = Math.max(...tops, 1);
  const least = close ? Math.min(...tops) : 0;
  const limit = report.memory.limit_bytes;
  const floor = close ? Math.max(0, least - 0.08 * (most - least) - 1024) : 0;
  const top = close ? most + 0.12 * (most - least) + 1024 : ahead && limit ? Math.max(limit, most) * 1.06 : limit && limit < most * 1.5 ? limit * 1.06 : most * 1.12;
  const left = ahead ? (report.forecast?.seconds_left ?? 0) : 0;
  return {
    width,
    height: narrow ? 240 : 320,
    ...box,
    narrow,
    layers,
    shown,
    close,
    ahead,
    floor,
    most: top,
    begin,
    last,
    end: last + left,
    x: linear([begin, last + left], [box.left, box.right]),
    y: linear([floor, top], [box.bottom, box.top]),
  };
}

function layerShapes(frame) {
  const group = s("g", { class: "layers" });
  const points = frame.shown;
  const floor = points.map(() => frame.floor);
  for (const { key } of frame.layers) {
    const upper = points.map((point, i) => (frame.close ? 0 : floor[i]) + point[key]);
    if (points.some((point) => point[key] > 0)) {
      const along = (heights, i) => `${frame.x(points[i].seconds).toFixed(1)},${frame.y(heights[i]).toFixed(1)}`;
      const there = points.map((_, i) => along(upper, i));
      const back = points.map((_, i) => along(floor, i)).reverse();
      group.append(s("path", { class: `layer ${key}`, d: `M${there.join("L")}L${back.join("L")}Z` }));
      group.append(s("path", { class: `edge ${key}`, d: `M${there.join("L")}` }));
    }
    upper.forEach((height, i) => (floor[i] = height));
  }
  return group;
}

function deviceLine(frame) {
  const known = frame.shown.filter((point) => point.device !== null);
  const path = known.map((point) => `${frame.x(point.seconds).toFixed(1)},${frame.y(point.device).toFixed(1)}`);
  return s("path", { class: "device", d: `M${path.join("L")}` });
}

/** The growth that was judged, as a line through the middle of the ends of cycles. */
function trendLine(frame, { report, points, ends }) {
  const group = s("g", { class: "trend" });
  const { growth } = report;
  const judged = growth ? ends.filter(({ cycle }) => cycle >= growth.since_cycle) : [];
  if (!frame.close || judged.length < 3 || growth.basis !== "live") return group;
  const slope = growth.bytes_per_cycle.estimate;
  const live = new Map(points.map((point) => [point.seconds, point.live]));
  const rests = judged.map(({ cycle, seconds }) => live.get(seconds) - slope * cycle).sort((a, b) => a - b);
  const rest = rests[rests.length >> 1];
  const at = ({ cycle, seconds }) => `${frame.x(seconds).toFixed(1)},${frame.y(rest + slope * cycle).toFixed(1)}`;
  group.append(s("path", { d: `M${judged.map(at).join("L")}` }));
  const words = `${added(slope)} per ${report.cycles.unit}`;
  group.append(s("text", { x: frame.right - 4, y: frame.bottom - 10, "text-anchor": "end" }, words));
  return group;
}

/** The picture in words, for those who don't see it. */
function curveWords({ report, points }) {
  const [first, last] = [points[0], points.at(-1)];
  const most = points.reduce((a, b) => (a.live + a.retained > b.live + b.retained ? a : b));
  const [time, when] = [duration(last.seconds), duration(most.seconds)];
  const [from, to, peak] = [size(first.live), size(last.live), size(most.live + most.retained)];
  return PICTURES.curve.told(time, from, to, peak, when, VERDICTS[report.verdict]);
}
