// Objects of Python's by type, from look to look at the heap: a small line for each type, and all numbers in a table.

/** Types that are shown at once, of those whose number changes; the others are folded. */
const TYPES = { most: 12, least: 4 };
const LINE = { width: 180, height: 34, edge: 3 };

function typesSection(report) {
  const { looks, types } = report.objects ?? { looks: [], types: [] };
  if (looks.length < 2 || types.length === 0) return null;
  const unit = report.cycles.unit === "window" ? null : report.cycles.unit;
  const list = (some) => h("ul", { class: "types" }, some.map((one) => typeRow(one, looks)));
  const changing = types.filter(({ counts }) => counts.some((count) => count !== null && count !== counts[counts.length - 1]));
  const order = [...changing, ...types.filter((one) => !changing.includes(one))];
  const shown = Math.min(TYPES.most, Math.max(TYPES.least, changing.length));
  const [first, rest] = [order.slice(0, shown), order.slice(shown)];
  const rows = types.map(({ name, counts }) => [name, ...counts.map((count) => (count === null ? "" : number(count)))]);
  const columns = [["type", ""], ...looks.map((look) => [lookWords(look, unit), "right"])];
  return section(
    "types",
    "Objects by type",
    RUN.types(number(looks.length)),
    list(first),
    rest.length > 0 && h("details", {}, h("summary", {}, `${counted(rest.length, "other type")}`), list(rest)),
    h("details", { class: "numbers" }, h("summary", {}, SHARED.table), table("Objects by type", columns, rows)),
  );
}

/** When a look was. */
function lookWords({ seconds, cycle }, unit) {
  return unit && cycle > 0 ? `${unit} ${number(cycle)}` : duration(seconds);
}

function typeRow({ name, counts }, looks) {
  const told = counts.filter((count) => count !== null);
  const [from, to] = [told[0], told[told.length - 1]];
  const change = to - from;
  return h(
    "li",
    { class: goesOn(told) ? "more" : "" },
    h("code", { class: "path" }, breakable(name)),
    typeLine(counts, looks),
    h("span", { class: "counts" }, from === to ? `${number(to)} throughout` : `${number(from)} to ${number(to)}`),
    h("span", { class: "change" }, change === 0 ? "" : `${change > 0 ? "+" : "-"}${number(Math.abs(change))}`),
  );
}

/** Whether there are more of them at the middle and more again at the end, by an amount that matters: a step is no course. */
function goesOn(told) {
  const [first, middle, last] = [told[0], told[Math.floor(told.length / 2)], told[told.length - 1]];
  return told.length >= 3 && first < middle && middle < last && last - first >= 0.05 * last;
}

/** A name that a narrow screen breaks behind its dots. */
function breakable(name) {
  return name.split(/(?<=\.)/u).map((part, i) => [i > 0 && h("wbr"), part]);
}

function typeLine(counts, looks) {
  const { width, height, edge } = LINE;
  const x = linear([looks[0].seconds, looks[looks.length - 1].seconds], [edge, width - edge]);
  const y = linear([0, Math.max(1, ...counts.filter((count) => count !== null))], [height - edge, edge]);
  const points = looks.map((look, i) => [look, counts[i]]).filter(([, count]) => count !== null);
  const at = ([look, count]) => `${x(look.seconds).toFixed(1)} ${y(count).toFixed(1)}`;
  const last = points[points.length - 1];
  return s(
    "svg",
    { class: "line", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    s("line", { class: "grid", x1: edge, x2: width - edge, y1: height - edge, y2: height - edge }),
    s("path", { d: `M${points.map(at).join("L")}` }),
    s("circle", { cx: x(last[0].seconds), cy: y(last[1]), r: 2.5 }),
  );
}
