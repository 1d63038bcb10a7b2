//! All that recording takes, in one place.
//!
//! In: the capture and what was asked for. Out: the recorder, which births, deaths and mappings use. What must not
//! happen here: anything that a thread could wait for.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use nilometer_capture::{Nursery, Writer};

use crate::config::Config;
use crate::frames::Frames;
use crate::losses::Losses;
use crate::mappings::Mappings;
use crate::pace::Pace;
use crate::pending::Pending;
use crate::scratch::Scratch;
use crate::stacks::Stacks;
use crate::table::Table;
use crate::watch::Watch;

/// The recorder of this process.
pub(crate) struct Recorder {
    pub(crate) writer: Writer,
    pub(crate) nursery: Option<Nursery>,
    pub(crate) table: Table,
    pub(crate) watch: Watch,
    pub(crate) mappings: Mappings,
    pub(crate) scratch: Scratch,
    pub(crate) stacks: Box<Stacks>,
    pub(crate) frames: Frames,
    pub(crate) pace: Pace,
    pub(crate) pending: Pending,
    pub(crate) counts: Counts,
    pub(crate) told_python: AtomicBool,
    last: AtomicU64,
}

/// Totals for the report.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) births: AtomicU64,
    pub(crate) deaths: AtomicU64,
    pub(crate) lost: Losses,
    pub(crate) cut: AtomicU64,
}

pub(crate) fn count(what: &AtomicU64) {
    what.fetch_add(1, Relaxed);
}

impl Recorder {
    /// `began_cpu_ns`: CPU time of the process that is none of the recording's. `None` if there is no memory.
    pub(crate) fn new(writer: Writer, config: &Config, began_cpu_ns: u64) -> Option<Box<Self>> {
        Some(Box::new(Self {
            nursery: writer.nursery(),
            table: Table::new()?,
            watch: Watch::new()?,
            mappings: Mappings::new()?,
            scratch: Scratch::new()?,
            stacks: Stacks::new()?,
            frames: Frames::new(),
            pace: Pace::new(config.sample, config.overhead, began_cpu_ns),
            pending: Pending::new(),
            counts: Counts::default(),
            last: AtomicU64::new(0),
            writer,
            told_python: AtomicBool::new(false),
        }))
    }

    /// The next sample's id: the nursery needs them one after the other.
    pub(crate) fn next_id(&self) -> u64 {
        self.last.fetch_add(1, Relaxed) + 1
    }

    /// Samples that are alive.
    pub(crate) fn live(&self) -> u64 {
        self.counts.births.load(Relaxed).saturating_sub(self.counts.deaths.load(Relaxed))
    }
}
