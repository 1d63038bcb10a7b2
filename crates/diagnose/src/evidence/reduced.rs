//! A capture without what no rule can use: samples that nobody ever saw alive, and stacks of none that is left.
//!
//! In: a capture. Out: a smaller one. What must not happen here: a sample less at any reading, look or end of a cycle, whatever unit a
//! rule may judge by.

use std::collections::{BTreeSet, HashMap, HashSet};

use nilometer_capture::{Capture, Observation, Record, Sampling, StackFrame, Stamped};

/// The fact that says how many samples were left out.
const LEFT_OUT: &str = "evidence.samples_left_out";

/// Samples that were left out of a capture that is evidence; 0 for any other.
pub(crate) fn left_out(capture: &Capture) -> u64 {
    let said = capture.records.iter().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == LEFT_OUT => value.parse().ok(),
        _ => None,
    });
    said.unwrap_or(0)
}

/// The capture, reduced.
pub(super) fn reduced(capture: &Capture) -> Capture {
    let (samples, left_out) = seen_samples(capture);
    let stacks: BTreeSet<u64> = samples.iter().filter_map(|(_, stamped)| stack_of(stamped)).collect();
    let used = Used::of(capture, stacks);
    let others = capture.records.iter().filter(|stamped| !is_sample(&stamped.record) && used.keeps(stamped));
    let mut records: Vec<Stamped> = others.cloned().collect();
    records.extend(samples.into_iter().map(|(_, stamped)| stamped));
    let value = left_out.to_string();
    records.push(Stamped { at_ns: 0, pid: 0, record: Record::Fact { key: LEFT_OUT.to_owned(), value } });
    capture.with_records(records)
}

fn is_sample(record: &Record) -> bool {
    matches!(record, Record::Sampling(Sampling::Birth(_) | Sampling::Death { .. }))
}

fn stack_of(stamped: &Stamped) -> Option<u64> {
    match &stamped.record {
        Record::Sampling(Sampling::Birth(birth)) => Some(birth.stack),
        _ => None,
    }
}

/// A sample of a process.
type SampleId = (u32, u64);

/// Births and deaths of samples that a moment saw alive, and how many births were left out.
fn seen_samples(capture: &Capture) -> (Vec<(SampleId, Stamped)>, u64) {
    // What devices have in use is read more often than any sample is asked for.
    let is_moment = |record: &Record| {
        let is_device =
            matches!(record, Record::Observation(Observation::Device { .. } | Observation::Gpu(_)));
        !is_device && !matches!(record, Record::Sampling(_) | Record::Fact { .. })
    };
    let moments: Vec<u64> =
        capture.records.iter().filter(|stamped| is_moment(&stamped.record)).map(|s| s.at_ns).collect();
    let mut all: Vec<(SampleId, Stamped)> = Vec::new();
    // First and last moment at which each was heard of. Ids begin anew where a program replaces itself: such a sample is kept.
    let mut ends: HashMap<SampleId, (u64, u64)> = HashMap::new();
    capture.each_sample(|stamped| {
        let Record::Sampling(sampling) = &stamped.record else { return };
        let id = match sampling {
            Sampling::Birth(birth) => birth.id,
            Sampling::Death { id } => *id,
            _ => return,
        };
        let (first, last) = ends.entry((stamped.pid, id)).or_insert((stamped.at_ns, stamped.at_ns));
        *first = stamped.at_ns.min(*first);
        *last = stamped.at_ns.max(*last);
        all.push(((stamped.pid, id), stamped.clone()));
    });
    let died: HashSet<SampleId> = all
        .iter()
        .filter(|(_, stamped)| matches!(stamped.record, Record::Sampling(Sampling::Death { .. })))
        .map(|(of, _)| *of)
        .collect();
    let before = |at_ns: u64| moments.partition_point(|moment| *moment < at_ns);
    let seen = |of: &SampleId| {
        !died.contains(of) || ends.get(of).is_none_or(|(first, last)| before(*first) != before(*last))
    };
    let is_birth = |stamped: &Stamped| stack_of(stamped).is_some();
    let births = all.iter().filter(|(_, stamped)| is_birth(stamped)).count();
    all.retain(|(of, _)| seen(of));
    let kept = all.iter().filter(|(_, stamped)| is_birth(stamped)).count();
    (all, (births - kept) as u64)
}

/// Nodes of stacks, code and texts that samples which are left lead to.
struct Used {
    nodes: HashSet<u64>,
    codes: HashSet<u64>,
    texts: HashSet<u64>,
}

impl Used {
    fn of(capture: &Capture, stacks: BTreeSet<u64>) -> Self {
        let mut parents: HashMap<u64, (u64, StackFrame)> = HashMap::new();
        let mut codes: HashMap<u64, (u64, u64)> = HashMap::new();
        for stamped in &capture.records {
            match &stamped.record {
                Record::Sampling(Sampling::Stack { first, parent, frames }) => {
                    let mut parent = *parent;
                    for (id, frame) in (*first..).zip(frames.iter()) {
                        parents.insert(id, (parent, *frame));
                        parent = id;
                    }
                }
                Record::Sampling(Sampling::Code { id, file, function, .. }) => {
                    codes.insert(*id, (*file, *function));
                }
                _ => {}
            }
        }
        let mut used = Self { nodes: HashSet::new(), codes: HashSet::new(), texts: HashSet::new() };
        for stack in stacks {
            let mut id = stack;
            while used.nodes.insert(id) {
                let Some((parent, frame)) = parents.get(&id) else { break };
                if let StackFrame::Python { code, .. } = frame {
                    used.codes.insert(*code);
                }
                id = *parent;
            }
        }
        used.texts =
            used.codes.iter().filter_map(|code| codes.get(code)).flat_map(|(a, b)| [*a, *b]).collect();
        used
    }

    fn keeps(&self, stamped: &Stamped) -> bool {
        match &stamped.record {
            Record::Sampling(Sampling::Stack { first, frames, .. }) => {
                (*first..).zip(frames.iter()).any(|(id, _)| self.nodes.contains(&id))
            }
            Record::Sampling(Sampling::Code { id, .. }) => self.codes.contains(id),
            Record::Sampling(Sampling::Text { id, .. }) => self.texts.contains(id),
            _ => true,
        }
    }
}
