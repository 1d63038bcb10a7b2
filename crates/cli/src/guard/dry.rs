//! `nilometer guard --dry-run CAPTURE`: what the guard would have done in a run that is over.
//!
//! In: a capture. Out: the first end of an epoch at which the rule acts, or the nearest one. What must not happen here: a
//! number that the capture does not have; what saving takes is not in it unless the run was guarded.

use std::path::Path;

use nilometer_capture::{Capture, CycleUnit, Moment, Record};

use super::look::Kind;
use super::options::GuardOptions;
use super::rule::{EpochEnd, History, Judgement};
use super::service;
use crate::messages::{Failure, bytes_to_stdout};
use crate::report::open;
use crate::words::guard as words;

/// What a save is taken to need where nobody says it.
const RESERVE_BYTES: u64 = 64 << 20;
/// The fact in which a guarded run says what it needs.
pub(super) const RESERVE_FACT: &str = "guard.reserve";

pub(super) fn show(options: &GuardOptions, path: &Path) -> Result<(), Failure> {
    let capture = open(path)?;
    let limits = Limits::of(&capture, options.limit);
    let ends = ends(&capture, &limits);
    let (kind, limit) = limits.lowest().ok_or_else(|| words::no_limit(path))?;
    if ends.is_empty() {
        let told = service::dry::told(path, &capture, kind, limit).ok_or_else(|| words::no_epochs(path))?;
        return bytes_to_stdout(told.as_bytes());
    }
    let reserve = options.reserve.0.or_else(|| said(&capture)).unwrap_or(RESERVE_BYTES);
    bytes_to_stdout(told(kind, &ends, reserve).as_bytes())
}

/// An end of an epoch: its number, and what stood then.
type End = (u64, EpochEnd);

fn told(kind: Kind, ends: &[End], reserve: u64) -> String {
    let mut history = History::default();
    let judged: Vec<(u64, Judgement)> =
        ends.iter().map(|(epoch, end)| (*epoch, history.epoch_ended(*end, reserve))).collect();
    let acted = judged.iter().find(|(_, judgement)| judgement.acts);
    let nearest = judged.iter().min_by_key(|(_, judgement)| judgement.room());
    let Some((epoch, judgement)) = acted.or(nearest) else { return String::new() };
    let last = ends.last().map_or(0, |(epoch, _)| *epoch);
    let numbers = words::judged(kind, judgement);
    if acted.is_some() {
        words::would_have_acted(*epoch, last, &numbers)
    } else {
        words::would_not_have_acted(*epoch, last, &numbers)
    }
}

/// The limits that stood around the run.
struct Limits {
    asked: Option<u64>,
    cgroup: Option<u64>,
    ram_total: Option<u64>,
}

impl Limits {
    fn of(capture: &Capture, asked: Option<u64>) -> Self {
        let mut limits = Self { asked, cgroup: None, ram_total: None };
        for stamped in &capture.records {
            if let Record::Surroundings(around) = &stamped.record {
                limits.cgroup = around.cgroup_limit.or(limits.cgroup);
                limits.ram_total = around.ram_total.or(limits.ram_total);
            }
        }
        limits
    }

    /// The lowest. Each is judged by the memory of the program and its children, which is what a capture has at each end.
    fn lowest(&self) -> Option<(Kind, u64)> {
        let all = [(Kind::Asked, self.asked), (Kind::Cgroup, self.cgroup), (Kind::Ram, self.ram_total)];
        all.into_iter().filter_map(|(kind, limit)| Some((kind, limit?))).min_by_key(|(_, limit)| *limit)
    }
}

/// The ends of epochs that were read, with the highest reading since the one before.
fn ends(capture: &Capture, limits: &Limits) -> Vec<End> {
    let Some((_, limit)) = limits.lowest() else { return Vec::new() };
    let pid = capture.records.iter().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == "pid" => value.parse::<u64>().ok(),
        _ => None,
    });
    let mut ends = Vec::new();
    let (mut peak, mut others) = (0, std::collections::BTreeMap::new());
    for stamped in &capture.records {
        match &stamped.record {
            Record::Reading { moment, counters } => {
                let Some(anonymous) = counters.rss_anon else { continue };
                let own = anonymous + counters.rss_shmem.unwrap_or(0) + counters.swap.unwrap_or(0);
                if let Moment::Cycle { unit: CycleUnit::Epoch, ordinal } = moment {
                    let above = (peak > own).then(|| peak - own);
                    let used = own + others.values().sum::<u64>();
                    ends.push((*ordinal, EpochEnd { used, limit, above, ..EpochEnd::default() }));
                    peak = 0;
                } else {
                    peak = peak.max(own);
                }
            }
            Record::Process(reading) => {
                let Some(anonymous) = reading.rss_anon else { continue };
                let sum = anonymous + reading.rss_shmem.unwrap_or(0) + reading.swap.unwrap_or(0);
                if reading.pid == pid {
                    peak = peak.max(sum);
                } else if let Some(pid) = reading.pid {
                    others.insert(pid, sum);
                }
            }
            _ => {}
        }
    }
    ends
}

fn said(capture: &Capture) -> Option<u64> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == RESERVE_FACT => value.parse().ok(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nilometer_diagnose::size;

    fn told(used_mib: &[u64]) -> String {
        let end = |used: u64| EpochEnd { used: used << 20, limit: 1000 << 20, ..EpochEnd::default() };
        let ends: Vec<End> =
            used_mib.iter().enumerate().map(|(at, used)| (at as u64 + 1, end(*used))).collect();
        super::told(Kind::Asked, &ends, 0)
    }

    #[test]
    fn the_first_act_is_told() {
        let text = told(&[500, 600, 700, 800, 900, 990]);
        assert!(
            text.starts_with("The guard would have acted after epoch 5 of the 6 that were run."),
            "{text}"
        );
        assert!(text.contains(&size(f64::from(100 << 20))), "{text}");
    }

    #[test]
    fn a_run_that_is_not_stopped_is_told_as_well() {
        let text = told(&[500, 500, 510, 500]);
        assert!(
            text.starts_with("The guard would not have acted in 4 epochs. It was nearest after epoch 3"),
            "{text}"
        );
    }
}
