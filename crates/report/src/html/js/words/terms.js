// The words of the terminal, where the page says the same thing.

const VERDICTS = { leak: "Leak", no_leak: "No leak", undecided: "Undecided" };
const LIMITS = { cgroup: "cgroup limit", ram: "RAM", rlimit: "resource limit (ulimit)" };
const PHASES = {
  import: "import",
  first_op: "first operation",
  build: "building the model",
  fit: "fit()",
  fit_entry: "entering fit()",
  data_adapter: "data adapter",
  first_batch: "first batch",
  epoch: "epoch",
  validation: "validation",
  predict: "predict()",
  evaluate: "evaluate()",
  trace: "tracing",
  program: "the program itself",
  before: "before the recording",
};

function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function phaseWords(name) {
  return PHASES[name] ?? name ?? "no phase";
}

const WHEN = {
  import: "importing",
  fit_entry: "entering fit()",
  first_batch: "in the first batch",
  first_op: "at the first operation",
  build: "building the model",
  epoch: "in the first epochs",
  validation: "in the first validation",
  predict: "in the first predict()",
  evaluate: "in the first evaluate()",
  trace: "tracing",
  program: "in the program itself",
  before: "before the recording",
};

const COUNTS = {
  batch_shapes: "shapes of batches",
  func_graphs: "graphs that live",
  functions: "traced functions that live",
  gradient_registry: "entries of the gradient registry",
  keras_state: "entries of Keras' global state",
  variables: "variables that live",
  models: "models that live",
};

/** What a framework counts. */
function countWords(name) {
  return COUNTS[name] ?? name.replaceAll("_", " ");
}

/** When something came once. */
function whenWords(phase) {
  return phase === null ? "at the start" : (WHEN[phase] ?? `in ${phase}`);
}

function limitWords(limit) {
  return LIMITS[limit] ?? limit;
}

/** `12 epochs`, `1 fit`. */
function counted(count, unit) {
  return `${number(count)} ${unit}${count === 1 ? "" : "s"}`;
}

/** `95 %: 7.7 MiB to 8.3 MiB`. */
function interval(bytes) {
  return `95 %: ${size(bytes.low)} to ${size(bytes.high)}`;
}

/** `+7.6 MiB per epoch`, with its interval where that is wide enough to matter. */
function rate(bytes, unit) {
  const words = `${added(bytes.estimate)} per ${unit}`;
  const wide = bytes.high - bytes.low > 0.05 * bytes.estimate;
  return wide ? `${words} (${interval(bytes)})` : words;
}

function fileName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `train.py:30`, without a line where there is none. */
function place(site) {
  return site.line > 0 ? `${site.file}:${site.line}` : site.file;
}

/** How far the program came. */
function course(report) {
  const { unit, count, seconds } = report.cycles;
  const time = duration(report.program.seconds);
  if (unit === "window" && seconds !== null) {
    const windows = `${counted(count, unit)} of ${duration(seconds)}`;
    // Cycles may have been seen of which too few could be read, or windows were asked for.
    const seen = report.cycles.alternatives.length > 0;
    return seen ? `${time}, told by ${windows}` : `${time}, no cycle seen (${windows} serve)`;
  }
  return `${counted(count, unit)}${found(report.cycles)} in ${time}`;
}

/** How the cycle was found, where no hook knows it. */
function found({ unit, found_by: how }) {
  if (!how) return "";
  const text = unit === "printed line" ? how.split("`")[1] : null;
  return text ? ` (\`${text}\`)` : ` (counted by ${how})`;
}

/** How the program ended, if that is worth a line. */
function ending(exit) {
  if (!exit) return "still running when this was read, or ended together with nilometer";
  const by = {
    cgroup: "killed by the cgroup's memory limit",
    ram: "killed because the machine ran out of memory",
    rlimit: "ended by its memory resource limit (ulimit)",
  }[exit.limit];
  if (by) return exit.signal === null ? `${by} (exit code ${exit.code})` : `${by} (signal ${exit.signal})`;
  if (exit.signal !== null) return `ended by signal ${exit.signal}`;
  return exit.code ? `ended with exit code ${exit.code}` : null;
}
