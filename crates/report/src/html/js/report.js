// The report of one run: its sections in order. The verdict and the curve are there at once; the rest follows when they are
// painted.

/** The sections, first those that are painted first. Each makes an element, or nothing where there is nothing to show. */
const FIRST = [verdictSection, curveSection, findingsSection];
const REST = [
  componentsSection,
  flameSection,
  matrixSection,
  holdersSection,
  waterfallSection,
  phasesSection,
  probesSection,
  processesSection,
  lossesSection,
];

function show({ report, profile, redacted }) {
  const main = document.getElementById("report");
  const put = (makers) => main.append(...makers.map((make) => make(report, profile)).filter(Boolean));
  fillHead(
    nameLine(h("code", {}, report.program.name)),
    redacted && h("p", { class: "note" }, "Paths, arguments and source were left out."),
  );
  put(FIRST);
  afterPaint(() => {
    put(REST);
    const pid = report.program.pid === null ? "" : ` (pid ${report.program.pid})`;
    fillFoot(`Made by nilometer from the capture of one run${pid}.`);
    whole(main);
  });
}
