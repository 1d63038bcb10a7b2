//! What must be known of all records before one of them may go.
//!
//! In: every record, twice, in about the order of time. Out: answers that look ahead: does this sample die, does a later
//! look of the same stretch see more, does this run go on. What must not happen here: memory for a record that stays anyway.

use std::collections::BTreeMap;

use super::ages::{Ages, Kept, Size};
use super::lives::Lives;
use crate::observation::Observation;
use crate::reader::Stamped;
use crate::record::Record;
use crate::sample::Sampling;

/// A census that goes over every edge.
const WHOLE_LOOK: u64 = 2;
/// The fact with which a run begins that goes on in the capture of an earlier one.
pub const RUN_BEGINS: &str = "run.begins";

/// What was learned.
#[derive(Debug, Default)]
pub struct Known {
    lives: Lives,
    /// When the newest generation of each process began.
    generations: BTreeMap<u32, u64>,
    /// When whole looks of each process ended.
    looks: BTreeMap<u32, Vec<u64>>,
    began_ns: u64,
}

impl Known {
    /// The first time that all are seen.
    pub fn hear(&mut self, stamped: &Stamped) {
        let (pid, at_ns) = (stamped.pid, stamped.at_ns);
        match &stamped.record {
            Record::Sampling(Sampling::Birth(birth)) => self.lives.born(pid, birth.id, at_ns),
            Record::Sampling(Sampling::Start { .. }) => {
                let newest = self.generations.entry(pid).or_default();
                if at_ns >= *newest {
                    *newest = at_ns;
                    self.lives.begin(pid);
                }
            }
            Record::Observation(Observation::Census(counts)) if counts.depth == Some(WHOLE_LOOK) => {
                self.looks.entry(pid).or_default().push(at_ns);
            }
            Record::Fact { key, .. } if key == RUN_BEGINS => self.began_ns = self.began_ns.max(at_ns),
            _ => {}
        }
    }

    /// The second time; deaths need all births.
    pub fn hear_again(&mut self, stamped: &Stamped) {
        if let Record::Sampling(Sampling::Death { id }) = &stamped.record {
            self.lives.died(stamped.pid, *id, stamped.at_ns);
        }
    }

    pub(super) fn began_ns(&self) -> u64 {
        self.began_ns
    }

    /// Whether a birth or death goes.
    pub(super) fn sample_goes(&self, pid: u32, at_ns: u64, sampling: &Sampling, ages: &Ages) -> bool {
        match sampling {
            Sampling::Birth(birth) => self.lives.may_go(pid, birth.id, ages),
            Sampling::Death { id } => self.lives.death_may_go(pid, *id, at_ns, ages),
            _ => false,
        }
    }

    /// Whether it is of memory that went when its process replaced itself, or ended.
    pub(super) fn is_of_the_past(&self, pid: u32, at_ns: u64, ages: &Ages) -> bool {
        let replaced =
            self.generations.get(&pid).is_some_and(|newest| at_ns < *newest && ages.is_old(*newest));
        replaced || ages.is_of_an_earlier_run(at_ns)
    }

    /// Whether what a look over the heap saw stays: of those in one stretch the last one does.
    pub(super) fn look_stays(&self, pid: u32, at_ns: u64, ages: &Ages) -> bool {
        let looks = self.looks.get(&pid).map(Vec::as_slice).unwrap_or_default();
        let at = looks.partition_point(|ended| *ended < at_ns);
        let kept = |at: usize| looks.get(at).map(|ended| ages.kept(*ended, Size::Large));
        match (kept(at), kept(at + 1)) {
            (Some(Kept::None), _) => false,
            (Some(this @ Kept::One(_)), next) => next != Some(this),
            _ => true,
        }
    }
}
