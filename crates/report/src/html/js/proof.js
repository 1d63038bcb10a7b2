// What experiments showed: a row for each change that the program was run with, and the answer.

const ANSWERS = {
  cured: "Cured",
  reduced: "Reduced",
  unexplained: "Not explained",
  nothing_to_cure: "Nothing to cure",
  undecided: "Undecided",
};

function proofSection(report, profile, { proof }) {
  if (!proof) return null;
  const rows = proof.interventions.map((one) => [
    one.intervention,
    one.growth ? (one.growth.estimate === 0 ? "0 B" : added(one.growth.estimate)) : "too few cycles",
    one.growth ? `${size(one.growth.low)} to ${size(one.growth.high)}` : "",
    one.removed ? percent(one.removed.estimate) : "",
    duration(one.seconds),
    h(one.verdict === "cures" ? "b" : "span", {}, one.verdict.replace("_", " ")),
    one.capture ? h("code", {}, one.capture) : "",
    one.note ?? "",
  ]);
  const columns = [
    ["the program ran", ""],
    [`growth per ${proof.unit}`, "right"],
    ["95 %", ""],
    ["gone", "right"],
    ["took", "right"],
    ["verdict", ""],
    ["capture", ""],
    ["", ""],
  ];
  const notes = [
    ...proof.warnings,
    proof.not_tried.length > 0 && RUN.proof.notTried(proof.not_tried.join(", ")),
  ].filter(Boolean);
  const { growth, cycles, seconds } = proof.baseline;
  const asItIs = `${growth ? rate(growth, proof.unit) : RUN.proof.noGrowth}, ${counted(cycles, proof.unit)} in ${duration(seconds)}`;
  return section(
    "proof",
    "What experiments showed",
    RUN.proof.lead(asItIs),
    h("p", { class: "answer" }, h("b", {}, `${ANSWERS[proof.answer]}: `), `${proof.sentence}.`),
    rows.length > 0 && table("Experiments", columns, rows),
    notes.length > 0 && h("ul", { class: "losses between" }, notes.map((note) => h("li", {}, note))),
  );
}
