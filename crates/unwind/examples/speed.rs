//! The cost of a stack, hot, next to libgcc: `cargo run --release -p nilometer-unwind --example speed`.
#![allow(unsafe_code, clippy::print_stdout, reason = "an example that calls libgcc and prints")]

use nilometer_unwind::{here, unwind};
use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::time::Instant;

unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
}

extern "C" fn count(_context: *mut c_void, frames: *mut c_void) -> c_int {
    // SAFETY: the counter passed below.
    unsafe { *frames.cast::<usize>() += 1 };
    0
}

/// Best of 300 short rounds, because another program may have the core meanwhile: ns per stack, and the
/// number of frames.
fn measure(rounds: u32, mut stack: impl FnMut() -> usize) -> (f64, usize) {
    let (mut best, mut frames) = (f64::MAX, 0);
    for _ in 0..300 {
        let start = Instant::now();
        for _ in 0..rounds {
            frames = black_box(stack());
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(rounds));
    }
    (best, frames)
}

#[inline(never)]
fn at(levels: u32) {
    if levels > 0 {
        at(levels - 1);
    } else {
        compare();
    }
    black_box(levels);
}

#[inline(never)]
fn compare() {
    let (ours, frames) = measure(200, || unwind(&here(), &mut [0; 256]).frames);
    let (libgcc, theirs) = measure(20, || {
        let mut frames = 0usize;
        // SAFETY: the callback gets the counter.
        unsafe { _Unwind_Backtrace(count, (&raw mut frames).cast()) };
        frames
    });
    println!(
        "{frames:>4} frames: ours {ours:>7.0} ns, {:.1} per frame; libgcc ({theirs}) {libgcc:>7.0} ns, {:.0} per frame",
        ours / frames as f64,
        libgcc / theirs as f64
    );
}

fn main() {
    for levels in [0, 10, 50, 200] {
        at(levels);
    }
}
