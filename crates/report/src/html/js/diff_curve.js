// Live memory of both runs after the same number of cycles: two lines on one picture.

function bothCurves({ curve, a, b }) {
  if (curve.length < 3) return null;
  const { unit } = b;
  const state = { curve, unit, at: null };
  const readout = h("p", { class: "readout", "aria-live": "polite" }, SHARED.point(""));
  const holder = h("div", { class: "chart" });
  const draw = () => holder.clientWidth && drawBoth(holder, readout, state);
  queueMicrotask(() => onWidth(holder, draw));
  const key = (letter, words) => h("li", { class: `side-${letter}` }, h("i", { class: "stroke" }), words);
  const rows = () => curve.map((one) => [number(one.cycle), size(one.a), size(one.b), added(one.b - one.a)]);
  const columns = [[unit, "right"], ["before", "right"], ["now", "right"], ["difference", "right"]];
  const details = h("details", { class: "numbers" }, h("summary", {}, SHARED.table));
  details.addEventListener("toggle", () => details.append(table(COMPARED.curve.title, columns, rows())), { once: true });
  return section(
    "curve",
    "Live memory",
    COMPARED.curve.lead(unit),
    h("div", { class: "bar" }, h("ul", { class: "legend" }, key("a", `A, before: ${a.name}`), key("b", `B, now: ${b.name}`))),
    holder,
    readout,
    details,
  );
}

function drawBoth(holder, readout, state) {
  const { curve, unit } = state;
  const width = holder.clientWidth;
  const narrow = width < 520;
  const height = narrow ? 220 : 280;
  const all = curve.flatMap(({ a, b }) => [a, b]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const spare = 0.08 * (high - low) + 1024;
  const frame = { narrow, height, left: 64, right: width - 8, top: 12, bottom: height - 34, floor: Math.max(0, low - spare), most: high + spare };
  frame.x = linear([curve[0].cycle, curve.at(-1).cycle], [frame.left, frame.right]);
  frame.y = linear([frame.floor, frame.most], [frame.bottom, frame.top]);
  const path = (pick) => `M${curve.map((one) => `${frame.x(one.cycle).toFixed(1)},${frame.y(one[pick]).toFixed(1)}`).join("L")}`;
  const svg = s("svg", { class: "curve", width, height, viewBox: `0 0 ${width} ${height}`, tabindex: "0", role: "img", "aria-label": bothWords(state) });
  svg.append(byteAxis(frame));
  const axis = s("g", { class: "axis", "aria-hidden": "true" }, s("text", { x: frame.left - 8, y: frame.bottom + 17, "text-anchor": "end" }, unit));
  for (const cycle of countTicks(curve.at(-1).cycle, narrow ? 5 : 12).filter((one) => one >= curve[0].cycle)) {
    const x = frame.x(cycle);
    axis.append(s("line", { class: "tick", x1: x, x2: x, y1: frame.bottom, y2: frame.bottom + 5 }));
    axis.append(s("text", { x, y: frame.bottom + 17, "text-anchor": x > frame.right - 16 ? "end" : "middle" }, number(cycle)));
  }
  svg.append(axis, s("path", { class: "run a", d: path("a") }), s("path", { class: "run b", d: path("b") }));
  holder.replaceChildren(svg);
  listenToBoth(svg, readout, frame, state);
}

function listenToBoth(svg, readout, frame, state) {
  const { curve, unit } = state;
  const line = s("line", { class: "pointer", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  svg.append(line);
  const show = (at) => {
    state.at = Math.max(0, Math.min(curve.length - 1, at));
    const one = curve[state.at];
    for (const end of ["x1", "x2"]) line.setAttribute(end, frame.x(one.cycle));
    line.setAttribute("visibility", "visible");
    readout.replaceChildren(h("b", {}, `After ${unit} ${number(one.cycle)}: `), `${size(one.a)}, now ${size(one.b)} (${added(one.b - one.a)})`);
  };
  const point = (event) => {
    const cycle = Math.round(frame.x.invert(event.clientX - svg.getBoundingClientRect().left));
    show(lowerBound(curve, cycle, (one) => one.cycle));
  };
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point); // a finger that taps does not move
  svg.addEventListener("keydown", (event) => {
    const at = state.at ?? -1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: curve.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    show(to);
  });
  if (state.at !== null) show(state.at);
}

/** The picture in words, for those who don't see it. */
function bothWords({ curve, unit }) {
  const [first, last] = [curve[0], curve.at(-1)];
  const [before, now] = ["a", "b"].map((side) => `from ${size(first[side])} to ${size(last[side])}`);
  return COMPARED.curve.told(`${unit} ${number(first.cycle)}`, number(last.cycle), before, now, unit);
}
