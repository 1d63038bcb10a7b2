//! Every stack here is walked by this crate and by libgcc; both must agree, address by address.
#![allow(unsafe_code, clippy::unwrap_used, reason = "tests call C and may panic")]

mod support;

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use support::{function, library, open, same};

static SEEN: AtomicUsize = AtomicUsize::new(0);

extern "C" fn check() {
    SEEN.fetch_add(same(), SeqCst);
}

#[inline(never)]
fn deeper(levels: u32) -> usize {
    let found = if levels == 0 { same() } else { deeper(levels - 1) };
    std::hint::black_box(found)
}

#[test]
fn recursion() {
    let shallow = deeper(0);
    assert_eq!(deeper(500), shallow + 500);
}

#[test]
fn threads_of_all_sizes() {
    for size in [16 << 10, 64 << 10, 1 << 20, 64 << 20] {
        std::thread::Builder::new().stack_size(size).spawn(|| assert!(same() > 3)).unwrap().join().unwrap();
    }
}

extern "C" fn compare(a: *const c_void, b: *const c_void) -> c_int {
    check();
    // SAFETY: elements of the array below.
    unsafe { *a.cast::<c_int>() - *b.cast::<c_int>() }
}

#[test]
fn through_the_c_library() {
    let mut numbers: Vec<c_int> = (0..50).map(|n| n * 7 % 50).collect();
    // SAFETY: an array and its size.
    unsafe {
        libc::qsort(numbers.as_mut_ptr().cast(), numbers.len(), 4, Some(compare));
        libc::bsearch(numbers.as_ptr().cast(), numbers.as_ptr().cast(), numbers.len(), 4, Some(compare));
    }
    assert!(numbers.is_sorted());
}

const FRAMES: &str = r"
#include <stdlib.h>
#include <string.h>
typedef void (*Call)(void);
volatile int sink;
__attribute__((noinline)) int small(Call call, int n) { call(); return n + 1; }
__attribute__((noinline)) int big(Call call, int n) { char room[70000]; memset(room, n, sizeof room); call(); sink = room[n]; return n; }
__attribute__((noinline)) int with_alloca(Call call, int n) { char *room = __builtin_alloca(n * 3 + 1); memset(room, n, n); call(); sink = room[n]; return n; }
__attribute__((noinline)) int aligned(Call call, int n) { char room[128] __attribute__((aligned(64))); memset(room, n, sizeof room); call(); sink = room[n & 63]; return n; }
__attribute__((noinline)) int aligned_alloca(Call call, int n) { char room[256] __attribute__((aligned(128))); char *more = __builtin_alloca(n + 1); memset(room, n, sizeof room); memset(more, n, n); call(); sink = room[n & 63] + more[n / 2]; return n; }
__attribute__((noinline)) int many(Call call, int a, int b, int c, int d, int e, int f, double g, int h) { int r = a * b + c * d; call(); return r + e + f + (int)g + h; }
__attribute__((noinline)) int pushes(Call call, int n) { return many(call, n, 2, 3, 4, 5, 6, 7.5, 8); }
int all(Call call, int n) { return small(call, n) + big(call, n) + with_alloca(call, n) + aligned(call, n) + aligned_alloca(call, n) + pushes(call, n); }
int nested(Call call, int n) { volatile char room[64] __attribute__((aligned(64))); room[n & 63] = n; int r = n == 0 ? all(call, 40) : nested(call, n - 1); return r + room[n & 63]; }
";

#[test]
fn every_shape_of_frame() {
    for flags in [
        &["-O0"][..],
        &["-O1"],
        &["-O2"],
        &["-O3", "-mavx2"],
        &["-Os"],
        &["-O2", "-fno-omit-frame-pointer"],
        &["-O2", "-fstack-clash-protection", "-fstack-protector-all"],
    ] {
        let name = format!("frames{}", flags.concat());
        let handle = open(&library(&name, FRAMES, flags));
        let before = SEEN.load(SeqCst);
        function(handle, "all")(check, 40);
        function(handle, "nested")(check, 30);
        assert!(SEEN.load(SeqCst) > before + 12 * 5);
    }
}
