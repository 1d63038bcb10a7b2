//! The processes that the program started, and which of them went on growing.
//!
//! In: readings of their memory from outside. Out: each with its levels, and a rate where it grew to its end. What must not happen here:
//! a word for a start-up, a step, or a level that sways: resident memory does all of these, so a rate needs a long rise without a
//! break. It is no verdict either: what an allocator keeps is resident, too.

mod lived;
mod looks;
mod said;
pub(crate) mod turned;
mod unseen;

pub(crate) use lived::Lived;
pub(crate) use looks::Looks;
pub use said::child_fact;
pub(crate) use said::{Said, key, pid_of};

use nilometer_stats::theil_sen;

use crate::numbers::PART;
use crate::report::Process;

/// The first part of a life is start-up.
const START: f64 = 1.0 / 3.0;
/// Seconds after that, and readings in them, that are needed.
const MIN_SECONDS: f64 = 8.0;
const MIN_READINGS: usize = 16;
/// Windows of it, each of which must lie above the one before.
const WINDOWS: usize = 4;
/// The last of them must rise by this share of what they rise in the mean: what levels off is a cache.
const GOES_ON: f64 = 0.5;
/// Less than this in all is not worth a word, ...
const MIN_RISE_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
/// ... nor this share of what there was.
const MIN_RISE_RATIO: f64 = 0.02;
/// What falls below this share of the peak in the last of a life is its end: a function that returns frees what it kept, and a process
/// that exits gives all of it back.
const MIN_PEAK_RATIO: f64 = 0.9;
/// So is a fall by this share of all that it rose by: a process may be read while it ends.
const FALL_RATIO: f64 = PART;
const END_NS: u64 = 2_000_000_000;
/// A rise of its file pages by less than this share is no import, ...
const FILES_RISE_RATIO: f64 = 0.05;
/// ... nor is one by less: a forked process maps code bit by bit as it meets it, and so does our recorder as it wakes.
const MIN_IMPORT_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
/// Readings that are kept of each; when there are more, every second one goes.
const POINTS: usize = 512;

/// A process while its readings are gathered.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) pid: u64,
    /// Nanoseconds and bytes of anonymous memory.
    pub(crate) points: Vec<(u64, u64)>,
    /// The same of what no other process shares; these readings are rare.
    pub(crate) private: Vec<(u64, u64)>,
    stride: usize,
    seen: usize,
    pub(crate) first_ns: u64,
    pub(crate) last: (u64, u64),
    first_bytes: u64,
    peak: u64,
    /// When its file pages last rose by what tells of an import, and to how many bytes.
    files: Option<(u64, u64)>,
}

impl Life {
    /// When it had mapped the files that it runs from; `None` where that was not read.
    pub(crate) fn imported_ns(&self) -> Option<u64> {
        self.files.map(|(at_ns, _)| at_ns)
    }

    /// Readings before its end.
    pub(crate) fn before_end(&self) -> &[(u64, u64)] {
        let peak = self.peak as f64;
        let rise = peak - self.points.first().map_or(peak, |point| point.1 as f64);
        let high =
            |point: &(u64, u64)| point.1 as f64 >= (MIN_PEAK_RATIO * peak).max(peak - FALL_RATIO * rise);
        let end = self.points.iter().rposition(high).and_then(|at| Some((at, self.points.get(at)?.0)));
        let is_end = |(_, at_ns): &(usize, u64)| self.last.0.saturating_sub(*at_ns) <= END_NS;
        let count = end.filter(is_end).map_or(self.points.len(), |(at, _)| at + 1);
        self.points.get(..count).unwrap_or_default()
    }

    /// The first and the last reading before its end of what no other process shares.
    pub(crate) fn private_before_end(&self) -> Option<((u64, u64), (u64, u64))> {
        let end = self.before_end().last()?.0;
        Some((*self.private.first()?, *self.private.iter().rfind(|(at_ns, _)| *at_ns <= end)?))
    }
}

/// The processes in the order in which they appeared.
#[derive(Debug, Default)]
pub(crate) struct Children {
    lives: Vec<Life>,
}

impl Children {
    /// Anonymous memory of a process at a moment.
    pub(crate) fn note(&mut self, pid: u64, at_ns: u64, bytes: u64) {
        let Some(life) = self.life(pid, at_ns, bytes) else { return };
        if life.seen.is_multiple_of(life.stride) {
            life.points.push((at_ns, bytes));
        }
        life.seen += 1;
        life.last = (at_ns, bytes);
        life.peak = life.peak.max(bytes);
        if life.points.len() > POINTS {
            let mut index = 0;
            life.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            life.stride *= 2;
        }
    }

    /// The process lived at that moment, and its memory was not its own alone.
    pub(crate) fn note_disturbed(&mut self, pid: u64, at_ns: u64, bytes: u64) {
        if let Some(life) = self.life(pid, at_ns, bytes) {
            let undisturbed = Some(life.last.1).filter(|_| life.seen > 0);
            life.last = (at_ns, undisturbed.unwrap_or(bytes));
        }
    }

    /// The life of a process, begun if nobody saw it before.
    fn life(&mut self, pid: u64, at_ns: u64, bytes: u64) -> Option<&mut Life> {
        let known = self.lives.iter().rposition(|life| life.pid == pid);
        let at = known.unwrap_or_else(|| {
            let last = (at_ns, bytes);
            let (points, private) = (Vec::new(), Vec::new());
            self.lives.push(Life {
                pid,
                points,
                private,
                stride: 1,
                seen: 0,
                first_ns: at_ns,
                last,
                first_bytes: bytes,
                peak: 0,
                files: None,
            });
            self.lives.len() - 1
        });
        self.lives.get_mut(at)
    }

    /// Resident file pages of a process, noted just before.
    pub(crate) fn note_files(&mut self, pid: u64, at_ns: u64, bytes: u64) {
        if let Some(life) = self.lives.iter_mut().rfind(|life| life.pid == pid) {
            let rose = |(_, level): (u64, u64)| {
                bytes as f64 - level as f64 > MIN_IMPORT_BYTES.max(FILES_RISE_RATIO * level as f64)
            };
            if life.files.is_none_or(rose) {
                life.files = Some((at_ns, bytes));
            }
        }
    }

    /// What of a process, noted just before, no other process shares.
    pub(crate) fn note_private(&mut self, pid: u64, at_ns: u64, bytes: u64) {
        if let Some(life) = self.lives.iter_mut().rfind(|life| life.pid == pid) {
            life.private.push((at_ns, bytes));
        }
    }

    pub(crate) fn lives(&self) -> &[Life] {
        &self.lives
    }

    /// For the report; `role` says what a process is for.
    pub(crate) fn told(&self, role: impl Fn(u64) -> String) -> Vec<Process> {
        let told = |life: &Life| Process {
            pid: life.pid,
            role: role(life.pid),
            first_bytes: life.points.first().map_or(life.first_bytes, |point| point.1),
            last_bytes: life.last.1,
            peak_bytes: life.peak.max(life.last.1),
            bytes_per_minute: rate(life.before_end()).map(|rate| (rate * 60.0).round() as i64),
            private_bytes: life.private.last().map(|point| point.1),
            turned_private_bytes: turned::private(life),
        };
        self.lives.iter().map(told).collect()
    }
}

/// Bytes per second that a process went on growing by, if it did.
fn rate(points: &[(u64, u64)]) -> Option<f64> {
    let (first, last) = (points.first()?.0, points.last()?.0);
    let from = first as f64 + START * last.saturating_sub(first) as f64;
    let late: Vec<&(u64, u64)> = points.iter().filter(|point| point.0 as f64 >= from).collect();
    let seconds = (last as f64 - from) / 1e9;
    if seconds < MIN_SECONDS || late.len() < MIN_READINGS {
        return None;
    }
    let lowest: Vec<f64> = late
        .chunks(late.len().div_ceil(WINDOWS))
        .filter_map(|window| window.iter().map(|point| point.1).min())
        .map(|bytes| bytes as f64)
        .collect();
    let (base, top) = (*lowest.first()?, *lowest.last()?);
    let mean = (top - base) / (lowest.len() - 1).max(1) as f64;
    let steps =
        || lowest.windows(2).map(|pair| pair.iter().rev().copied().reduce(|a, b| a - b).unwrap_or(0.0));
    let is_rise = steps().all(|step| step > 0.0) && steps().next_back()? >= GOES_ON * mean;
    if !is_rise || top - base < MIN_RISE_BYTES || top - base < MIN_RISE_RATIO * base {
        return None;
    }
    let x: Vec<f64> = late.iter().map(|point| point.0 as f64 / 1e9).collect();
    let y: Vec<f64> = late.iter().map(|point| point.1 as f64).collect();
    theil_sen(&x, &y).filter(|rate| *rate > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: f64 = 1024.0 * 1024.0;

    /// A process that was read four times a second.
    fn told(seconds: u64, level: impl Fn(f64) -> f64) -> Option<i64> {
        let mut children = Children::default();
        for reading in 0..4 * seconds {
            let at = reading as f64 / 4.0;
            children.note(7, (at * 1e9) as u64, (level(at) * MIB) as u64);
        }
        children.told(|_| String::new()).first().and_then(|process| process.bytes_per_minute)
    }

    #[test]
    fn one_that_goes_on_growing() {
        let rate = told(20, |at| 50.0 + at).map(|rate| rate as f64 / MIB);
        assert!(rate.is_some_and(|rate| (rate - 60.0).abs() < 3.0), "{rate:?}");
        let long = told(4000, |at| 50.0 + at / 10.0).map(|rate| rate as f64 / MIB);
        assert!(long.is_some_and(|rate| (rate - 6.0).abs() < 0.5), "{long:?}");
        assert!(
            told(60, |at| 50.0 + at + if (at as u64).is_multiple_of(5) { 3.0 } else { 0.0 }).is_some(),
            "garbage on top"
        );
    }

    #[test]
    fn what_it_gives_back_as_it_ends_hides_nothing() {
        assert!(told(20, |at| if at > 18.8 { 10.0 } else { 50.0 + at }).is_some());
        assert_eq!(told(20, |at| if at > 16.8 { 10.0 } else { 50.0 + at }), None, "that is not its end");
    }

    #[test]
    fn something_passing_hides_nothing() {
        // A worker with something on top as the judged part begins: a look at its heap, a first batch.
        let passing = |at: f64| if (6.0..7.5).contains(&at) { 60.0 } else { 0.0 };
        let rate = told(20, |at| 270.0 + 9.0 * at + passing(at) - if at < 9.0 { 0.0 } else { 20.0 });
        let rate = rate.map(|rate| rate as f64 / MIB);
        assert!(rate.is_some_and(|rate| (rate - 540.0).abs() < 150.0), "{rate:?}");
    }

    #[test]
    fn one_that_does_not() {
        assert_eq!(told(20, |_| 50.0), None);
        assert_eq!(told(9, |at| 50.0 + at), None, "too short");
        assert_eq!(told(60, |at| (10.0 * at).min(200.0)), None, "starting up");
        assert_eq!(told(60, |at| if at > 40.0 { 90.0 } else { 50.0 }), None, "a step");
        assert_eq!(told(60, |at| 50.0 + 20.0 * (at / 3.0).sin()), None);
        assert_eq!(told(60, |at| 50.0 + 40.0 * (1.0 - (-at / 10.0).exp())), None, "a cache that fills");
        assert_eq!(told(60, |at| 50.0 + at / 100.0), None, "next to nothing");
        assert_eq!(told(60, |at| 2000.0 + at / 10.0), None, "next to nothing of what there is");
    }

    #[test]
    fn many_readings_are_thinned() {
        let mut children = Children::default();
        for reading in 0..100_000 {
            children.note(7, reading, reading);
        }
        assert!(children.lives.iter().all(|life| life.points.len() <= POINTS));
        let told = children.told(|pid| format!("the {pid}th"));
        assert_eq!(told.len(), 1);
        assert_eq!((told[0].first_bytes, told[0].last_bytes, told[0].peak_bytes), (0, 99_999, 99_999));
    }
}
