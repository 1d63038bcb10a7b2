// What causes the growth: one article per finding, with its evidence in the order of the terminal.

function findingsSection(report) {
  const { findings, cycles, verdict } = report;
  if (findings.length === 0) return verdict === "leak" ? unexplained(report) : null;
  return section(
    "findings",
    findings.length === 1 ? "One finding" : `${findings.length} findings`,
    RUN.findings.lead,
    h("ol", { class: "findings" }, findings.map((finding, i) => findingItem(finding, i, cycles.unit))),
    nextSteps(report.next_steps),
  );
}

function unexplained(report) {
  const why = report.sampling ? RUN.findings.noLine : RUN.findings.notRecorded(report.recorder);
  return section("findings", "No finding", why, nextSteps(report.next_steps));
}

function nextSteps(steps) {
  if (!steps || steps.length === 0) return null;
  const rows = steps.map((step) => h("div", {}, h("dt", {}, "next"), h("dd", {}, command(step.command), h("p", {}, step.why))));
  return h("dl", { class: "evidence" }, rows);
}

function findingItem(finding, i, unit) {
  const id = `finding-${i + 1}`;
  const rows = [
    ...holderRows(finding),
    ...finding.sites.map(siteRow),
    finding.part && !finding.sentence.includes(finding.part) && ["part", finding.part],
    finding.phase && ["phase", phaseWords(finding.phase)],
    finding.cycles_seen > 0 && ["seen in", counted(finding.cycles_seen, unit)],
    finding.change && ["change", h("span", { class: "change" }, withCode(finding.change))],
    finding.prove && ["prove it", command(finding.prove)],
  ].filter(Boolean);
  return h(
    "li",
    { id },
    h("article", { class: "finding", "aria-labelledby": `${id}-title` },
      h("header", {},
        h("h3", { id: `${id}-title` }, finding.sentence),
        h("p", { class: "rate" }, !finding.process && !finding.device && [h("b", {}, rate(finding.bytes_per_cycle, unit)), " "], h("span", { class: "sure" }, finding.confidence)),
      ),
      h("dl", { class: "evidence" }, rows.map(([name, content]) => h("div", {}, h("dt", {}, name), h("dd", {}, content)))),
      stack(finding.stack),
    ),
  );
}

function pace(more) {
  if (more > 0 && more < 0.5) return `1 more per ${number(Math.round(1 / more))} cycles`;
  return `${more.toFixed(1).replace(".0", "")} more per cycle`;
}

function lengthWords({ length, counted_at, per_cycle }) {
  const when = counted_at != null ? ` at cycle ${number(counted_at)}` : "";
  return `${RUN.findings.elements(number(length))}${when}${per_cycle ? `, ${pace(per_cycle)}` : ""}; newest:`;
}

function holderRows({ holder, also_held_by }) {
  const words = (one) => [
    h("code", { class: "path" }, one.path),
    one.length != null && h("span", { class: "note" }, lengthWords(one)),
    one.elements && [" ", h("span", { class: "elements" }, one.elements)],
    one.bound != null && h("span", { class: "note" }, ` at most ${number(one.bound)} elements`),
    one.share != null && one.share < 0.995 && h("span", { class: "note" }, ` ${percent(one.share)} of it`),
  ];
  return [holder && ["held by", words(holder)], ...(also_held_by ?? []).map((one) => ["also by", words(one)])];
}

function siteRow(site) {
  return [
    site.role.replace("_", " "),
    [
      h("span", { class: "where" }, h("code", {}, place(site)), " ", h("span", { class: "function" }, site.function)),
      site.text && h("pre", { class: "source" }, h("span", { class: "line", "aria-hidden": "true" }, site.line || ""), h("code", {}, site.text)),
      site.inside && h("span", { class: "note" }, `in ${site.inside}`),
    ],
  ];
}

/** How a warning begins, by what it is about. */
const WARNING_OF = { training: "Not about memory", "gpu-memory": "Of GPU memory" };

/** What the verdict is not about. */
function warningsSection(report) {
  const warnings = report.warnings ?? [];
  if (warnings.length === 0) return null;
  const row = (name, content) => h("div", {}, h("dt", {}, name), h("dd", {}, content));
  const item = ({ about, sentence, called_at, change }) =>
    h("li", {}, h("article", { class: "finding" },
      h("h3", {}, `${WARNING_OF[about]}: ${sentence}`),
      h("dl", { class: "evidence" }, called_at && row(...siteRow(called_at)), row("change", h("span", { class: "change" }, withCode(change)))),
    ));
  const title = warnings.length === 1 ? "A warning" : `${warnings.length} warnings`;
  return section("warnings", title, RUN.warnings, h("ul", { class: "findings" }, warnings.map(item)));
}

/** Words in which code stands between backquotes. */
function withCode(words) {
  return words.split("`").map((part, i) => (i % 2 === 1 ? h("code", {}, part) : part));
}

/** A command line, to be copied. */
function command(line) {
  const copy = button("copy", { class: "quiet", "aria-label": "Copy the command" }, async () => {
    try {
      await navigator.clipboard.writeText(line);
      copy.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(code);
      copy.textContent = "selected";
    }
  });
  const code = h("code", {}, line);
  return h("span", { class: "command" }, code, " ", copy);
}

function stack(frames) {
  if (!frames || frames.length === 0) return null;
  const line = (frame) =>
    h("li", { class: frame.kind }, h("span", { class: "function" }, frameName(frame)), " ", h("span", { class: "where" }, framePlace(frame)));
  return h(
    "details",
    { class: "stack" },
    h("summary", {}, RUN.findings.stack(counted(frames.length, "frame"))),
    h("ol", {}, frames.map(line)),
  );
}
