// The verdict in one sentence, and what the run was.

function verdictSection(report) {
  const word = h("strong", { class: `word ${report.verdict}` }, VERDICTS[report.verdict] ?? report.verdict);
  return h(
    "section",
    { id: "verdict", "aria-labelledby": "verdict-title" },
    h("h1", { id: "verdict-title" }, word, ": ", ...verdictSentence(report)),
    h("p", { class: "reason" }, `${capital(report.reason)}.`),
    h("dl", { class: "facts" }, facts(report).map(([name, words]) => h("div", {}, h("dt", {}, name), h("dd", {}, words)))),
  );
}

/** What the terminal says behind the word. */
function verdictSentence(report) {
  const { unit, count, needed } = report.cycles;
  const growth = report.growth;
  const culprit = report.job?.culprit;
  if (culprit) return [h("b", {}, `+${culprit.rate}`), ` in ${culprit.role} (pid ${culprit.pid}), a process that the program started.`];
  const device = report.devices?.find((one) => one.name === report.job?.device && one.verdict === "leak");
  if (device) {
    const { bytes_per_cycle, unit: word, cycles_left } = device.growth;
    const full = cycles_left === null ? "" : ` It is full in ${counted(cycles_left, word)} more.`;
    return [h("b", {}, `${added(bytes_per_cycle.estimate)} per ${word}`), ` on ${device.name} (${device.framework}).${full}`];
  }
  if (report.verdict === "leak" && growth) {
    const parts = [
      h("b", {}, `${added(growth.bytes_per_cycle.estimate)} per ${unit}`),
      ` since ${unit} ${number(growth.since_cycle)}.`,
    ];
    const forecast = report.forecast;
    if (forecast) {
      const within = forecast.seconds_left === null ? "" : `, in ${duration(forecast.seconds_left)}`;
      parts.push(` At this rate the limit is reached at ${unit} ${number(count + forecast.cycles_left)}${within}.`);
    }
    return parts;
  }
  if (report.verdict === "leak") return ["memory grows and stays."];
  if (report.verdict === "no_leak") return [`in ${counted(count, unit)}.`];
  return needed === null ? ["so far."] : [`run ${needed} more ${unit}${needed === 1 ? "" : "s"}.`];
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
    growth?.explained != null && report.findings.length > 0 && ["Explained", `${percent(Math.min(1, growth.explained))} of it by the findings below`],
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
  const cost = sampling.cost === null ? "" : `, ${percent(sampling.cost)} of the program's CPU time`;
  return `${number(sampling.samples)}${mean}${cost}`;
}
