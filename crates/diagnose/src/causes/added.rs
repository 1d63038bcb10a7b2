//! A finding for a growth that neither samples nor the census explain, where the run itself tells the cause.
//!
//! In: the findings, the growth, the share that is explained. Out: at most one finding more, with what is left of the growth.
//! What must not happen here: a word where most of the growth is explained; bytes told twice; a second guess.

use super::{
    Explanation, Run, figures_open, gc_disabled, gradient_registry, kernel_cache, retraced, shared_memory,
    with_fault,
};
use crate::report::{Bytes, Finding, Site};

/// It is explained with this share.
const EXPLAINED_RATIO: f64 = 0.5;
/// A graph and what belongs to it weigh no more than this; train steps of big models do, a few MiB is usual.
pub(super) const MAX_TRACE_BYTES: f64 = 8.0 * 1024.0 * 1024.0;

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
    gradient_registry::hold(&mut more, cause, run);
    findings.push(more);
    findings.sort_by_key(|f| std::cmp::Reverse(f.bytes_per_cycle.estimate));
    Some(share + bytes / rate)
}

fn told(run: Run, left: f64) -> Option<(&'static str, Explanation, f64)> {
    if let Some((said, bytes)) = shared_memory::of_run(run, left) {
        return Some((shared_memory::CAUSE, said, bytes));
    }
    if let Some((cause, said, per_cycle)) = retraced::of_run(run) {
        return Some((cause, said, left.min(per_cycle * MAX_TRACE_BYTES)));
    }
    let registry = gradient_registry::of_run(run);
    let figures = || Some((figures_open::CAUSE, figures_open::of_run(run)?));
    let disabled = || Some((gc_disabled::CAUSE, gc_disabled::of_run(run)?));
    if let Some((cause, said)) = registry.or_else(figures).or_else(disabled) {
        return Some((cause, said, left));
    }
    Some((kernel_cache::CAUSE, kernel_cache::of_run(run)?, left.min(MAX_TRACE_BYTES)))
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
        change: Some(with_fault(cause, said.change, run.program)),
        prove: run.prove(said.intervention),
        process: None,
        device: None,
    }
}
