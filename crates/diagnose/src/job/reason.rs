//! Why the job is judged otherwise than the program itself: facts, which `told/job` puts into words.
//!
//! In: children and workers that grow. Out: who they are, and by how much. What must not happen here: a word for a reader.

use nilometer_stats::Interval;

use super::rise::Rise;
use crate::children::Said;
use crate::report::{Bytes, Lives, Process, Verdict};

/// What is said of the job beside what is said of the program.
pub(crate) struct Settled {
    pub(crate) verdict: Verdict,
    /// Nothing where the program's own verdict is that of the job.
    pub(crate) reason: Option<Reason>,
    pub(crate) culprit: Option<Culprit>,
    pub(crate) findings: Vec<Growing>,
    pub(crate) lives: Option<Lives>,
    pub(crate) processes: Vec<Process>,
}

/// Why. `own` is the verdict on the program itself.
pub(crate) enum Reason {
    /// A child goes on growing. So many of its kind grow, so many others do not, and of so many it is undecided.
    Child { child: Child, growing: u64, flat: u64, undecided: u64, own: Verdict },
    /// Workers keep memory until they are replaced; `said` is what the one says that says most.
    Workers { rate: Interval, lives: Lives, said: Option<Box<Said>>, own: Verdict },
    /// They may, and each lives too short to tell: `times` as long would do.
    WorkersOpen { rate: Interval, lives: Lives, times: u64 },
    /// So many workers served so much and do not leak; the program itself ran too short, and rose by no more than this.
    Served { workers: u64, served: u64, unit: &'static str, rose: f64 },
}

/// A process that the program started.
#[derive(Clone)]
pub(crate) struct Child {
    pub(crate) pid: u64,
    pub(crate) role: String,
    pub(crate) pace: Pace,
}

/// By how much it grows, and who says so.
#[derive(Clone)]
pub(crate) enum Pace {
    /// It was seen from outside; `unit` is the program's.
    Seen { rise: Rise, unit: &'static str },
    /// Its own capture says it.
    Said(Box<Said>),
    /// All workers of its kind together, with each request or task.
    Shared { rate: Interval, unit: &'static str },
}

/// The process that makes the job a leak.
pub(crate) struct Culprit {
    pub(crate) child: Child,
    /// How many processes of its kind ran beside it, itself included.
    pub(crate) of: u64,
    pub(crate) growing: u64,
}

/// What is found of one process, or of the worker that speaks for all.
pub(crate) enum Growing {
    Child { child: Child, bytes_per_cycle: Bytes },
    Worker { pid: u64, said: Said, rate: Interval, unit: &'static str },
}
