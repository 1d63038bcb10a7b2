//! A recorder that is loaded late stands in front of functions that everybody has bound already: by writing into the words
//! through which each loaded object calls them.
//!
//! In: starts, stops, and a look now and then at what was loaded since. Out: all words that led to the C allocator, to
//! mappings and to TensorFlow's pools lead to our hooks; after a stop, to where they led before. What must not happen here:
//! `malloc`, a word that is not the linker's, a wait for others that load something while a thread of the program stands
//! still. The order among objects does not matter: nothing is recorded before all are patched.

mod hooks;
mod object;
mod protect;
mod slots;

use crate::bounded_lock::BoundedLock;
use crate::elf::each;
use crate::pages::Pages;
use hooks::{Hooks, No};
use object::Came;
use slots::Slots;

/// Objects that are known at most; others are looked at again and again.
const OBJECTS: usize = 4096;
/// How often an object is looked at again in which the linker has still work to do.
const MAX_LOOKS: u32 = 40;
/// How often a start or stop tries to get in: a look at what was loaded lasts milliseconds.
const MAX_TRIES: u32 = 1000;

static PATCHES: BoundedLock<Patches> = BoundedLock::new(Patches {
    hooks: None,
    slots: Slots::empty(),
    known: Pages::empty(),
    known_count: 0,
    counts: (0, 0),
    round: 0,
    patience: 0,
});

struct Patches {
    /// `None`: nothing is patched.
    hooks: Option<Hooks>,
    slots: Slots,
    /// Objects in which there is nothing more to do.
    known: Pages<u64>,
    known_count: usize,
    /// Objects that were loaded and unloaded so far.
    counts: (u64, u64),
    round: u32,
    /// Looks that are left for what is not ready.
    patience: u32,
}

/// Why nothing was patched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    OwnAllocator,
    NotFound,
    NoMemory,
    Busy,
}

/// Patches everything that is loaded. How many words were, in all.
pub(crate) fn put() -> Result<usize, Refused> {
    let mut patches = hold().ok_or(Refused::Busy)?;
    if !patches.prepare() {
        return Err(Refused::NoMemory);
    }
    let hooks = Hooks::find().map_err(|no| match no {
        No::OwnAllocator => Refused::OwnAllocator,
        No::Hooks => Refused::NotFound,
    })?;
    patches.hooks = Some(hooks);
    patches.known_count = 0;
    patches.patience = MAX_LOOKS;
    patches.look();
    Ok(patches.slots.count())
}

/// Looks whether objects were loaded since the last look, and patches them. Cheap where there are none.
pub(crate) fn follow() {
    let Some(mut patches) = PATCHES.try_hold() else { return };
    if patches.hooks.is_none() {
        return;
    }
    let mut counts = (0, 0);
    each(&mut |object| {
        counts = object.counts;
        false
    });
    if counts != patches.counts {
        patches.patience = MAX_LOOKS;
    } else if patches.patience == 0 {
        return;
    }
    patches.look();
}

/// Puts everything back as it was, where ours still stands.
pub(crate) fn take_back() {
    let Some(mut patches) = hold() else { return };
    if let Some(hooks) = patches.hooks.take() {
        each(&mut |object| {
            object::put_back(object, &hooks, &patches.slots);
            true
        });
    }
    patches.slots.clear();
    patches.known_count = 0;
}

fn hold() -> Option<crate::bounded_lock::Held<'static, Patches>> {
    (0..MAX_TRIES).find_map(|_try| PATCHES.hold())
}

impl Patches {
    fn prepare(&mut self) -> bool {
        if self.known.all().is_empty()
            && let Some(known) = Pages::new(OBJECTS)
        {
            self.known = known;
        }
        self.slots.prepare() && !self.known.all().is_empty()
    }

    /// Looks at all objects that are not known yet, or at all, if one of those that were has gone: another one may lie there.
    fn look(&mut self) {
        let Some(hooks) = self.hooks.take() else { return };
        self.round = self.round.wrapping_add(1);
        let (own, round, unloaded) = (Self::look as *const () as u64, self.round, self.counts.1);
        let (mut is_first, mut is_ready) = (true, true);
        each(&mut |object| {
            if is_first && (object.counts.1 != unloaded) {
                self.known_count = 0;
            }
            is_first = false;
            self.counts = object.counts;
            if self.knows(object.identity()) || object.covers(own) {
                return true;
            }
            match object::patch(object, &hooks, &mut self.slots, round) {
                Came::Done => self.learn(object.identity()),
                Came::NotYet => is_ready = false,
            }
            true
        });
        if self.counts.1 != unloaded {
            self.slots.forget_others(round);
        }
        self.patience = if is_ready { 0 } else { self.patience.saturating_sub(1) };
        self.hooks = Some(hooks);
    }

    fn knows(&self, object: u64) -> bool {
        self.known.all().iter().take(self.known_count).any(|known| *known == object)
    }

    fn learn(&mut self, object: u64) {
        let count = self.known_count;
        if let Some(free) = self.known.all_mut().get_mut(count) {
            *free = object;
            self.known_count += 1;
        }
    }
}
