//! The stack of the calling thread, native and Python, as one list.
//!
//! In: registers. Out: frames, innermost first, the recorder's own left out. What must not happen here: a look at Python
//! frames while the interpreter takes them apart: at its end, only the thread that ends it is looked at, and that thread
//! waits for others that are looking.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::Duration;

use nilometer_capture::Cut;
use nilometer_pyframes::{Python, Support, detect};
use nilometer_unwind::{End, Registers, Why, function_parts, modules, unwind};

use crate::scratch::Room;
use crate::splice::{Reach, Stack, splice};

/// The thread that ends the interpreter; 0 while it runs.
static ENDED_BY: AtomicU32 = AtomicU32::new(0);
/// Threads that look at Python frames.
static WALKERS: AtomicU32 = AtomicU32::new(0);

/// What is known of this process's code.
pub(crate) struct Frames {
    own: OnceLock<(u64, u64)>,
    interpreter: OnceLock<(u64, u64)>,
    evaluator: OnceLock<[(u64, u64); 2]>,
    support: OnceLock<Support>,
    asking: AtomicBool,
    walks: AtomicU64,
}

/// What was found.
pub(crate) struct Walked {
    pub(crate) items: usize,
    /// Frames are missing.
    pub(crate) cut: bool,
}

/// The interpreter, which does not end while this lives.
pub(crate) struct Looking {
    pub(crate) python: Python,
}

impl Looking {
    fn begin(python: Python, thread: u32) -> Option<Self> {
        WALKERS.fetch_add(1, SeqCst);
        let ended_by = ENDED_BY.load(SeqCst);
        let looking = Self { python };
        (ended_by == 0 || ended_by == thread).then_some(looking)
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        WALKERS.fetch_sub(1, SeqCst);
    }
}

/// The calling thread begins to end the interpreter. Waits for others that are looking: microseconds, unless the
/// scheduler has stopped one in the middle of it, which on a loaded machine takes many turns; half a second at most.
pub(crate) fn python_ends(thread: u32) {
    const SHORT_SPINS: u32 = 100;
    const MAX_PAUSES: u32 = 2500;
    const PAUSE_INTERVAL: Duration = Duration::from_micros(200);
    ENDED_BY.store(thread, SeqCst);
    for turn in 0..SHORT_SPINS + MAX_PAUSES {
        if WALKERS.load(SeqCst) == 0 {
            break;
        }
        if turn < SHORT_SPINS { std::thread::yield_now() } else { std::thread::sleep(PAUSE_INTERVAL) }
    }
}

/// A forked child has one thread, which looks at nothing.
pub(crate) fn forget_in_child() {
    WALKERS.store(0, SeqCst);
    ENDED_BY.store(0, SeqCst);
}

impl Frames {
    pub(crate) fn new() -> Self {
        Self {
            own: OnceLock::new(),
            interpreter: OnceLock::new(),
            evaluator: OnceLock::new(),
            support: OnceLock::new(),
            asking: AtomicBool::new(false),
            walks: AtomicU64::new(0),
        }
    }

    /// What is known of Python; `None` as long as there is none.
    pub(crate) fn support(&self) -> Option<&Support> {
        self.support.get()
    }

    /// Looks for Python now, not at a walk.
    pub(crate) fn look_for_python(&self) {
        let _found = self.python();
    }

    /// Walks both stacks of the calling thread into the room's items.
    pub(crate) fn walk(&self, from: &Registers, thread: u32, room: &mut Room) -> (Walked, Option<Looking>) {
        let unwound = unwind(from, &mut room.native);
        let own = self.own(from.ip);
        let count = without(&mut room.native, unwound.frames, &own);
        let native = room.native.get(..count).unwrap_or_default();
        let reach = match unwound.end {
            End::Root => Reach::Root,
            End::Full => Reach::Cut(Cut::TooDeep),
            End::Cut(Why::NoObject | Why::NoRule) => Reach::Cut(Cut::NoUnwindInfo),
            End::Cut(_) => Reach::Cut(Cut::Other),
        };
        let python = self.python();
        let looking = python.and_then(|python| Looking::begin(python, thread));
        let walked = looking.as_ref().map(|looking| looking.python.walk(&mut room.python));
        let (frames, complete) = walked.map_or((0, python.is_none()), |it| (it.frames, it.complete));
        let stack = Stack {
            native,
            reach,
            python: room.python.get(..frames).unwrap_or_default(),
            complete,
            evaluator: python.map_or([0..0, 0..0], |python| self.evaluator(&python)),
            interpreter: python.map_or(0..0, |python| self.interpreter(&python)),
        };
        let (items, cut) = splice(&stack, &mut room.items);
        (Walked { items, cut }, looking)
    }

    /// Where this library lies, once a walk has met it.
    pub(crate) fn own(&self, ip: u64) -> std::ops::Range<u64> {
        let (start, end) = *self.own.get_or_init(|| module_at(ip).unwrap_or((0, 0)));
        start..end
    }

    fn evaluator(&self, python: &Python) -> [std::ops::Range<u64>; 2] {
        self.evaluator.get_or_init(|| function_parts(python.evaluator())).map(|(start, end)| start..end)
    }

    fn interpreter(&self, python: &Python) -> std::ops::Range<u64> {
        if self.interpreter.get().is_none()
            && let Some(found) = module_at(python.evaluator())
        {
            let _by_another = self.interpreter.set(found);
        }
        self.interpreter.get().map_or(0..0, |it| it.0..it.1)
    }

    fn python(&self) -> Option<Python> {
        match self.support.get() {
            Some(Support::Ready(python)) => return Some(*python),
            Some(_) => return None,
            None => {}
        }
        // Before Python is there, a look-up now and then: it takes the loader's lock.
        let walks = self.walks.fetch_add(1, Relaxed);
        let due = walks < 64 || walks.is_multiple_of(16) && walks < 4096 || walks.is_power_of_two();
        if !due || self.asking.swap(true, SeqCst) {
            return None;
        }
        let found = detect();
        if !matches!(found, Support::NotYet) {
            let _asked_once = self.support.set(found);
        }
        self.asking.store(false, SeqCst);
        match found {
            Support::Ready(python) => Some(python),
            _ => None,
        }
    }
}

/// Drops our own frames, which may also lie further out: a wrapper of Python's allocator, under a hook.
fn without(addresses: &mut [u64], count: usize, own: &std::ops::Range<u64>) -> usize {
    let mut kept = 0;
    for index in 0..count {
        let Some(address) = addresses.get(index).copied() else { break };
        if !own.contains(&address.wrapping_sub(1))
            && let Some(place) = addresses.get_mut(kept)
        {
            *place = address;
            kept += 1;
        }
    }
    kept
}

/// First address and address behind the object that holds this one, if it was met already.
fn module_at(address: u64) -> Option<(u64, u64)> {
    let mut found = None;
    modules(0, &mut |_index, module| {
        if (module.start..module.end).contains(&address) {
            found = Some((module.start, module.end));
        }
    });
    found
}
