//! A finding for a growth that neither samples nor the census explain, where the run itself tells the cause.
//!
//! In: the findings, the growth, the share that is explained. Out: at most one finding more, with what is left of the growth.
//! What must not happen here: a word where most of the growth is explained; bytes told twice; a second guess.

use super::{figures_open, gc_disabled, hold, shared_memory, with_fault};
use crate::pack::{Explanation, Run, RunCause};
use crate::report::{Bytes, Finding, Site};

/// It is explained with this share.
const EXPLAINED_RATIO: f64 = 0.5;

/// The finding, for a leak of `rate` bytes per cycle of which a share is explained.
pub(crate) fn add(findings: &mut Vec<Finding>, run: Run, rate: f64, explained: Option<f64>) -> Option<f64> {
    let share = explained.unwrap_or(0.0);
    if share >= EXPLAINED_RATIO || rate <= 0.0 {
        return explained;
    }
    let left = rate * (1.0 - share);
    let Some((cause, said, bytes)) = told(run, left) else { return explained };
    if findings.iter().any(|f| f.cause == cause) {
        return explained;
    }
    let mut more = finding(cause, said, bytes.round() as i64, run);
    hold(&mut more, cause, run);
    findings.push(more);
    findings.sort_by_key(|f| std::cmp::Reverse(f.bytes_per_cycle.estimate));
    Some(share + bytes / rate)
}

/// The causes of no framework, and the rank of each among all.
const CORE: [RunCause; 3] = [
    RunCause {
        rank: 10,
        explain: |run, left| {
            let (said, bytes) = shared_memory::of_run(run, left)?;
            Some((shared_memory::CAUSE, said, bytes))
        },
    },
    RunCause { rank: 40, explain: |run, left| Some((figures_open::CAUSE, figures_open::of_run(run)?, left)) },
    RunCause { rank: 50, explain: |run, left| Some((gc_disabled::CAUSE, gc_disabled::of_run(run)?, left)) },
];

fn told(run: Run, left: f64) -> Option<(&'static str, Explanation, f64)> {
    let mut all: Vec<&RunCause> =
        CORE.iter().chain(run.packs.iter().flat_map(|pack| pack.run_causes)).collect();
    all.sort_by_key(|cause| cause.rank);
    all.into_iter().find_map(|cause| (cause.explain)(run, left))
}

fn finding(cause: &str, said: Explanation, bytes: i64, run: Run) -> Finding {
    Finding {
        cause: cause.to_owned(),
        confidence: "likely",
        sentence: said.sentence,
        holder: None,
        also_held_by: Vec::new(),
        sites: said.made_at.map(|site| Site { bytes_per_cycle: bytes, ..site }).into_iter().collect(),
        bytes_per_cycle: Bytes { estimate: bytes, low: 0, high: bytes },
        phase: None,
        part: None,
        cycles_seen: run.cycles,
        stack: Vec::new(),
        change: Some(with_fault(cause, said.change, run)),
        prove: run.prove(said.intervention),
        process: None,
        device: None,
    }
}
