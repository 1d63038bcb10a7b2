//! Where `CPython` keeps its queue of pending calls: a table per minor version, and checks of what is found.
//!
//! In: the address of `_PyRuntime`. Out: [`QueueLocation`], or a [`Refusal`]. The numbers are `offsetof` of
//! the named fields, printed by a C program with the headers of 3.10.13, 3.11.2, 3.11.7, 3.12.1 and 3.13.0.
//! Another patch release may differ. So every number is checked against the memory there, and a single
//! mismatch means that nothing is written.

use crate::debug_offsets::{self, DebugOffsets};
use crate::memory::Memory;
use crate::refusal::Refusal;

/// The used fields of one minor version. Offsets in bytes.
#[derive(Debug)]
pub(crate) struct Layout {
    minor: u64,
    /// In `_PyRuntimeState`: `initialized`, `interpreters.head` (`main` is the next word), `main_thread`.
    initialized: u64,
    interpreters: u64,
    main_thread: u64,
    /// In `PyInterpreterState`: `next`, `id`.
    next: u64,
    id: u64,
    queue: QueueAt,
    pub(crate) fields: Fields,
    breaker: BreakerAt,
}

/// The structure that contains the queue.
#[derive(Debug)]
enum QueueAt {
    /// `PyInterpreterState.ceval.pending`.
    Interpreter(u64),
    /// `_PyRuntimeState.ceval.pending_mainthread`.
    Runtime(u64),
}

#[derive(Debug)]
enum BreakerAt {
    /// `PyInterpreterState.ceval.eval_breaker`, an `int`.
    Interpreter(u64),
    /// `_PyRuntimeState.main_tstate`, then in `PyThreadState`: `eval_breaker`, `interp`, `thread_id`.
    MainThread { state: u64, breaker: u64, interpreter: u64, thread: u64 },
}

/// The fields of `struct _pending_calls`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) lock: Lock,
    /// An `int`: a flag up to 3.12, from 3.13 on the number of waiting calls.
    pub(crate) count: u64,
    pub(crate) counts: bool,
    pub(crate) calls: u64,
    /// Bytes of one call: the function, its argument, and in 3.13 its flags.
    pub(crate) stride: u64,
    pub(crate) places: u32,
    /// Largest number of waiting calls.
    pub(crate) max_waiting: u32,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// The lock of the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lock {
    /// A pointer to a `sem_t` of glibc.
    Semaphore(u64),
    /// A `PyMutex`, one byte.
    Byte(u64),
}

const OLD: Fields = Fields {
    lock: Lock::Semaphore(0),
    count: 8,
    counts: false,
    calls: 16,
    stride: 16,
    places: 32,
    max_waiting: 31,
    first: 528,
    last: 532,
};

const LAYOUTS: [Layout; 4] = [
    Layout {
        minor: 10,
        initialized: 12,
        interpreters: 32,
        main_thread: 72,
        next: 0,
        id: 24,
        queue: QueueAt::Interpreter(80),
        fields: OLD,
        breaker: BreakerAt::Interpreter(68),
    },
    Layout {
        minor: 11,
        initialized: 16,
        interpreters: 40,
        main_thread: 80,
        next: 0,
        id: 48,
        queue: QueueAt::Interpreter(112),
        fields: OLD,
        breaker: BreakerAt::Interpreter(100),
    },
    Layout {
        minor: 12,
        initialized: 16,
        interpreters: 40,
        main_thread: 64,
        next: 0,
        id: 8,
        queue: QueueAt::Runtime(2016),
        fields: Fields { lock: Lock::Semaphore(8), count: 16, calls: 24, first: 536, last: 540, ..OLD },
        breaker: BreakerAt::Interpreter(368),
    },
    Layout {
        minor: 13,
        initialized: 600,
        interpreters: 632,
        main_thread: 656,
        next: 7264,
        id: 7272,
        queue: QueueAt::Runtime(2640),
        fields: Fields {
            lock: Lock::Byte(8),
            count: 12,
            counts: true,
            calls: 24,
            stride: 24,
            places: 300,
            max_waiting: 32,
            first: 7224,
            last: 7228,
        },
        breaker: BreakerAt::MainThread { state: 664, breaker: 24, interpreter: 16, thread: 152 },
    },
];

/// The located and checked queue of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueLocation {
    /// The address of `struct _pending_calls`.
    pub(crate) queue: u64,
    /// The word that makes the interpreter check the queue.
    pub(crate) breaker: Breaker,
    /// `pthread_self()` of Python's main thread.
    pub(crate) main_thread: u64,
}

/// How the interpreter is told to check the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breaker {
    /// An `int` to be set to 1.
    Flag(u64),
    /// A word in which this bit is to be set.
    Bit(u64, u64),
}

/// `_PY_CALLS_TO_DO_BIT` of 3.13.
const CALLS_TO_DO: u64 = 1 << 2;

/// The layout of a minor version.
pub(crate) fn of(minor: u64) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.minor == minor)
}

impl Layout {
    /// Follows the pointers from `_PyRuntime`, and checks each as far as possible.
    pub(crate) fn find(&self, memory: Memory, runtime: u64) -> Result<QueueLocation, Refusal> {
        let word = |at: u64| memory.word(at).ok_or(Refusal::Gone);
        if self.minor >= 13 {
            self.check_offsets(memory, runtime)?;
        }
        let (head, main) = (word(runtime + self.interpreters)?, word(runtime + self.interpreters + 8)?);
        let initialized = memory.int(runtime + self.initialized).ok_or(Refusal::Gone)?;
        if initialized == 0 || main == 0 {
            return Err(Refusal::NotReady);
        }
        let unknown = |what| Err(Refusal::Unknown(what));
        if initialized != 1 || !is_pointer(main) || !is_pointer(head) {
            return unknown("interpreters");
        }
        let inside = |at: u64| memory.word(main + at).ok_or(Refusal::Unknown("interpreters"));
        if inside(self.id)? != 0 {
            return unknown("the main interpreter");
        }
        if head != main || inside(self.next)? != 0 {
            return Err(Refusal::SubInterpreters);
        }
        let main_thread = word(runtime + self.main_thread)?;
        let breaker = match self.breaker {
            BreakerAt::Interpreter(at) => {
                if memory.int(main + at).is_none_or(|flag| flag > 1) {
                    return unknown("the breaker");
                }
                Breaker::Flag(main + at)
            }
            BreakerAt::MainThread { state, breaker, interpreter, thread } => {
                let state = word(runtime + state)?;
                let field = |at: u64| memory.word(state.wrapping_add(at));
                if !is_pointer(state)
                    || field(interpreter) != Some(main)
                    || field(thread) != Some(main_thread)
                {
                    return unknown("the main thread");
                }
                Breaker::Bit(state + breaker, CALLS_TO_DO)
            }
        };
        let queue = match self.queue {
            QueueAt::Interpreter(at) => main + at,
            QueueAt::Runtime(at) => runtime + at,
        };
        Ok(QueueLocation { queue, breaker, main_thread })
    }

    /// The offsets that 3.13 publishes must agree with the layout.
    fn check_offsets(&self, memory: Memory, runtime: u64) -> Result<(), Refusal> {
        let table = DebugOffsets::read(memory, runtime, 96, self.minor)?;
        // `runtime_state.interpreters_head`, `interpreter_state.id` and `.next`.
        let fits =
            (table.number(40), table.number(56), table.number(64)) == (self.interpreters, self.id, self.next);
        if fits { Ok(()) } else { Err(debug_offsets::UNKNOWN) }
    }
}

/// Whether a number can be a pointer: in user space, aligned to a word.
pub(crate) fn is_pointer(address: u64) -> bool {
    (4096..1 << 47).contains(&address) && address.is_multiple_of(8)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    /// A runtime, an interpreter and a thread in the layout of 3.13, in our own memory.
    struct World {
        runtime: Vec<u64>,
        main: Vec<u64>,
        thread: Vec<u64>,
    }

    impl World {
        fn new() -> Self {
            let mut world = Self { runtime: vec![0; 2000], main: vec![0; 1000], thread: vec![0; 40] };
            let (main, thread) = (world.main.as_ptr() as u64, world.thread.as_ptr() as u64);
            world.runtime[0] = u64::from_le_bytes(*debug_offsets::COOKIE);
            world.runtime[1] = 0x030d_00f0;
            for (at, number) in [(40, 632), (56, 7272), (64, 7264), (600, 1), (632, main), (640, main)] {
                world.runtime[at / 8] = number;
            }
            world.runtime[656 / 8] = 77;
            world.runtime[664 / 8] = thread;
            world.thread[16 / 8] = main;
            world.thread[152 / 8] = 77;
            world
        }

        fn find(&self) -> Result<QueueLocation, Refusal> {
            of(13).unwrap().find(Memory::of(std::process::id()), self.runtime.as_ptr() as u64)
        }
    }

    #[test]
    fn a_world_that_fits_is_found() {
        let world = World::new();
        let found = world.find().unwrap();
        assert_eq!(found.queue, world.runtime.as_ptr() as u64 + 2640);
        assert_eq!(found.breaker, Breaker::Bit(world.thread.as_ptr() as u64 + 24, 4));
        assert_eq!(found.main_thread, 77);
    }

    #[test]
    fn each_thing_that_does_not_fit_is_refused() {
        let changed = |change: fn(&mut World)| {
            let mut world = World::new();
            change(&mut world);
            world.find().unwrap_err()
        };
        assert_eq!(changed(|world| world.runtime[0] = 0), Refusal::Unknown("debug offsets"));
        assert_eq!(changed(|world| world.runtime[1] = 0x030e_00f0), Refusal::Unknown("debug offsets"));
        assert_eq!(changed(|world| world.runtime[2] = 1), Refusal::FreeThreaded);
        assert_eq!(changed(|world| world.runtime[5] = 640), Refusal::Unknown("debug offsets"));
        assert_eq!(changed(|world| world.runtime[75] = 0), Refusal::NotReady);
        assert_eq!(changed(|world| world.runtime[75] = 7), Refusal::Unknown("interpreters"));
        assert_eq!(changed(|world| world.runtime[80] = 0), Refusal::NotReady);
        assert_eq!(changed(|world| world.runtime[80] = 12), Refusal::Unknown("interpreters"));
        assert_eq!(changed(|world| world.main[909] = 1), Refusal::Unknown("the main interpreter"));
        assert_eq!(changed(|world| world.runtime[79] += 8), Refusal::SubInterpreters);
        assert_eq!(changed(|world| world.main[908] = 4096), Refusal::SubInterpreters);
        assert_eq!(changed(|world| world.thread[19] = 78), Refusal::Unknown("the main thread"));
        assert_eq!(changed(|world| world.runtime[83] = 0), Refusal::Unknown("the main thread"));
    }

    #[test]
    fn no_other_version_is_known() {
        assert!(of(9).is_none() && of(14).is_none());
        assert!((10..14).all(|minor| of(minor).is_some()));
    }
}
