//! Births and deaths, joined as they are read: memory that came and went unseen takes none here.
//!
//! In: births and deaths in any order, and the moments at which it matters what was alive. Out: the samples that one of
//! those moments saw, and how many there were besides. What must not happen here: memory for every sample that ever was.

use nilometer_capture::{Birth, Capture, Record, Sampling};

use super::bins::Bins;
use super::id_map::ById;
use super::recording::is_live;
use crate::sample::Sample;

/// Moments at which it matters what was alive, in order.
#[derive(Debug, Default)]
pub(crate) struct Moments(Vec<u64>);

impl Moments {
    /// The ends of the bins, the last reading, and every look at the heap.
    pub(crate) fn of(capture: &Capture, bins: &Bins, end_ns: u64) -> Self {
        let looks = capture.records.iter().filter(|stamped| matches!(stamped.record, Record::Observation(_)));
        let mut all: Vec<u64> = looks.map(|stamped| stamped.at_ns).chain([end_ns]).collect();
        all.extend((0..bins.len()).filter_map(|bin| bins.end(bin)));
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    /// Whether one of them saw alive what was born and died then.
    fn saw(&self, born_ns: u64, died_ns: u64) -> bool {
        let before = |at_ns: u64| self.0.partition_point(|moment| *moment < at_ns);
        before(born_ns) != before(died_ns)
    }
}

/// What is known of an id.
#[derive(Debug)]
enum Known {
    /// When it was born, and as what; none for memory that does not count.
    Born(Option<(u64, Birth)>),
    /// Only its death was read so far.
    Dead(u64),
}

/// Samples by id, while they are read.
#[derive(Debug, Default)]
pub(crate) struct Lifetimes {
    known: ById<Known>,
    seen: Vec<Sample>,
    passed: u64,
}

impl Lifetimes {
    /// Takes in a birth or a death.
    pub(crate) fn hear(&mut self, at_ns: u64, sampling: &Sampling, moments: &Moments) {
        match sampling {
            Sampling::Birth(birth) => {
                let born = is_live(birth.source).then_some((at_ns, *birth));
                match self.known.remove(&birth.id) {
                    Some(Known::Dead(died_ns)) => self.end(born, died_ns, moments),
                    // A sample that is leaving the nursery may be seen there and in its record.
                    Some(first @ Known::Born(_)) => {
                        self.known.insert(birth.id, first);
                    }
                    None => {
                        self.known.insert(birth.id, Known::Born(born));
                    }
                }
            }
            Sampling::Death { id } => match self.known.remove(id) {
                Some(Known::Born(born)) => self.end(born, at_ns, moments),
                Some(Known::Dead(first)) => {
                    self.known.insert(*id, Known::Dead(first.min(at_ns)));
                }
                None => {
                    self.known.insert(*id, Known::Dead(at_ns));
                }
            },
            _ => {}
        }
    }

    fn end(&mut self, born: Option<(u64, Birth)>, died_ns: u64, moments: &Moments) {
        let Some((born_ns, birth)) = born else { return };
        if moments.saw(born_ns, died_ns) {
            self.seen.push(Sample { died_ns, ..Sample::of(born_ns, &birth) });
        } else {
            self.passed += 1;
        }
    }

    /// Those that were seen, in the order of birth, and the number of the others.
    pub(crate) fn told(self) -> (Vec<Sample>, u64) {
        let mut samples = self.seen;
        samples.extend(self.known.into_values().filter_map(|known| match known {
            Known::Born(born) => born.map(|(born_ns, birth)| Sample::of(born_ns, &birth)),
            Known::Dead(_) => None,
        }));
        samples.sort_by_key(|sample| (sample.born_ns, sample.id));
        (samples, self.passed)
    }
}
