//! What `nilometer fix` found, on a terminal and as JSON.
//!
//! In: the program as it is, the patch that was proven, those that were not, causes without one. Out: text.
//! What must not happen here: the diff of a patch that was not proven.

use nilometer_diagnose::{Bytes, Verdict, size};
use nilometer_prove::{Baseline, Experiment, Proof};
use nilometer_report::{Style, wrapped};
use serde_json::{Value, json};

use super::proposals::{Attempt, Refused};

/// The name and version of the JSON.
const SCHEMA: &str = "nilometer.fix/1";

/// All that was found.
pub(crate) struct Outcome {
    pub(crate) program: Vec<String>,
    pub(crate) unit: &'static str,
    pub(crate) baseline: Baseline,
    pub(crate) fix: Option<Fix>,
    pub(crate) tried: Vec<Tried>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) warnings: Vec<String>,
    pub(crate) seconds: f64,
    pub(crate) folder: String,
}

/// A patch that was proven.
pub(crate) struct Fix {
    pub(crate) attempt: Attempt,
    pub(crate) experiment: Experiment,
    /// Lines that the program prints as before.
    pub(crate) lines: usize,
    pub(crate) written: bool,
}

/// One that was not.
pub(crate) struct Tried {
    pub(crate) attempt: Attempt,
    pub(crate) experiment: Experiment,
    pub(crate) why: String,
}

impl Outcome {
    pub(crate) fn new(proof: Proof) -> Self {
        Self {
            program: proof.program,
            unit: proof.unit,
            baseline: proof.baseline,
            fix: None,
            tried: Vec::new(),
            refused: Vec::new(),
            warnings: proof.warnings,
            seconds: 0.0,
            folder: proof.folder,
        }
    }

    /// The answer in a word.
    fn answer(&self) -> &'static str {
        match (&self.fix, self.baseline.verdict) {
            (Some(_), _) => "fixed",
            (None, Verdict::NoLeak) => "nothing_to_fix",
            (None, Verdict::Undecided) => "undecided",
            (None, Verdict::Leak) => "no_fix",
        }
    }

    fn sentence(&self) -> String {
        match (&self.fix, self.baseline.verdict) {
            (Some(fix), _) => fix.sentence(self.unit),
            (None, Verdict::NoLeak) => format!("nothing to fix: {}", self.baseline.reason),
            (None, Verdict::Undecided) => format!("whether it leaks is undecided: {}", self.baseline.reason),
            (None, Verdict::Leak) if self.tried.is_empty() => {
                "there is no mechanical change for this leak".to_owned()
            }
            (None, Verdict::Leak) => "no patch that was tried could be proven".to_owned(),
        }
    }

    /// The screen at the end.
    pub(crate) fn text(&self, style: &Style) -> String {
        let width = style.width.max(40);
        let name = self.program.first().map_or("program", String::as_str);
        let (unit, baseline) = (self.unit, &self.baseline);
        let growth = baseline.growth.map_or("no growth to be seen".to_owned(), |growth| rate(&growth, unit));
        let mut out =
            wrapped(&format!("nilometer fix  {name}: {growth}, {} {unit}s", baseline.cycles), width, 15)
                + "\n";
        let refused: &[Refused] = if self.fix.is_some() { &[] } else { &self.refused };
        for (cause, what, why) in refused.iter().map(|one| (&one.cause, &one.finding, &one.why)) {
            out += &format!("\n{}\n", wrapped(&format!("  {cause}: {what}"), width, 4));
            out += &format!("{}\n", wrapped(&format!("    No patch: {why}."), width, 4));
        }
        for tried in &self.tried {
            let what = tried.attempt.sentences.join("; ");
            out += &format!(
                "\n{}\n",
                wrapped(&format!("  {}: {what}", tried.attempt.fixes.join(", ")), width, 4)
            );
            out +=
                &format!("{}\n", wrapped(&format!("    Tried, and it is no fix: {}.", tried.why), width, 4));
        }
        if let Some(fix) = &self.fix {
            let fixes = fix.attempt.fixes.iter().zip(&fix.attempt.sentences);
            for (name, sentence) in fixes {
                out += &format!("\n{}\n", wrapped(&format!("  {name}: {sentence}"), width, 4));
            }
            out += &format!("\n{}", fix.attempt.diff);
        }
        let word = match self.answer() {
            "fixed" => "PROVEN",
            "nothing_to_fix" => "NO LEAK",
            "undecided" => "UNDECIDED",
            _ => "NO FIX",
        };
        out += &format!("\n{}\n", wrapped(&format!("{word}  {}.", self.sentence()), width, word.len() + 2));
        if let Some(fix) = &self.fix {
            let files: Vec<&str> = fix.attempt.files.iter().map(|file| file.shown.as_str()).collect();
            let files = files.join(", ");
            let done = if fix.written {
                format!("Written: {files}.")
            } else {
                format!(
                    "Nothing is changed: --write changes {files}; or patch -p1 < {}/fix.patch",
                    self.folder
                )
            };
            out += &format!("{}\n", wrapped(&done, width, 0));
        }
        for warning in &self.warnings {
            out += &format!("{}\n", wrapped(&format!("Note: {warning}."), width, 6));
        }
        out + &format!("Captures: {}\n", self.folder)
    }

    /// As `docs/fix.md` has it.
    pub(crate) fn json(&self) -> String {
        let shown = |attempt: &Attempt| -> Vec<Value> {
            attempt.files.iter().map(|file| Value::from(file.shown.as_str())).collect()
        };
        let fix = self.fix.as_ref().map(|fix| {
            json!({
                "fixes": fix.attempt.fixes, "sentences": fix.attempt.sentences, "files": shown(&fix.attempt),
                "diff": fix.attempt.diff, "proof": fix.experiment, "same_lines": fix.lines, "written": fix.written,
            })
        });
        let tried = self.tried.iter().map(|tried| {
            json!({
                "fixes": tried.attempt.fixes, "sentences": tried.attempt.sentences, "files": shown(&tried.attempt),
                "proof": tried.experiment, "why": tried.why,
            })
        });
        let refused = self
            .refused
            .iter()
            .map(|one| json!({ "cause": one.cause, "finding": one.finding, "why": one.why }));
        let all = json!({
            "schema": SCHEMA,
            "program": self.program,
            "answer": self.answer(),
            "sentence": self.sentence(),
            "unit": self.unit,
            "baseline": self.baseline,
            "fix": fix,
            "tried": tried.collect::<Vec<_>>(),
            "refused": refused.collect::<Vec<_>>(),
            "warnings": self.warnings,
            "seconds": self.seconds,
            "folder": self.folder,
        });
        serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
    }
}

impl Fix {
    fn sentence(&self, unit: &str) -> String {
        let experiment = &self.experiment;
        let share = experiment.removed.map_or("the growth".to_owned(), |share| {
            let percent = |part: f64| (100.0 * part).round().clamp(-999.0, 100.0);
            let (estimate, low, high) = (percent(share.estimate), percent(share.low), percent(share.high));
            format!("{estimate} % of the growth (95 %: {low} to {high})")
        });
        let cycles = experiment.cycles;
        let left = match experiment.growth {
            Some(growth) if growth.estimate <= 0 => format!("; {cycles} {unit}s do not grow"),
            Some(growth) => {
                format!("; {} per {unit} are left, seen in {cycles}", size(growth.estimate as f64))
            }
            None => String::new(),
        };
        let lines = match self.lines {
            0 => "the program prints nothing, with it and without".to_owned(),
            1 => "the line that the program prints is the same".to_owned(),
            lines => format!("all {lines} lines that the program prints are the same"),
        };
        format!("this patch removes {share}{left}; {lines}")
    }
}

/// `+4.0 MiB per epoch (95 %: 3.9 MiB to 4.1 MiB)`.
fn rate(growth: &Bytes, unit: &str) -> String {
    let sign = if growth.estimate > 0 { "+" } else { "" };
    let [estimate, low, high] = [growth.estimate, growth.low, growth.high].map(|bytes| size(bytes as f64));
    format!("{sign}{estimate} per {unit} (95 %: {low} to {high})")
}
