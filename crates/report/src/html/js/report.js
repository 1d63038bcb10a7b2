// The report of one run: its sections in order. The verdict and the curve are there at once; the rest follows when they are
// painted.

/** What makes the sections; each makes an element, or nothing where there is nothing to show. */
const MAKERS = [
  verdictSection,
  curveSection,
  findingsSection,
  proofSection,
  warningsSection,
  devicesSection,
  componentsSection,
  flameSection,
  matrixSection,
  holdersSection,
  typesSection,
  waterfallSection,
  phasesSection,
  probesSection,
  processesSection,
  lossesSection,
];
/** So many are painted first. */
const FIRST = 3;
/** What stands on the page now, a place for each maker. */
const standing = MAKERS.map(() => null);

function show(data) {
  const { report, redacted, served } = data;
  fillHead(
    nameLine(h("code", {}, report.program.name)),
    homeLink(served),
    redacted && h("p", { class: "note" }, RUN.redacted),
  );
  for (let i = 0; i < FIRST; i += 1) put(i, data);
  afterPaint(() => {
    for (let i = FIRST; i < MAKERS.length; i += 1) put(i, data);
    const pid = report.program.pid === null ? "" : ` (pid ${report.program.pid})`;
    fillFoot(RUN.madeBy(pid));
    whole(document.getElementById("report"));
    if (served) follow(data);
  });
}

/** Makes a section, in its place, or in place of what stood there. */
function put(i, data) {
  const made = MAKERS[i](data.report, data.profile, data) || null;
  const old = standing[i];
  standing[i] = made;
  if (old && made) old.replaceWith(made);
  else if (old) old.remove();
  else if (made) document.getElementById("report").insertBefore(made, standing.slice(i + 1).find(Boolean) ?? null);
}
