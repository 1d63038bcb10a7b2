//! Moments with many restrictions: in signal handlers, on other stacks, on small ones, after a fork.
#![allow(unsafe_code, clippy::unwrap_used, reason = "tests call C and may panic")]
#![allow(
    clippy::large_stack_arrays,
    clippy::print_stdout,
    reason = "one paints the stack and says what was used"
)]

mod support;

use nilometer_unwind::{End, here, unwind};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use support::{function, library, open, same, same_or_abort};

static SEEN: AtomicUsize = AtomicUsize::new(0);

extern "C" fn handler(_signal: c_int) {
    same_or_abort();
    SEEN.fetch_add(1, SeqCst);
}

/// A handler for `signal`, on a stack of its own if asked.
fn handle(signal: c_int, own_stack: bool) {
    // SAFETY: a valid handler; the stack is leaked on purpose.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as extern "C" fn(c_int) as usize;
        if own_stack {
            let room = Vec::leak(vec![0u8; 64 << 10]).as_mut_ptr();
            let stack = libc::stack_t { ss_sp: room.cast(), ss_flags: 0, ss_size: 64 << 10 };
            assert_eq!(libc::sigaltstack(&raw const stack, null_mut()), 0);
            action.sa_flags = libc::SA_ONSTACK;
        }
        assert_eq!(libc::sigaction(signal, &raw const action, null_mut()), 0);
    }
}

extern "C" fn compare(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: elements of the array below; raising a signal that is handled.
    unsafe {
        libc::raise(libc::SIGUSR2);
        *a.cast::<c_int>() - *b.cast::<c_int>()
    }
}

#[test]
fn from_handlers_on_this_and_on_another_stack() {
    for own_stack in [false, true, false] {
        std::thread::spawn(move || {
            handle(libc::SIGUSR2, own_stack);
            let before = SEEN.load(SeqCst);
            let mut numbers = [3, 1, 2];
            // SAFETY: an array and its size; a signal that is handled.
            unsafe {
                libc::raise(libc::SIGUSR2);
                libc::qsort(numbers.as_mut_ptr().cast(), 3, 4, Some(compare));
            }
            assert!(SEEN.load(SeqCst) > before + 2);
            same();
        })
        .join()
        .unwrap();
    }
}

/// Interrupts a busy thread at arbitrary instructions: prologues, epilogues, leaf functions, the C library.
#[test]
fn from_handlers_at_any_instruction() {
    const BUSY: &str = r"
        #include <string.h>
        #include <stdlib.h>
        typedef void (*Call)(void);
        static char room[4096];
        __attribute__((noinline)) static int leaf(int n) { return n * 3 + 1; }
        __attribute__((noinline)) static int keeps(int a, int b, int c, int d, int e) { int x = leaf(a) ^ leaf(b) ^ leaf(c) ^ leaf(d) ^ leaf(e); return x + a * b * c * d * e; }
        __attribute__((noinline)) static int aligned(int n) { volatile char here[64] __attribute__((aligned(64))); here[n & 63] = n; return keeps(n, n + 1, n + 2, n + 3, here[n & 63]); }
        int busy(Call call, int n) { int sum = 0; (void)call; for (int i = 0; i < n; i++) { sum += aligned(i); memset(room, i, i & 4095); free(malloc(i & 1023)); } return sum; }
    ";
    extern "C" fn never() {}
    let busy = function(open(&library("busy-leaf", BUSY, &[])), "busy");
    handle(libc::SIGPROF, false);
    let before = SEEN.load(SeqCst);
    // SAFETY: a timer on this process.
    unsafe {
        let period = libc::timeval { tv_sec: 0, tv_usec: 1000 };
        let timer = libc::itimerval { it_interval: period, it_value: period };
        assert_eq!(libc::setitimer(libc::ITIMER_PROF, &raw const timer, null_mut()), 0);
        while SEEN.load(SeqCst) < before + 300 {
            busy(never, 20_000);
        }
        let none = libc::itimerval { it_interval: std::mem::zeroed(), it_value: std::mem::zeroed() };
        libc::setitimer(libc::ITIMER_PROF, &raw const none, null_mut());
    }
}

#[test]
fn after_fork() {
    same();
    // SAFETY: the child only walks and ends.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let mut out = [0; 256];
            let found = unwind(&here(), &mut out);
            libc::_exit(i32::from(found.end != End::Root || found.frames < 5));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        assert_eq!(status, 0);
    }
}

/// How much stack a walk uses: the room below is painted, walked over and checked.
#[test]
fn little_stack_is_used() {
    const PAINT: u64 = 0x5afe_5afe_5afe_5afe;
    const ROOM: usize = 4096;

    #[inline(never)]
    fn paint() -> *const u64 {
        let mut room = [0u64; ROOM];
        for word in &mut room {
            // SAFETY: a local array.
            unsafe { std::ptr::from_mut(word).write_volatile(PAINT) };
        }
        std::hint::black_box(room.as_ptr())
    }

    #[inline(never)]
    fn walk() -> usize {
        let mut out = [0; 64];
        unwind(&here(), &mut out).frames
    }

    /// Bytes of the painted room that were written since, from its upper end.
    fn used(room: *const u64) -> usize {
        // SAFETY: still this thread's stack, below the frames in use.
        let untouched = (0..ROOM).take_while(|&at| unsafe { room.add(at).read_volatile() } == PAINT).count();
        (ROOM - untouched) * 8
    }

    // In a thread of its own: other tests' signals go elsewhere.
    std::thread::spawn(|| {
        // The first walk meets new rules and objects; the second knows them.
        for (walk_number, most) in
            [(1, if cfg!(debug_assertions) { 16 << 10 } else { 4 << 10 }), (2, 3 << 10)]
        {
            let room = paint();
            assert!(std::hint::black_box(walk()) > 3);
            let used = used(room);
            println!("walk {walk_number}: {used} bytes");
            assert!(used < most, "walk {walk_number} used {used} bytes");
        }
    })
    .join()
    .unwrap();
}

/// A stack whose neighbours cannot be read, used up to its end.
#[test]
fn a_frame_beyond_the_stack_is_not_read() {
    // SAFETY: three pages, of which only the middle one can be read.
    unsafe {
        let pages =
            libc::mmap(null_mut(), 3 * 4096, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        assert_ne!(pages, libc::MAP_FAILED);
        let middle = pages.cast::<u8>().add(4096);
        assert_eq!(libc::mprotect(middle.cast(), 4096, libc::PROT_READ | libc::PROT_WRITE), 0);
        let mut from = here();
        for distance in 0..8 {
            from.sp = middle.add(4096 - distance * 8) as u64;
            from.bp = from.sp;
            let found = unwind(&from, &mut [0; 16]);
            assert!(matches!(found.end, End::Cut(_)) || found.frames < 3, "{found:?}");
        }
    }
}
