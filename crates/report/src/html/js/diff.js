// What differs between two runs: the sentence, both runs in short, both curves, then a list for each way of cutting.

const OUTCOMES = { grew: "More", appeared: "More", shrank: "Less", went: "Less", same: "Same" };
/** One part in so many of a list's biggest change is folded. */
const LITTLE = 100;
/** Lines of a list that are shown at once. */
const MOST = 12;

function show({ diff, served }) {
  const main = document.getElementById("report");
  const names = diff.a.name === diff.b.name ? [h("code", {}, diff.a.name)] : [h("code", {}, diff.a.name), " and ", h("code", {}, diff.b.name)];
  fillHead(nameLine(names, ", two runs"), homeLink(served));
  main.append(outcomeSection(diff));
  afterPaint(() => {
    const { unit } = diff.b;
    main.append(
      ...[
        bothCurves(diff),
        listsSection("growth", `Growth per ${unit}`, COMPARED.growth(unit), ` per ${unit}`, [
          ["by cause", diff.causes],
          ["by holder", diff.holders],
          ["by site", diff.sites],
        ]),
        listsSection("alive", COMPARED.alive.title, COMPARED.alive.lead, "", [
          ["by holder", diff.live_by_holder],
          ["by site", diff.live_by_site],
          ["by phase", diff.phases],
        ]),
        listsSection("levels", "Levels", COMPARED.levels, "", [
          ["kinds of memory", diff.kinds],
          ["levels", diff.levels],
        ]),
      ].filter(Boolean),
    );
    fillFoot(COMPARED.madeBy);
    whole(main);
  });
}

/** The answer, and what the two runs were. */
function outcomeSection(diff) {
  const outcome = diff.growth ? OUTCOMES[diff.growth.change] : "Unknown";
  const word = h("strong", { class: `word ${outcome === "More" ? "leak" : outcome.toLowerCase()}` }, outcome);
  return h(
    "section",
    { id: "verdict", "aria-labelledby": "verdict-title" },
    h("h1", { id: "verdict-title" }, word, `: ${diff.sentence}.`),
    h("dl", { class: "sides" }, runSide("A", "before", diff.a), runSide("B", "now", diff.b)),
  );
}

function runSide(letter, when, run) {
  const rate = run.bytes_per_cycle && run.verdict !== "no_leak" ? `, ${added(run.bytes_per_cycle.estimate)} per ${run.unit} (${interval(run.bytes_per_cycle)})` : "";
  return h("div", { class: `side-${letter.toLowerCase()}` },
    h("dt", {}, h("i", { class: "stroke" }), `${letter}, ${when}`),
    h("dd", {}, h("code", {}, run.name), h("span", { class: "note" }, ` ${counted(run.cycles, run.unit)} in ${duration(run.seconds)}`)),
    h("dd", {}, `${VERDICTS[run.verdict]}${rate}`),
  );
}

function listsSection(id, title, lead, per, lists) {
  const shown = lists.map(([name, list]) => changesList(name, list, per)).filter(Boolean);
  return shown.length === 0 ? null : section(id, title, lead, ...shown);
}

/** What changed, the most first; what did not is folded. */
function changesList(title, list, per) {
  if (list.length === 0) return null;
  const most = Math.max(...list.map(({ difference }) => Math.abs(difference)), 1);
  const isTold = ({ change, difference }) => change !== "same" && Math.abs(difference) >= most / LITTLE;
  const told = list.filter(isTold).sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  const rest = [...told.slice(MOST), ...list.filter((one) => !isTold(one))];
  const items = (ones) => h("ul", { class: "deltas" }, ones.map((one) => changeItem(one, most, per)));
  return [
    h("h3", { class: "between" }, capital(title)),
    told.length > 0 && items(told.slice(0, MOST)),
    rest.length > 0 && h("details", {}, h("summary", {}, foldedWords(rest)), items(rest)),
  ];
}

function foldedWords(rest) {
  const same = rest.filter(({ change }) => change === "same").length;
  const small = rest.length - same;
  return [small > 0 && `${number(small)} smaller`, same > 0 && COMPARED.same(number(same))].filter(Boolean).join(", ");
}

function changeItem({ name, change, a, b, difference }, most, per) {
  const bar = h("i", { class: difference > 0 ? "share more" : "share" });
  bar.style.width = `${Math.min(100, Math.max(0.5, (100 * Math.abs(difference)) / most))}%`;
  const course = a !== null && b !== null ? `${size(a)}, now ${size(b)}` : a === null ? `now ${size(b)}` : `${size(a)} before`;
  return h("li", { class: change === "same" ? "same" : difference > 0 ? "grows" : "" },
    h("span", { class: "bytes" }, change === "same" ? "" : `${added(difference)}${per}`),
    h("span", { class: "kind" }, change),
    h("span", {}, name, h("span", { class: "note" }, ` ${course}`), change !== "same" && h("span", { class: "share-box", "aria-hidden": "true" }, bar)),
  );
}
