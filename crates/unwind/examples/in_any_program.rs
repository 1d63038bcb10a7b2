//! Walks the stack at every N-th `malloc` of any program, by this crate and by libgcc. At the end it prints
//! how often they differed and the cost of ours:
//!
//!     cargo build --release -p nilometer-unwind --example in_any_program
//!     EVERY=500 LD_PRELOAD=target/release/examples/libin_any_program.so python train.py
#![allow(
    unsafe_code,
    clippy::print_stderr,
    clippy::exit,
    reason = "an example that stands in malloc's place"
)]

use nilometer_unwind::{End, Why, here, modules, prepare, unwind};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const FRAMES: usize = 400;

unsafe extern "C" {
    fn __libc_malloc(bytes: usize) -> *mut c_void;
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut c_void, before: *mut c_int) -> u64;
}

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

static EVERY: AtomicU64 = AtomicU64::new(0);
static STACKS: AtomicU64 = AtomicU64::new(0);
static DIFFERENT: AtomicU64 = AtomicU64::new(0);
static ADDRESSES: AtomicU64 = AtomicU64::new(0);
static COLD_NS: AtomicU64 = AtomicU64::new(0);
static WARM_NS: AtomicU64 = AtomicU64::new(0);
static ROOT: AtomicU64 = AtomicU64::new(0);
static FULL: AtomicU64 = AtomicU64::new(0);
static CUT: [AtomicU64; 5] = [const { AtomicU64::new(0) }; 5];

struct Oracle {
    addresses: [u64; FRAMES],
    count: usize,
}

extern "C" fn each(context: *mut c_void, oracle: *mut c_void) -> c_int {
    let mut before = 0;
    let (ip, oracle) =
        // SAFETY: called by libgcc with its context and the list below.
        unsafe { (_Unwind_GetIPInfo(context, &raw mut before), &mut *oracle.cast::<Oracle>()) };
    if let Some(slot) = oracle.addresses.get_mut(oracle.count).filter(|_| ip != 0) {
        *slot = ip + u64::from(before != 0);
        oracle.count += 1;
    }
    0
}

fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    (time.tv_sec * 1_000_000_000 + time.tv_nsec).cast_unsigned()
}

#[cold]
#[inline(never)]
fn compare() {
    let mut ours = [0; FRAMES];
    let start = now();
    let found = unwind(&here(), &mut ours);
    let middle = now();
    let again = unwind(&here(), &mut ours);
    let end = now();
    let mut oracle = Oracle { addresses: [0; FRAMES], count: 0 };
    // SAFETY: the callback gets the list.
    unsafe { _Unwind_Backtrace(each, (&raw mut oracle).cast()) };
    STACKS.fetch_add(1, Relaxed);
    ADDRESSES.fetch_add(found.frames as u64, Relaxed);
    COLD_NS.fetch_add((middle - start).min(100_000), Relaxed);
    WARM_NS.fetch_add((end - middle).min(100_000), Relaxed);
    match found.end {
        End::Root => &ROOT,
        End::Full => &FULL,
        End::Cut(why) => &CUT[why as usize],
    }
    .fetch_add(1, Relaxed);
    let same = found == again && ours.get(1..found.frames) == oracle.addresses.get(1..oracle.count);
    if !same && DIFFERENT.fetch_add(1, Relaxed) < 3 {
        let (ours, theirs) = (ours.get(..found.frames), oracle.addresses.get(..oracle.count));
        eprintln!("{found:?} {ours:#x?}\nlibgcc {theirs:#x?}");
    }
}

/// # Safety
/// As `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    let every = EVERY.load(Relaxed);
    if every > 0 && !INSIDE.get() {
        COUNT.set(COUNT.get() + 1);
        if COUNT.get().is_multiple_of(every) {
            INSIDE.set(true);
            compare();
            INSIDE.set(false);
        }
    }
    // SAFETY: as the caller promises.
    unsafe { __libc_malloc(bytes) }
}

extern "C" fn begin() {
    prepare();
    EVERY.store(std::env::var("EVERY").ok().and_then(|it| it.parse().ok()).unwrap_or(1000), Relaxed);
}

extern "C" fn end() {
    EVERY.store(0, Relaxed);
    let [stacks, addresses] = [&STACKS, &ADDRESSES].map(|it| it.load(Relaxed));
    let mut objects = 0;
    modules(0, &mut |_, _| objects += 1);
    eprintln!(
        "{stacks} stacks, {} different; {:.1} addresses each; first walk {:.2} us, second {:.2} us; {objects} objects",
        DIFFERENT.load(Relaxed),
        addresses as f64 / stacks as f64,
        COLD_NS.load(Relaxed) as f64 / stacks as f64 / 1e3,
        WARM_NS.load(Relaxed) as f64 / stacks as f64 / 1e3,
    );
    let whys = [Why::NoObject, Why::NoRule, Why::OffStack, Why::NotUnderstood, Why::Machine];
    let cuts: Vec<_> = whys.iter().map(|&why| (why, CUT[why as usize].load(Relaxed))).collect();
    eprintln!("root {}, full {}, cut {cuts:?}", ROOT.load(Relaxed), FULL.load(Relaxed));
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;
