// The page: its sections in order. The verdict and the curve are there at once; the rest follows when they are painted.

function header(report, redacted) {
  return [
    h("p", { class: "name" }, h("b", {}, "nilometer"), " ", h("code", {}, report.program.name)),
    redacted && h("p", { class: "note" }, "Paths, arguments and source were left out."),
    h("nav", { "aria-label": "Sections", id: "sections" }),
    themeButton(),
  ];
}

/** Headings that are too long for a link. */
const SHORT = { curve: "Curve", components: "Parts", sites: "Sites", start: "Start-up", framework: "Framework", processes: "Children" };

/** Links to the sections that are there. */
function navigation(main) {
  const links = [...main.querySelectorAll(":scope > section[id]")].flatMap((one) => {
    const heading = one.querySelector("h2");
    return heading ? [h("a", { href: `#${one.id}` }, SHORT[one.id] ?? heading.textContent)] : [];
  });
  document.getElementById("sections").replaceChildren(...links);
}

function footer(report) {
  return h("p", {}, `Made by nilometer from the capture of one run${report.program.pid === null ? "" : ` (pid ${report.program.pid})`}. Sizes are binary: 1 MiB is 1,048,576 bytes.`);
}

function begin() {
  const { report, profile, redacted } = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("report");
  const put = (...sections) => main.append(...sections.filter(Boolean));
  document.getElementById("top").append(...header(report, redacted).filter(Boolean));
  put(verdictSection(report), curveSection(report), findingsSection(report));
  const later = () => {
    put(
      componentsSection(report),
      flameSection(report, profile),
      matrixSection(report, profile),
      holdersSection(report),
      waterfallSection(report),
      phasesSection(report),
      probesSection(report),
      processesSection(report),
      lossesSection(report),
    );
    document.getElementById("foot").append(footer(report));
    navigation(main);
    // A link into a part that had yet to come.
    if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    document.documentElement.dataset.ready = "yes";
    requestAnimationFrame(() => performance.mark("whole"));
  };
  // A page that nobody looks at yet is not painted: the rest must come all the same.
  let isBegun = false;
  const once = () => {
    if (!isBegun) later();
    isBegun = true;
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, 500);
}

// On paper nothing can be unfolded: what is folded is printed, but for tables whose numbers the pictures show.
window.addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details:not([open], .numbers)")) {
    one.open = true;
    one.dataset.wasClosed = "yes";
  }
});
window.addEventListener("afterprint", () => {
  for (const one of document.querySelectorAll("details[data-was-closed]")) {
    one.open = false;
    delete one.dataset.wasClosed;
  }
});

begin();
