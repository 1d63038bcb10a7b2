//! What `nilometer fix` found, on a terminal and as JSON.
//!
//! In: the program as it is, the patch that was proven, those that were not, causes without one. Out: text.
//! What must not happen here: the diff of a patch that was not proven.

use nilometer_diagnose::Verdict;
use nilometer_prove::{Baseline, Experiment, Proof};
use nilometer_report::{Style, wrapped};
use serde_json::{Value, json};

use super::proposals::{Attempt, Refused};
use crate::words::fix as words;

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
            (Some(fix), _) => words::fixed(&fix.experiment, self.unit, fix.lines),
            (None, verdict) => words::no_fix(verdict, &self.baseline.reason, !self.tried.is_empty()),
        }
    }

    /// The screen at the end.
    pub(crate) fn text(&self, style: &Style) -> String {
        let width = style.width.max(40);
        let name = self.program.first().map_or("program", String::as_str);
        let heading = words::heading(name, self.baseline.growth, self.baseline.cycles, self.unit);
        let mut out = wrapped(&heading, width, 15) + "\n";
        let refused: &[Refused] = if self.fix.is_some() { &[] } else { &self.refused };
        for (cause, what, why) in refused.iter().map(|one| (&one.cause, &one.finding, &one.why)) {
            out += &format!("\n{}\n", wrapped(&format!("  {cause}: {what}"), width, 4));
            out += &format!("{}\n", wrapped(&words::no_patch(why), width, 4));
        }
        for tried in &self.tried {
            let what = tried.attempt.sentences.join("; ");
            out += &format!(
                "\n{}\n",
                wrapped(&format!("  {}: {what}", tried.attempt.fixes.join(", ")), width, 4)
            );
            out += &format!("{}\n", wrapped(&words::tried(&tried.why), width, 4));
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
            let done =
                if fix.written { words::written(&files) } else { words::not_written(&files, &self.folder) };
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
