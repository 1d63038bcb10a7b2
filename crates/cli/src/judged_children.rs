//! What the captures of the program's children say, told to the program's own capture.
//!
//! In: the program's capture and those of its children, after the end. Out: a fact in the program's capture for each child that was
//! judged, on which the verdict on the job rests, also when it is reported again; and its verdict, with a line where it leaks. What
//! must not happen here: a long wait where there are hundreds of workers.

use std::collections::BTreeMap;
use std::path::Path;

use nilometer_capture::{Capture, Record, Writer};
use nilometer_diagnose::{Report, Verdict, child_fact, diagnose_with, size};

use crate::lookup::Files;
use crate::supervisor::Child;

/// Children whose captures are judged, those that grew most; each takes a moment.
const MAX_CHILDREN: usize = 8;
/// Beside them so many at even distances: those that grew most do not speak for all, where workers are replaced.
const MAX_SAMPLED_CHILDREN: usize = 8;

/// What a child's own capture says.
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// What leaks in it, in a line.
    pub(crate) leak: Option<String>,
}

/// Judges the children, and says by pid what became of it.
pub(crate) fn judge(program: &Path, children: &[Child]) -> BTreeMap<u32, Judged> {
    let mut judged = BTreeMap::new();
    if children.is_empty() {
        return judged;
    }
    let (Ok(capture), Ok(writer)) = (Capture::open_streamed(program), Writer::join(program)) else {
        return judged;
    };
    let sampled = sampled(children);
    let heaviest = heaviest(children, &grown(&capture));
    let others = heaviest.into_iter().filter(|child| !sampled.contains(child));
    for (child, is_sample) in
        sampled.iter().map(|child| (*child, true)).chain(others.map(|child| (child, false)))
    {
        let Ok(capture) = Capture::open_streamed(&child.capture) else { continue };
        let report = diagnose_with(&capture, &mut Files::default());
        let (key, value) =
            child_fact(child.pid.into(), &capture, &report, is_sample, nilometer_frameworks::DIAGNOSE);
        writer.append(&Record::Fact { key, value });
        judged.insert(child.pid, Judged { verdict: report.job.program, leak: leak(&report) });
    }
    judged
}

/// What each process grew by as seen from outside, and the most it had.
fn grown(program: &Capture) -> BTreeMap<u64, (u64, u64)> {
    let mut levels: BTreeMap<u64, (u64, u64, u64)> = BTreeMap::new();
    for stamped in &program.records {
        if let Record::Process(reading) = &stamped.record
            && let (Some(pid), Some(bytes)) = (reading.pid, reading.rss_anon)
        {
            let level = levels.entry(pid).or_insert((bytes, bytes, bytes));
            *level = (level.0, bytes, level.2.max(bytes));
        }
    }
    levels.into_iter().map(|(pid, (first, last, peak))| (pid, (last.saturating_sub(first), peak))).collect()
}

fn heaviest<'c>(children: &'c [Child], grown: &BTreeMap<u64, (u64, u64)>) -> Vec<&'c Child> {
    let mut out: Vec<&Child> = children.iter().collect();
    out.sort_by_key(|child| std::cmp::Reverse(grown.get(&child.pid.into()).copied()));
    out.truncate(MAX_CHILDREN);
    out
}

/// So many of them whatever they grew by, at even distances in the order of their process ids.
fn sampled(children: &[Child]) -> Vec<&Child> {
    let count = children.len().min(MAX_SAMPLED_CHILDREN);
    (0..count).filter_map(|nth| children.get(nth * children.len() / count)).collect()
}

/// What leaks in a child, in a line; nothing if nothing does.
fn leak(report: &Report) -> Option<String> {
    let growth = report.growth.as_ref().filter(|_| report.job.program == Verdict::Leak)?;
    let rate = size(growth.bytes_per_cycle.estimate as f64);
    let first = report.findings.first();
    let said = first.map_or(String::new(), |finding| format!(", {}", finding.sentence));
    let held = first.and_then(|finding| finding.holder.as_ref());
    let held = held.map_or(String::new(), |holder| format!(", held by {}", holder.path));
    Some(format!("LEAK +{rate} per {}{said}{held}", report.cycles.unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_grew_most_come_first() {
        let child = |pid| Child { pid, role: None, capture: "x".into() };
        let children: Vec<Child> = (1..=10).map(child).collect();
        let grown = [(3, (50, 60)), (9, (0, 500)), (4, (80, 90))].into();
        let pids: Vec<u32> = heaviest(&children, &grown).iter().map(|child| child.pid).collect();
        assert_eq!(pids, [4, 3, 9, 1, 2, 5, 6, 7]);
    }

    #[test]
    fn samples_are_spread_over_all() {
        let child = |pid| Child { pid, role: None, capture: "x".into() };
        let pids = |count: u32| {
            let children: Vec<Child> = (1..=count).map(child).collect();
            sampled(&children).iter().map(|child| child.pid).collect::<Vec<u32>>()
        };
        assert_eq!(pids(0), [0; 0]);
        assert_eq!(pids(3), [1, 2, 3]);
        assert_eq!(pids(17), [1, 3, 5, 7, 9, 11, 13, 15]);
    }
}
