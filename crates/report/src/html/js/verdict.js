// The verdict in one sentence, and what the run was.

function verdictSection(report, profile, { headline }) {
  const word = h("strong", { class: `word ${report.verdict}` }, VERDICTS[report.verdict] ?? report.verdict);
  return h(
    "section",
    { id: "verdict", "aria-labelledby": "verdict-title" },
    h("h1", { id: "verdict-title" }, word, ": ", headline.amount && h("b", {}, headline.amount), headline.rest),
    h("p", { class: "reason" }, `${capital(report.reason)}.`),
    h("dl", { class: "facts" }, facts(report).map(([name, words]) => h("div", {}, h("dt", {}, name), h("dd", {}, words)))),
  );
}

function facts(report) {
  const { memory, program, growth, sampling } = report;
  const limit = memory.limit_bytes === null ? "" : ` of ${size(memory.limit_bytes)} (${limitWords(memory.limit)})`;
  const frameworks = Object.entries(program.frameworks).map(([name, version]) => `${name} ${version}`);
  const end = ending(program.exit);
  return [
    ["Run", course(report)],
    ["Peak", memory.peak_bytes === null ? "not known" : size(memory.peak_bytes) + limit],
    growth && ["Growth", `${added(growth.bytes_per_cycle.estimate)} per ${report.cycles.unit} (${interval(growth.bytes_per_cycle)}), ${growth.basis} memory`],
    ...endpointFacts(report),
    growth?.explained != null && report.findings.length > 0 && ["Explained", RUN.verdict.explained(percent(Math.min(1, growth.explained)))],
    sampling && ["Samples", samplingWords(sampling)],
    !sampling && report.recorder && ["Recorder", report.recorder],
    ["Program", [program.argv.join(" "), program.python && `Python ${program.python}`, ...frameworks].filter(Boolean).join(", ")],
    end && ["End", capital(end)],
  ].filter(Boolean);
}

/** What each endpoint does: those that grow, those that do not, and those of which it is not known. */
function endpointFacts(report) {
  const all = report.growth?.endpoints ?? [];
  const named = (one) => [one.name, ...one.together_with].join(" or ");
  const grows = (one) => `${named(one)}: ${added(one.bytes_per_request.estimate)} each (${interval(one.bytes_per_request)})`;
  const list = (title, of, words) => of.length > 0 && [title, of.map(words).join("; ")];
  return [
    list("Made in", all.filter((one) => one.grows), grows),
    list("Flat", all.filter((one) => one.is_flat), named),
    list("Not told apart", all.filter((one) => !one.grows && !one.is_flat), named),
  ].filter(Boolean);
}

function samplingWords(sampling) {
  const mean = sampling.finest_mean ? `, one in ${size(sampling.finest_mean)} to ${size(sampling.coarsest_mean)}` : "";
  const cost = sampling.cost === null ? "" : RUN.verdict.cost(percent(sampling.cost));
  return `${number(sampling.samples)}${mean}${cost}`;
}
