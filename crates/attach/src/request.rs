//! `CPython` 3.14's own way in: PEP 768, the path of a script in the main thread's state.
//!
//! In: the address of `_PyRuntime`. Out: [`RemoteRequest`], which the main thread sees when it next checks
//! the breaker. No table of offsets is needed: `_Py_DebugOffsets`, at the start of `_PyRuntime`, names every
//! field used here. Its own layout is that of 3.14.0 to 3.14.10 (`offsetof`, printed with their headers).
//! What must not happen here: a request to a program whose user has disabled remote debugging.

use std::path::Path;

use crate::debug_offsets::{self, DebugOffsets};
use crate::layout::is_pointer;
use crate::memory::Memory;
use crate::refusal::Refusal;
use crate::words;

/// Offsets in `_Py_DebugOffsets` of 3.14, in bytes; and its size.
const FINALIZING: usize = 32;
const INTERPRETERS: usize = 40;
const ID: usize = 56;
const NEXT: usize = 64;
const THREADS_MAIN: usize = 80;
const INTERPRETER_OF_THREAD: usize = 200;
const THREAD_ID: usize = 216;
const BREAKER: usize = 712;
const SUPPORT: usize = 720;
const ENABLED: usize = 728;
const PENDING: usize = 736;
const PATH: usize = 744;
const PATH_SIZE: usize = 752;
const SIZE: usize = 760;

/// The minor version of these offsets.
const MINOR: u64 = 14;
/// `_PY_EVAL_PLEASE_STOP_BIT`, which PEP 768 tells a debugger to set.
const PLEASE_STOP: u8 = 1 << 5;
/// Upper bound of a field's offset: the structures of an interpreter or thread are smaller.
const MAX_OFFSET: u64 = 1 << 20;

/// The addresses of a request's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestLocation {
    /// An `int`: 1 while a request waits.
    pending: u64,
    path: u64,
    path_size: u64,
    breaker: u64,
    /// `pthread_self()` of the main thread.
    pub(crate) main_thread: u64,
}

/// A request that waits, or was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RemoteRequest {
    place: RequestLocation,
    length: usize,
}

/// Follows the runtime's own offsets, and checks each as far as possible.
pub(crate) fn find(memory: Memory, runtime: u64) -> Result<RequestLocation, Refusal> {
    let unknown = |what| Refusal::Unknown(what);
    let table = DebugOffsets::read(memory, runtime, SIZE, MINOR)?;
    let number = |at| table.number(at);
    let fields =
        [INTERPRETERS, ID, NEXT, THREADS_MAIN, INTERPRETER_OF_THREAD, THREAD_ID, BREAKER, SUPPORT, ENABLED];
    if fields.iter().any(|at| number(*at) > MAX_OFFSET)
        || number(PATH_SIZE) == 0
        || number(PATH_SIZE) > 1 << 16
    {
        return Err(debug_offsets::UNKNOWN);
    }
    let word = |at: u64| memory.word(at).ok_or(Refusal::Unknown("interpreters"));
    let main = word(runtime + number(INTERPRETERS))?;
    if main == 0 || word(runtime + number(FINALIZING))? != 0 {
        return Err(Refusal::NotReady);
    }
    if !is_pointer(main) {
        return Err(unknown("interpreters"));
    }
    if word(main + number(NEXT))? != 0 {
        return Err(Refusal::SubInterpreters);
    }
    if word(main + number(ID))? != 0 {
        return Err(unknown("the main interpreter"));
    }
    match memory.int(main + number(ENABLED)) {
        Some(1) => {}
        Some(0) => return Err(Refusal::DebuggingOff),
        _ => return Err(unknown("remote debugging")),
    }
    let thread = word(main + number(THREADS_MAIN))?;
    if thread == 0 {
        return Err(Refusal::NotReady);
    }
    if !is_pointer(thread) || word(thread + number(INTERPRETER_OF_THREAD))? != main {
        return Err(unknown("the main thread"));
    }
    let support = thread + number(SUPPORT);
    Ok(RequestLocation {
        pending: support + number(PENDING),
        path: support + number(PATH),
        path_size: number(PATH_SIZE),
        breaker: thread + number(BREAKER),
        main_thread: word(thread + number(THREAD_ID))?,
    })
}

impl RemoteRequest {
    /// Writes the request for `script`. All threads must be stopped, because others change bits of the
    /// breaker, too.
    pub(crate) fn write(memory: Memory, place: RequestLocation, script: &Path) -> Result<Self, Refusal> {
        let mut path = script.as_os_str().as_encoded_bytes().to_vec();
        path.push(0);
        if path.len() as u64 > place.path_size {
            return Err(Refusal::NoRoom);
        }
        match memory.int(place.pending).ok_or(Refusal::Gone)? {
            0 => {}
            1 => return Err(Refusal::Busy(words::REQUEST_STILL_WAITS)),
            _ => return Err(Refusal::Unknown("remote debugging")),
        }
        let breaker = memory.byte(place.breaker).ok_or(Refusal::Gone)?;
        memory
            .write(place.path, &path)
            .and_then(|()| memory.write(place.pending, &1_u32.to_le_bytes()))
            .and_then(|()| memory.write(place.breaker, &[breaker | PLEASE_STOP]))
            .ok_or(Refusal::Gone)?;
        Ok(Self { place, length: path.len() })
    }

    /// Whether the main thread has taken the request; `None` if the process is gone.
    pub(crate) fn is_taken(&self, memory: Memory) -> Option<bool> {
        memory.int(self.place.pending).map(|pending| pending == 0)
    }

    /// Withdraws the request while all threads are stopped. True: it was still waiting.
    pub(crate) fn take_back(&self, memory: Memory) -> bool {
        if self.is_taken(memory) != Some(false) {
            return false;
        }
        let emptied = memory.write(self.place.pending, &0_u32.to_le_bytes());
        self.clear(memory).unwrap_or_default();
        emptied.is_some()
    }

    /// Overwrites the path with zeros.
    pub(crate) fn clear(&self, memory: Memory) -> Option<()> {
        memory.write(self.place.path, &vec![0; self.length])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    /// A runtime, an interpreter and a thread in our own memory, with offsets of their own.
    struct World {
        runtime: Vec<u64>,
        main: Vec<u64>,
        thread: Vec<u64>,
    }

    impl World {
        fn new() -> Self {
            let mut world = Self { runtime: vec![0; 100], main: vec![0; 20], thread: vec![0; 90] };
            let (main, thread) = (world.main.as_ptr() as u64, world.thread.as_ptr() as u64);
            world.runtime[0] = u64::from_le_bytes(*debug_offsets::COOKIE);
            let table = [
                (8, 0x030e_0af0),
                (FINALIZING, 768),
                (INTERPRETERS, 776),
                (ID, 8),
                (NEXT, 16),
                (THREADS_MAIN, 24),
                (INTERPRETER_OF_THREAD, 8),
                (THREAD_ID, 16),
                (BREAKER, 24),
                (SUPPORT, 32),
                (ENABLED, 32),
                (PENDING, 0),
                (PATH, 4),
                (PATH_SIZE, 64),
                (776, main),
            ];
            for (at, number) in table {
                world.runtime[at / 8] = number;
            }
            (world.main[3], world.main[4]) = (thread, 1);
            (world.thread[1], world.thread[2]) = (main, 77);
            world
        }

        fn memory() -> Memory {
            Memory::of(std::process::id())
        }

        fn find(&self) -> Result<RequestLocation, Refusal> {
            find(Self::memory(), self.runtime.as_ptr() as u64)
        }

        /// A value read through memory calls, because the vectors are written without the compiler's
        /// knowledge.
        fn int(at: u64) -> u32 {
            Self::memory().int(at).unwrap()
        }
    }

    #[test]
    fn a_request_is_written_and_taken_back() {
        let world = World::new();
        let place = world.find().unwrap();
        assert_eq!(place.main_thread, 77);
        let asked = RemoteRequest::write(World::memory(), place, Path::new("/t/s.py")).unwrap();
        assert_eq!(World::memory().bytes(place.path, 8).unwrap(), b"/t/s.py\0");
        assert_eq!((World::int(place.pending), World::int(place.breaker)), (1, u32::from(PLEASE_STOP)));
        assert_eq!(asked.is_taken(World::memory()), Some(false));
        let second = RemoteRequest::write(World::memory(), place, Path::new("/t/s.py")).unwrap_err();
        assert!(matches!(second, Refusal::Busy(_)));
        assert!(asked.take_back(World::memory()) && !asked.take_back(World::memory()));
        assert_eq!(World::memory().bytes(place.path, 8).unwrap(), [0; 8]);
        assert_eq!(asked.is_taken(World::memory()), Some(true));
    }

    #[test]
    fn a_path_that_is_too_long_is_not_cut() {
        let place = World::new();
        let place = place.find().unwrap();
        let long = "x".repeat(64);
        assert_eq!(
            RemoteRequest::write(World::memory(), place, Path::new(&long)).unwrap_err(),
            Refusal::NoRoom
        );
    }

    #[test]
    fn each_thing_that_does_not_fit_is_refused() {
        let changed = |change: fn(&mut World)| {
            let mut world = World::new();
            change(&mut world);
            world.find().unwrap_err()
        };
        assert_eq!(changed(|world| world.runtime[0] = 0), Refusal::Unknown("debug offsets"));
        assert_eq!(changed(|world| world.runtime[1] = 0x030f_00f0), Refusal::Unknown("debug offsets"));
        assert_eq!(changed(|world| world.runtime[2] = 1), Refusal::FreeThreaded);
        assert_eq!(changed(|world| world.runtime[BREAKER / 8] = 1 << 40), Refusal::Unknown("debug offsets"));
        assert_eq!(changed(|world| world.runtime[PATH_SIZE / 8] = 0), Refusal::Unknown("debug offsets"));
        assert_eq!(changed(|world| world.runtime[96] = 4096), Refusal::NotReady);
        assert_eq!(changed(|world| world.runtime[97] = 0), Refusal::NotReady);
        assert_eq!(changed(|world| world.runtime[97] = 12), Refusal::Unknown("interpreters"));
        assert_eq!(changed(|world| world.main[2] = 4096), Refusal::SubInterpreters);
        assert_eq!(changed(|world| world.main[1] = 1), Refusal::Unknown("the main interpreter"));
        assert_eq!(changed(|world| world.main[4] = 0), Refusal::DebuggingOff);
        assert_eq!(changed(|world| world.main[4] = 2), Refusal::Unknown("remote debugging"));
        assert_eq!(changed(|world| world.main[3] = 0), Refusal::NotReady);
        assert_eq!(changed(|world| world.thread[1] = 8), Refusal::Unknown("the main thread"));
    }
}
