//! The oracle: the same stack by libgcc; and C code that is compiled during a test.
#![allow(
    dead_code,
    unsafe_code,
    clippy::unwrap_used,
    clippy::inline_always,
    reason = "shared by tests that each use a part"
)]

use nilometer_unwind::{End, here, unwind};
use std::ffi::{CString, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;

#[repr(C)]
struct Context([u8; 0]);

unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut Context, *mut c_void) -> c_int, data: *mut c_void)
    -> c_int;
    fn _Unwind_GetIPInfo(context: *mut Context, before: *mut c_int) -> u64;
}

/// A list that does not allocate: for signal handlers.
struct Fixed {
    addresses: [u64; 256],
    count: usize,
}

extern "C" fn each(context: *mut Context, data: *mut c_void) -> c_int {
    let mut before = 0;
    let (ip, add) =
        // SAFETY: called by libgcc with its context and what `libgcc` passed.
        unsafe { (_Unwind_GetIPInfo(context, &raw mut before), &mut *data.cast::<&mut dyn FnMut(u64)>()) };
    // libgcc goes one step further, to a caller at address 0. This crate gives interrupted instructions plus
    // one.
    if ip != 0 {
        add(ip + u64::from(before != 0));
    }
    0
}

#[inline(always)]
fn libgcc(mut add: &mut dyn FnMut(u64)) {
    // SAFETY: the callback gets the closure.
    unsafe { _Unwind_Backtrace(each, (&raw mut add).cast()) };
}

/// Both walks from the caller on: ours, how it ended, libgcc's. The first address is in this function and
/// differs.
#[inline(never)]
pub(crate) fn both() -> (Vec<u64>, End, Vec<u64>) {
    let mut oracle = Vec::with_capacity(4096);
    libgcc(&mut |address| oracle.push(address));
    let mut ours = vec![0; 4096];
    let found = unwind(&here(), &mut ours);
    ours.truncate(found.frames);
    (ours.split_off(1), found.end, oracle.split_off(1))
}

/// Like [`same`], but allowed anywhere: aborts the process if they differ.
#[inline(never)]
pub(crate) fn same_or_abort() {
    let mut oracle = Fixed { addresses: [0; 256], count: 0 };
    libgcc(&mut |address| {
        oracle.addresses[oracle.count] = address;
        oracle.count += 1;
    });
    let mut ours = [0; 256];
    let found = unwind(&here(), &mut ours);
    if found.end != End::Root || ours[1..found.frames] != oracle.addresses[1..oracle.count] {
        // SAFETY: ends the process; the core says where.
        unsafe { libc::abort() };
    }
}

/// Asserts that both walks agree and that ours reached the first frame. Gives the number of frames.
#[inline(never)]
pub(crate) fn same() -> usize {
    let (ours, end, oracle) = both();
    assert_eq!(end, End::Root);
    assert_eq!(ours, oracle, "ours {ours:#x?} libgcc {oracle:#x?}");
    // Again, with everything known.
    let (again, end, _) = both();
    assert_eq!(end, End::Root);
    assert_eq!(again.get(2..), ours.get(2..));
    ours.len()
}

/// Compiles C to a shared library in a folder of that name, inside Cargo's folder for tests.
pub(crate) fn library(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let (code, library) = (folder.join("code.c"), folder.join("code.so"));
    std::fs::write(&code, source).unwrap();
    // In two steps, so that a library in use is replaced, never overwritten.
    let fresh = folder.join("fresh.so");
    let status = Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", "-fno-optimize-sibling-calls", "-o"])
        .args([&fresh, &code])
        .args(flags)
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::rename(fresh, &library).unwrap();
    library
}

/// `dlopen`.
pub(crate) fn open(path: &Path) -> *mut c_void {
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: a library of ours.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!handle.is_null());
    handle
}

/// `dlsym`, for a function that calls back.
pub(crate) fn function(handle: *mut c_void, name: &str) -> extern "C" fn(extern "C" fn(), c_int) -> c_int {
    let name = CString::new(name).unwrap();
    // SAFETY: the sources of the tests give these functions this type.
    unsafe {
        let found = libc::dlsym(handle, name.as_ptr());
        assert!(!found.is_null());
        std::mem::transmute::<*mut c_void, extern "C" fn(extern "C" fn(), c_int) -> c_int>(found)
    }
}
