//! Sizes of which something stays are sampled more closely: what threads see of that, and the look at what stayed.
//!
//! In: each allocation with a point. Out: the mean for its size, if it has one of its own. Once in a generation, and whenever the
//! governor steps: which sizes those are. What must not happen here: a wait, or a cost where nothing stays.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use nilometer_capture::{Board, CycleUnit, Source};

use crate::generations::{Generations, Now};
use crate::key::{KEYS, Key};
use crate::pages::Pages;
use crate::suspects::Suspects;
use crate::tls::Block;
use crate::trials::{Trial, Trials};

/// What every thread may look at.
pub(crate) struct Watch {
    pub(crate) trials: Trials,
    /// Of each key, 0 for that of its class.
    means: Pages<AtomicU32>,
    /// Bytes asked for of each key since the last step, as points tell.
    bytes: Pages<AtomicU64>,
    generation: AtomicU32,
    main_thread: u32,
    /// Trials have begun.
    open: AtomicBool,
}

/// What is looked at by one at a time.
pub(crate) struct Survey {
    pub(crate) generations: Generations,
    pub(crate) suspects: Suspects,
}

impl Survey {
    pub(crate) fn new() -> Self {
        Self { generations: Generations::default(), suspects: Suspects::new() }
    }
}

impl Watch {
    /// `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        Some(Self {
            trials: Trials::new()?,
            means: Pages::new(KEYS)?,
            bytes: Pages::new(KEYS)?,
            generation: AtomicU32::new(0),
            main_thread: std::process::id(),
            open: AtomicBool::new(false),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Relaxed)
    }

    /// What an allocation of this thread is like, if that is looked at.
    pub(crate) fn key(&self, block: &Block, size: usize, source: Source) -> Option<Key> {
        let key = || Key::of(size, source, block.thread() == self.main_thread);
        self.is_open().then(key).flatten()
    }

    /// The mean of this key, if it has one of its own.
    pub(crate) fn mean(&self, key: Key) -> Option<u32> {
        let mean = self.means.all().get(usize::from(key.place))?.load(Relaxed);
        (mean != 0).then_some(mean)
    }

    /// Watches whether this memory stays, which stands for so many bytes.
    pub(crate) fn begin(&self, address: usize, key: Key, bytes: f64) {
        let bytes = bytes as u32;
        if let Some(asked) = self.bytes.all().get(usize::from(key.place)) {
            asked.fetch_add(u64::from(bytes), Relaxed);
        }
        let generation = self.generation.load(Relaxed) as u8;
        self.trials.insert(address as u64, Trial { key, generation, bytes });
    }

    /// Looks at which trials are still there, if a generation has ended.
    pub(crate) fn look(&self, survey: &mut Survey, board: &Board, ns: u64) {
        let ended = survey.generations.pass(now(board, ns));
        self.open.store(survey.generations.are_open(), Relaxed);
        if !ended {
            return;
        }
        let generation = self.generation.fetch_add(1, Relaxed).wrapping_add(1) as u8;
        let suspects = &mut survey.suspects;
        suspects.generation();
        self.trials.each(|trial| {
            let stays = generation.wrapping_sub(trial.generation) > 1;
            if stays {
                suspects.stays(trial.key, f64::from(trial.bytes));
            }
            !stays
        });
    }

    /// Takes into account what was asked for within so many seconds of CPU time.
    pub(crate) fn pass(&self, suspects: &mut Suspects, seconds: f64) {
        let all = self.bytes.all();
        suspects.pass(seconds, |place| {
            let asked = all.get(place).filter(|bytes| bytes.load(Relaxed) != 0);
            asked.map_or(0.0, |bytes| bytes.swap(0, Relaxed) as f64)
        });
    }

    pub(crate) fn set(&self, place: usize, mean: u32) {
        if let Some(at) = self.means.all().get(place) {
            at.store(mean, Relaxed);
        }
    }
}

fn now(board: &Board, ns: u64) -> Now {
    let cycles = board.all_cycles();
    let built = board.cycles(CycleUnit::Model).wrapping_add(board.cycles(CycleUnit::ClearSession));
    Now { ns, cycles, worked: cycles.saturating_sub(built), steps: board.steps() }
}
