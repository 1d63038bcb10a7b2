#![expect(unsafe_code, reason = "functions that the readings find by name")]
//! What the readings ask the recorder, at any time and from any thread.

use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

use crate::packed_sample::PackedSample;
use crate::tls::block;
use crate::{next_allocator, pools, state, wrappers};

/// Calls `call` with `data` while Python's objects come straight from Python's own allocator.
///
/// # Safety
/// The calling thread holds the GIL; `call` may be called with `data`.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn nilometer_recorder_unwrapped(
    call: extern "C" fn(*mut c_void),
    data: *mut c_void,
) {
    wrappers::without(|| call(data));
}

/// The `malloc` behind ours, so that readings know whose figures to ask for.
#[unsafe(no_mangle)]
pub(super) extern "C" fn nilometer_recorder_allocator() -> *const c_void {
    next_allocator::malloc_behind()
}

/// Writes the bytes that pools of tensors in memory of this process have in use, and those they took from the C allocator;
/// false if there are none.
///
/// # Safety
/// Both pointers may be written to.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn nilometer_recorder_pools(used: *mut u64, reserved: *mut u64) -> bool {
    let Some(sums) = pools::sums() else { return false };
    // SAFETY: what the caller promises.
    unsafe {
        used.write(sums.used);
        reserved.write(sums.reserved);
    }
    true
}

/// From now on, what this thread allocates is not the program's, or is again: the tables of those who look at it.
#[unsafe(no_mangle)]
pub(super) extern "C" fn nilometer_recorder_leave_out(on: bool) {
    block().left_out.store(on, Relaxed);
}

/// Visits every sample that lives, in no order: its id, where its memory begins, and its bytes (all but the last thousandth of a percent of them). Takes no lock and allocates nothing;
/// what comes or goes meanwhile may be seen or not.
#[unsafe(no_mangle)]
pub(super) extern "C" fn nilometer_recorder_samples(
    visit: extern "C" fn(data: *mut c_void, id: u64, address: u64, size: u64),
    data: *mut c_void,
) {
    if let Some(recorder) = state::recorder() {
        recorder.table.each(&mut |address, lot| {
            let lot = PackedSample(lot);
            visit(data, lot.id(), address, lot.size());
        });
    }
}
