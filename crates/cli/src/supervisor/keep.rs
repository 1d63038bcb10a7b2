//! How large captures become: the program's own, and those of its recorded children.
//!
//! In: the clock, and the captures. Out: smaller captures, by a thread of its own that has the lowest priority. What must not
//! happen here: a signal or a reading that waits for it; a capture that is none of this run; a word to the user where nothing is lost.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use nilometer_capture::{Board, CompactError, Compacted, Compactor, CycleUnit};

use super::kernel;
use crate::capture_path;

/// What one capture may take on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Keep {
    /// What is usual for what the program is.
    #[default]
    Usual,
    /// So many bytes.
    Bytes(u64),
    /// All of it.
    All,
}

/// What is usual for a program that serves requests, which runs for months, and for any other. A training of a day writes 76 MB, as measured.
const SERVICE_MAX_BYTES: u64 = 64 << 20;
const TRAINING_MAX_BYTES: u64 = 256 << 20;
/// A capture is compacted when this part of the bound is in use. What is left is written beside it, and the rest is for what comes meanwhile.
const FULL_DIVISOR: u64 = 2;
const TARGET_DIVISOR: u64 = 4;
/// Where living samples alone need more than that, it is tried again when so much was added.
const RETRY_DIVISOR: u64 = 16;
const UNIT_BYTES: u64 = 64 << 10;
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
const CHILDREN_INTERVAL: Duration = Duration::from_secs(10);
const RETRY_INTERVAL: Duration = Duration::from_mins(1);

/// The captures of one run.
pub(crate) struct Keeper {
    keep: Keep,
    own: Kept,
    /// Of recorded children: the template of their captures, and when this run began.
    template: Option<(PathBuf, SystemTime)>,
    children: Vec<(u32, Kept)>,
    next: Instant,
    next_children: Instant,
}

impl Keeper {
    /// `template`: the captures of children, if any are recorded, and when the run began.
    pub(crate) fn new(keep: Keep, own: &Path, template: Option<(PathBuf, SystemTime)>) -> Self {
        let now = Instant::now();
        let own = Kept::new(own.to_owned());
        Self { keep, own, template, children: Vec::new(), next: now, next_children: now }
    }

    /// Looks whether anything has become too large. `descendants`: of the program.
    pub(crate) fn tick(&mut self, board: &Board, descendants: impl Iterator<Item = u32>) {
        let now = Instant::now();
        if self.keep == Keep::All || now < self.next {
            return;
        }
        self.next = now + LOOK_INTERVAL;
        self.own.tick(units(self.keep, serves(board)), now);
        if let Some((template, began)) = &self.template
            && now >= self.next_children
        {
            self.next_children = now + CHILDREN_INTERVAL;
            let there: Vec<u32> = descendants.collect();
            self.children.retain(|(pid, kept)| there.contains(pid) || kept.is_busy());
            for pid in there {
                let path = capture_path::with_pid(template, pid);
                if path != self.own.path
                    && !self.children.iter().any(|(known, _)| *known == pid)
                    && changed_since(&path, *began)
                {
                    self.children.push((pid, Kept::new(path)));
                }
            }
        }
        for (_, kept) in &mut self.children {
            kept.tick(units(self.keep, true), now);
        }
    }

    /// The program has ended: whoever is at work comes to an end.
    pub(crate) fn end(self) {
        self.own.end();
        self.children.into_iter().for_each(|(_, kept)| kept.end());
    }
}

fn serves(board: &Board) -> bool {
    [CycleUnit::Served, CycleUnit::Request, CycleUnit::Task].into_iter().any(|unit| board.cycles(unit) > 0)
}

/// Units that there may be.
fn units(keep: Keep, serves: bool) -> u64 {
    let bytes = match keep {
        Keep::Bytes(bytes) => bytes,
        Keep::Usual if serves => SERVICE_MAX_BYTES,
        Keep::Usual | Keep::All => TRAINING_MAX_BYTES,
    };
    (bytes / UNIT_BYTES).min(Compactor::MAX_UNITS)
}

/// A file that somebody wrote to since then. Of an earlier run's there is none with the name of a living child.
fn changed_since(path: &Path, began: SystemTime) -> bool {
    path.metadata().and_then(|about| about.modified()).is_ok_and(|changed| changed >= began)
}

type Work = JoinHandle<(Compactor, Result<Compacted, CompactError>)>;

/// One capture.
struct Kept {
    path: PathBuf,
    state: State,
    /// Not before then.
    next: Instant,
    /// Units from which on it is compacted; less than that helped nothing.
    least: u64,
}

enum State {
    /// Not opened yet.
    Closed,
    Waits(Compactor),
    Works(Work),
}

impl Kept {
    fn new(path: PathBuf) -> Self {
        Self { path, state: State::Closed, next: Instant::now(), least: 0 }
    }

    fn is_busy(&self) -> bool {
        matches!(self.state, State::Works(_))
    }

    fn tick(&mut self, most: u64, now: Instant) {
        if now < self.next {
            return;
        }
        self.state = match std::mem::replace(&mut self.state, State::Closed) {
            State::Closed => match Compactor::open(&self.path) {
                Ok(compactor) => State::Waits(compactor),
                Err(_not_now) => {
                    self.next = now + RETRY_INTERVAL;
                    return;
                }
            },
            State::Works(work) if work.is_finished() => self.done(work, most, now),
            state => state,
        };
        if let State::Waits(compactor) = &self.state {
            compactor.limit(most);
            let in_use = compactor.units_in_use();
            if in_use < self.least.max(most / FULL_DIVISOR) {
                return;
            }
            // What readers have kept from being freed so far may be enough.
            let _readers = compactor.free_dead();
            if compactor.units_in_use() >= self.least.max(most / FULL_DIVISOR) {
                self.begin(most / TARGET_DIVISOR);
            }
        }
    }

    fn begin(&mut self, target: u64) {
        let State::Waits(compactor) = std::mem::replace(&mut self.state, State::Closed) else { return };
        let work = move || {
            kernel::step_back();
            let done = compactor.compact(compactor.now_ns(), target);
            (compactor, done)
        };
        let thread = std::thread::Builder::new().name("nilometer-keep".to_owned());
        self.state = thread.spawn(work).map_or(State::Closed, State::Works);
    }

    fn done(&mut self, work: Work, most: u64, now: Instant) -> State {
        kernel::give_memory_back();
        let Ok((compactor, done)) = work.join() else {
            self.next = now + RETRY_INTERVAL;
            return State::Closed;
        };
        match done {
            Ok(done) => self.least = done.after + most / RETRY_DIVISOR,
            Err(_no_room) => self.next = now + RETRY_INTERVAL,
        }
        State::Waits(compactor)
    }

    fn end(self) {
        if let State::Works(work) = self.state {
            let _done = work.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_kept_smaller_than_a_training() {
        assert_eq!(units(Keep::Usual, true), 1024);
        assert_eq!(units(Keep::Usual, false), 4096);
        assert_eq!(units(Keep::Bytes(4 << 20), false), 64);
        assert_eq!(units(Keep::Bytes(1 << 40), true), Compactor::MAX_UNITS);
    }
}
