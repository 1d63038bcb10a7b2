//! Whether imports made what a phase left behind: libraries import more of themselves at their first use.
//!
//! In: samples with their stacks. Out: yes or no. What must not happen here: a yes where half of it was made otherwise.

use std::collections::HashMap;

use super::Sites;
use super::attribution::{Step, steps};
use crate::numbers::HALF;

/// Where Python's import system is on a stack.
const IMPORT_SYSTEM: &str = "<frozen importlib._bootstrap";

impl Sites<'_> {
    /// Whether most of what a phase left behind before a moment was made below an import.
    pub(crate) fn imports_in(&self, phase: &str, before_ns: u64) -> bool {
        let mut known: HashMap<u64, bool> = HashMap::new();
        let (mut imported, mut total) = (0.0, 0.0);
        let born = self.recording.samples.iter().take_while(|s| s.born_ns <= before_ns);
        let left = born.filter(|s| s.lives_at(before_ns.min(self.end_ns)) && s.lives_at(self.end_ns));
        for sample in left.filter(|s| self.course.at(s.born_ns) == phase) {
            total += sample.weight;
            let below = *known.entry(sample.stack).or_insert_with(|| self.is_below_import(sample.stack));
            imported += if below { sample.weight } else { 0.0 };
        }
        total > 0.0 && imported >= HALF * total
    }

    fn is_below_import(&self, stack: u64) -> bool {
        let steps = steps(&self.recording, &self.names, stack);
        steps.iter().any(|step| matches!(step, Step::Python(_, line) if line.file.starts_with(IMPORT_SYSTEM)))
    }
}
