#![expect(unsafe_code, reason = "registers the C library's fork handlers")]
//! Forks: the recording stays with the parent; a child has one of its own if that was asked for.
//!
//! What must not happen here: in the child, a look at a lock, since its holder may be a thread that the child does not
//! have. The child forgets all there is, and begins anew with memory of its own.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::filter::FILTER;
use crate::floats::Floats;
use crate::recorder::Recorder;
use crate::tls::block;
use crate::{frames, state, visitors};

/// Makes the recorder of a child.
type Make = fn() -> Option<Box<Recorder>>;

static MAKE: OnceLock<Make> = OnceLock::new();

static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Registers the handler, once; with `make`, children are recorded.
pub(crate) fn register(make: Option<Make>) -> bool {
    if let Some(make) = make {
        let _first = MAKE.set(make);
    }
    if REGISTERED.load(Relaxed) {
        return true;
    }
    // SAFETY: the handler lives as long as this library, which is never unloaded, and takes nothing.
    let is_registered = unsafe { libc::pthread_atfork(None, None, Some(child)) == 0 };
    REGISTERED.store(is_registered, Relaxed);
    is_registered
}

extern "C" fn child() {
    let block = block();
    // Python's wrapper of arenas and our own work do not fork.
    block.busy.store(true, Relaxed);
    if let Some(recorder) = state::recorder() {
        recorder.writer.close_in_child();
    }
    state::end();
    // Nobody starts one here unasked.
    state::decide();
    visitors::forget_in_child();
    FILTER.clear();
    frames::forget_in_child();
    block.thread.store(0, Relaxed);
    // Parent and child must not draw the same numbers.
    block.random.store(0, Relaxed);
    let _theirs = Floats::begin();
    if let Some(recorder) = MAKE.get().and_then(|make| make()) {
        block.seeded.store(0, Relaxed);
        block.remaining.iter().for_each(|remaining| remaining.store(0, Relaxed));
        state::begin(recorder, false);
    }
    block.busy.store(false, Relaxed);
}
