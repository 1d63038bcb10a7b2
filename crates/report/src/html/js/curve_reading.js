// Exact values of the curve: by pointer, by keyboard, and as a table.

function curveHint({ report }) {
  const unit = report.cycles.unit;
  return SHARED.point(unit === "window" ? "" : PICTURES.curve.pages(unit));
}

/** The words for one point. */
function pointWords(point, { report }) {
  const { live_bytes, anonymous_bytes, file_bytes, device_bytes } = point.known;
  const phase = (report.phases ?? []).findLast((one) => one.begin_seconds <= point.seconds);
  const inside = phase && (phase.end_seconds ?? Infinity) >= point.seconds ? `, ${phaseWords(phase.name)}` : "";
  const parts = [
    live_bytes !== null && `live ${size(live_bytes)}`,
    live_bytes !== null && anonymous_bytes !== null && `retained ${size(point.retained)}`,
    anonymous_bytes !== null && `anonymous ${size(anonymous_bytes)}`,
    file_bytes !== null && `file-backed ${size(file_bytes)}`,
    device_bytes != null && `device ${size(device_bytes)}`,
  ];
  const { unit } = report.cycles;
  const ended = point.cycle === 0 ? PICTURES.curve.beforeFirst(unit) : `after ${unit} ${number(point.cycle)}`;
  return [h("b", {}, `${duration(point.seconds)}, ${ended}${inside}: `), parts.filter(Boolean).join(", ")];
}

function listenToCurve(svg, readout, frame, state) {
  const { points } = state;
  const line = s("line", { class: "pointer", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  svg.append(line);
  const show = (at) => {
    const first = points.indexOf(frame.shown[0]);
    state.at = Math.min(first + frame.shown.length - 1, Math.max(first, at));
    const x = frame.x(points[state.at].seconds);
    for (const end of ["x1", "x2"]) line.setAttribute(end, x);
    line.setAttribute("visibility", "visible");
    readout.replaceChildren(...pointWords(points[state.at], state));
  };
  const point = (event) => {
    const seconds = frame.x.invert(event.clientX - svg.getBoundingClientRect().left);
    const at = lowerBound(points, seconds, (point) => point.seconds);
    const before = points[at - 1];
    const isBefore = before && (!points[at] || seconds - before.seconds < points[at].seconds - seconds);
    show(isBefore ? at - 1 : at);
  };
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point); // a finger that taps does not move
  svg.addEventListener("keydown", (event) => {
    const at = state.at ?? -1;
    const moves = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: points.length - 1,
      PageUp: points.findLastIndex((point) => point.cycle < (points[at]?.cycle ?? 0)),
      PageDown: points.findIndex((point) => point.cycle > (points[at]?.cycle ?? -1)),
    };
    const to = moves[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(to === -1 && event.key === "PageDown" ? points.length - 1 : to);
  });
  if (state.at !== null) show(state.at);
}

/** The values behind the picture, at the ends of cycles; at most so many rows. */
function curveTable(state) {
  const { points, ends, report } = state;
  const MOST = 200;
  const at = ends.length >= 2 ? ends.map(({ cycle }) => points.find((point) => point.cycle === cycle)) : points;
  const every = Math.ceil(at.length / MOST);
  const rows = at.filter((_, i) => i % every === 0 || i === at.length - 1);
  const columns = [
    [report.cycles.unit, "right"],
    ["time", "right"],
    ["live", "right"],
    ["anonymous", "right"],
    ["file-backed", "right"],
  ];
  const cells = ({ cycle, seconds, known }) => [
    number(cycle),
    duration(seconds),
    size(known.live_bytes),
    size(known.anonymous_bytes),
    size(known.file_bytes),
  ];
  const details = h("details", { class: "numbers" }, h("summary", {}, SHARED.table));
  details.addEventListener(
    "toggle",
    () => details.append(table("Memory over time", columns, rows.map(cells))),
    { once: true },
  );
  return details;
}
