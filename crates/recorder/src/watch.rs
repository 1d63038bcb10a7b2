//! Sizes of which something stays are sampled more closely: what threads see of that, and the look at what stayed.
//!
//! In: each allocation with a point. Out: the mean for its size, if it has one of its own. Once in a generation, and whenever the
//! governor steps: which sizes those are. What must not happen here: a wait, or a cost where nothing stays.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use nilometer_capture::{Board, CycleUnit, Source};

use crate::alloc_class::{AllocClass, Caller, KEYS};
use crate::filter::FILTER;
use crate::generations::{Generations, Now};
use crate::pages::{Pages, prefetch};
use crate::suspects::Suspects;
use crate::tls::Block;
use crate::trials::{Trial, Trials};

/// What every thread may look at.
pub(crate) struct Watch {
    pub(crate) trials: Trials,
    kinds: Pages<Kind>,
    generation: AtomicU32,
    main_thread: u32,
    /// Trials have begun.
    open: AtomicBool,
}

/// What is known of a key.
#[derive(Default)]
#[repr(C, align(16))]
pub(crate) struct Kind {
    /// Bytes asked for since the last step, as points tell.
    bytes: AtomicU64,
    /// 0: that of its class.
    mean: AtomicU32,
}

const _: () = assert!(size_of::<Kind>() == 16, "one cache line tells all of a kind");

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
            kinds: Pages::new(KEYS)?,
            generation: AtomicU32::new(0),
            main_thread: std::process::id(),
            open: AtomicBool::new(false),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Relaxed)
    }

    /// What an allocation of this thread is like, if that is looked at.
    pub(crate) fn key(&self, block: &Block, size: usize, source: Source) -> Option<AllocClass> {
        let caller = || match () {
            () if block.thread() == self.main_thread => Caller::Main,
            () if block.runs_python.load(Relaxed) => Caller::Python,
            () => Caller::Native,
        };
        self.is_open().then(|| AllocClass::of(size, source, caller())).flatten()
    }

    /// What will be looked at if a trial of this key begins here.
    #[inline]
    pub(crate) fn prefetch(&self, address: usize, key: AllocClass) {
        prefetch(self.kind(key.place));
        self.trials.prefetch(address as u64);
        FILTER.prefetch(address);
    }

    /// The mean of this key, if it has one of its own.
    pub(crate) fn mean(&self, key: AllocClass) -> Option<u32> {
        let mean = self.kind(key.place)?.mean.load(Relaxed);
        (mean != 0).then_some(mean)
    }

    /// Watches whether this memory stays, which stands for so many bytes.
    pub(crate) fn begin(&self, address: usize, key: AllocClass, bytes: f64) {
        let bytes = bytes as u32;
        if let Some(kind) = self.kind(key.place) {
            kind.bytes.fetch_add(u64::from(bytes), Relaxed);
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
        let all = self.kinds.all();
        suspects.pass(seconds, |place| {
            let asked = all.get(place).filter(|kind| kind.bytes.load(Relaxed) != 0);
            asked.map_or(0.0, |kind| kind.bytes.swap(0, Relaxed) as f64)
        });
    }

    pub(crate) fn set(&self, place: usize, mean: u32) {
        if let Some(kind) = self.kinds.all().get(place) {
            kind.mean.store(mean, Relaxed);
        }
    }

    fn kind(&self, place: u16) -> Option<&Kind> {
        self.kinds.all().get(usize::from(place))
    }
}

fn now(board: &Board, ns: u64) -> Now {
    let cycles = board.all_cycles();
    let built = board.cycles(CycleUnit::Model).wrapping_add(board.cycles(CycleUnit::ClearSession));
    Now { ns, cycles, worked: cycles.saturating_sub(built), steps: board.steps() }
}
