// Lists and tables: what the curve is made of, phases, counts of the framework, what was traced again, children, losses.

function componentsSection(report) {
  const { components, cycles, verdict } = report;
  if (components.length === 0) return null;
  const amount = ({ kind, bytes, bytes_per_cycle }) =>
    bytes_per_cycle === null ? (kind === "file-backed" || kind === "reserved" || kind === "retained" ? size(bytes) : added(bytes)) : `${added(bytes_per_cycle)} per ${cycles.unit}`;
  const row = (component) =>
    h("li", { class: component.kind === "growing" ? "grows" : "" },
      h("span", { class: "bytes" }, amount(component)),
      h("span", { class: "kind" }, component.kind === "one-time" ? `once, ${whenWords(component.phase)}` : component.kind),
      h("span", {}, component.sentence, component.made_at && h("span", { class: "note" }, ` made at ${place(component.made_at)}`),
        component.change && h("span", { class: "note" }, h("br"), "change: ", withCode(component.change)),
        component.prove && h("span", { class: "note" }, h("br"), "prove it: ", h("code", {}, component.prove))),
    );
  const title = verdict === "no_leak" ? RUN.components.noLeak : RUN.components.leak;
  return section("components", title, null, h("ul", { class: "components" }, components.map(row)));
}

function phasesSection(report) {
  const totals = report.phase_totals ?? [];
  if (totals.length === 0) return null;
  const columns = [["phase", ""], ["times", "right"], ["time in it", "right"], [RUN.phases.change, "right"]];
  const rows = totals.map(({ name, times, seconds, bytes }) => [phaseWords(name), times === 0 ? "" : number(times), duration(seconds), bytes === 0 ? "0 B" : added(bytes)]);
  const often = totals.some(({ times }) => times > 512) ? RUN.phases.part : "";
  return section("phases", "Phases", RUN.phases.lead + often, table("Phases", columns, rows));
}

/** What a framework keeps count of, and the functions that it traced again and again. */
function probesSection(report) {
  const unit = report.cycles.unit;
  const probes = report.probes ?? [];
  const retraced = report.retraced ?? [];
  if (probes.length + retraced.length === 0) return null;
  const growing = [...probes].sort((a, b) => (b.per_cycle ?? 0) - (a.per_cycle ?? 0));
  const counts = growing.map(({ name, first, last, per_cycle }) => [countWords(name), number(first), number(last), perCycle(per_cycle)]);
  const again = retraced.map((one) => [
    one.function,
    h("code", {}, place(one)),
    number(one.traces),
    perCycle(one.per_cycle),
    one.caller_file ? h("code", {}, place({ file: one.caller_file, line: one.caller_line })) : "",
    one.why,
  ]);
  const again_columns = [["function", ""], ["defined at", ""], ["traces", "right"], [`per ${unit}`, "right"], ["called from", ""], ["because of", ""]];
  return section(
    "framework",
    RUN.framework.title,
    RUN.framework.lead(unit),
    counts.length > 0 && table("Counts", [["what", ""], ["at first", "right"], ["at last", "right"], [`per ${unit}`, "right"]], counts),
    again.length > 0 && h("h3", { class: "between" }, RUN.framework.again),
    again.length > 0 && table(RUN.framework.again, again_columns, again),
  );
}

/** A rate of a count; nothing where it does not go on growing. */
function perCycle(rate) {
  return rate ? `+${Number(rate.toFixed(rate < 10 ? 2 : 0))}` : "";
}

function processesSection(report) {
  if (report.processes.length === 0) return null;
  const columns = [["process", ""], ["pid", "right"], ["at first", "right"], ["at last", "right"], ["at most", "right"], ["inherited, turned private", "right"], ["goes on growing", "right"]];
  const grows = (one) => (one.bytes_per_minute ? `${size(one.bytes_per_minute)} per minute` : "");
  const rows = report.processes.map((one) => [one.role, String(one.pid), size(one.first_bytes), size(one.last_bytes), size(one.peak_bytes), one.turned_private_bytes ? size(one.turned_private_bytes) : "", grows(one)]);
  return section("processes", "Child processes", RUN.processes, table("Child processes", columns, rows));
}

function devicesSection(report) {
  const devices = report.devices ?? [];
  if (devices.length === 0) return null;
  const columns = [["device", ""], ["framework", ""], ["verdict", ""], ["in use", "right"], ["at most", "right"], ["reserved", "right"], ["limit", "right"], ["others", "right"], ["grows by", "right"], ["full in", "right"]];
  const known = (bytes) => (bytes === null ? "" : size(bytes));
  const row = ({ growth, ...one }) => [
    one.name,
    one.framework,
    h("span", { class: `word ${one.verdict}`, title: one.reason }, VERDICTS[one.verdict] ?? one.verdict),
    size(one.in_use_bytes),
    size(one.peak_bytes),
    known(one.reserved_bytes),
    known(one.limit_bytes),
    one.others ? `${one.others.is_at_most ? "≤ " : ""}${size(one.others.bytes)}` : "",
    growth ? `${size(growth.bytes_per_cycle.estimate)} per ${growth.unit}` : "",
    growth?.cycles_left == null ? "" : counted(growth.cycles_left, growth.unit),
  ];
  const sentences = devices.flatMap((one) => [one.reason, one.others?.sentence, one.others_unknown && RUN.othersUnknown(one.name, one.others_unknown)]);
  const reasons = sentences.filter(Boolean).map((sentence) => h("p", {}, `${capital(sentence)}.`));
  return section("devices", "Memory of GPUs", RUN.devices, table("Memory of GPUs", columns, devices.map(row)), ...reasons);
}

function lossesSection(report) {
  const losses = [...report.losses];
  if (report.recorder && report.recorder !== "on") losses.unshift(RUN.losses.recorder(report.recorder));
  for (const { count, what, change, notable } of report.sampling?.lost ?? []) {
    if (!notable) losses.push(`${counted(count, "sample")} ${what} (${change})`);
  }
  if (losses.length === 0) return section("losses", "Not seen", RUN.losses.none);
  return section("losses", "Not seen", RUN.losses.lead, h("ul", { class: "losses" }, losses.map((loss) => h("li", {}, loss))));
}
