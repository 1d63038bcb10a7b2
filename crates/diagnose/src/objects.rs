//! Objects of Python's by type, from look to look.
//!
//! In: what scans of the heap counted, which is said when it changed. Out: a series for each type. What must not happen here: a look
//! that saw only a part of the heap counted as one.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, Observation, Record};

use crate::cycles::Cycles;
use crate::report::{Look, Objects, TypeCounts};

/// Types and looks in a report.
const TYPES: usize = 40;
const MAX_LOOKS: usize = 128;
/// A census of containers alone, which is the one that counts.
const SCAN: u64 = 1;

/// What process `pid` said, or whoever spoke where it is not known.
pub(crate) fn objects(capture: &Capture, pid: Option<u64>, cycles: &Cycles) -> Option<Objects> {
    let mut looks = Vec::new();
    let mut known: BTreeMap<&str, (u64, Vec<Option<u64>>)> = BTreeMap::new();
    for stamped in &capture.records {
        let Record::Observation(seen) = &stamped.record else { continue };
        if pid.is_some_and(|pid| pid != u64::from(stamped.pid)) {
            continue;
        }
        match seen {
            Observation::Objects { name, count } => {
                known.entry(name).or_default().0 = *count;
            }
            Observation::Census(counts) if counts.depth == Some(SCAN) && counts.cut != Some(1) => {
                for (count, series) in known.values_mut() {
                    series.resize(looks.len(), None);
                    series.push(Some(*count));
                }
                looks.push(Look {
                    seconds: stamped.at_ns as f64 / 1e9,
                    cycle: cycles.ends.iter().rfind(|p| p.at_ns <= stamped.at_ns).map_or(0, |p| p.ordinal),
                });
            }
            _ => {}
        }
    }
    if looks.len() < 2 || known.is_empty() {
        return None;
    }
    let kept = evenly(looks.len());
    let types = known.into_iter().filter(|(_, (_, series))| series.len() == looks.len());
    let mut types: Vec<TypeCounts> = types
        .map(|(name, (_, series))| TypeCounts {
            name: name.to_owned(),
            counts: kept.iter().map(|at| series.get(*at).copied().flatten()).collect(),
        })
        .collect();
    types.sort_by(|left, right| weight(right).cmp(&weight(left)).then(left.name.cmp(&right.name)));
    types.truncate(TYPES);
    Some(Objects { looks: kept.iter().filter_map(|at| looks.get(*at).copied()).collect(), types })
}

/// By how much a type became more, and how many there are: the order in which types are told.
fn weight(one: &TypeCounts) -> (i64, u64) {
    let mut told = one.counts.iter().flatten();
    let first = told.next().copied().unwrap_or(0);
    let last = told.next_back().copied().unwrap_or(first);
    (last.cast_signed().saturating_sub(first.cast_signed()), last)
}

/// Which of so many looks are told, the first and the last among them.
fn evenly(count: usize) -> Vec<usize> {
    let told = count.min(MAX_LOOKS);
    (0..told).map(|i| i * (count - 1) / (told - 1).max(1)).collect()
}
