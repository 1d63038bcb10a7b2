// Where a number stands on a picture, and the round numbers beside it.

/** Maps numbers to pixels, in a straight line. */
function linear([from, to], [start, end]) {
  const scale = (value) => start + ((value - from) / (to - from || 1)) * (end - start);
  scale.invert = (pixel) => from + ((pixel - start) / (end - start || 1)) * (to - from);
  return scale;
}

/** Round steps of bytes, powers of two: at most about `count` of them. */
function byteTicks(most, least, count) {
  let step = 1;
  while ((most - least) / step > count) step *= 2;
  const first = Math.ceil(least / step) * step;
  return multiples(step, most - first).map((tick) => first + tick);
}

/** Bytes along the left edge of a picture, with lines across it. */
function byteAxis(frame) {
  const group = s("g", { class: "axis", "aria-hidden": "true" });
  for (const tick of byteTicks(frame.most, frame.floor, frame.narrow ? 4 : 6)) {
    const y = frame.y(tick);
    group.append(s("line", { class: "grid", x1: frame.left, x2: frame.right, y1: y, y2: y }));
    group.append(s("text", { x: frame.left - 8, y: y + 4, "text-anchor": "end" }, tick === 0 ? "0" : size(tick)));
  }
  return group;
}

/** Round steps of time between two moments. */
function timeTicks(end, begin, count) {
  const most = end - begin;
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
  let step = steps.find((one) => most / one <= count) ?? 86400;
  while (most / step > count) step *= 2;
  const first = Math.ceil(begin / step) * step;
  return multiples(step, end - first).map((tick) => first + tick);
}

/** Round steps of whole numbers. */
function countTicks(most, count) {
  let step = 1;
  for (let i = 0; most / step > count; i += 1) step *= i % 3 === 1 ? 2.5 : 2;
  return multiples(step, most).filter((tick) => tick > 0);
}

function multiples(step, most) {
  const out = [];
  for (let i = 0; i * step <= most * 1.0001 && i < 200; i += 1) out.push(i * step);
  return out;
}

/** The first index whose item is not below, in a list that rises. */
function lowerBound(list, value, of) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
