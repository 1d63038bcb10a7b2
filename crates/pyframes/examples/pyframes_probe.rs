#![expect(unsafe_code, reason = "exports C functions that Python calls through ctypes")]
//! A library that walks its caller's Python frames; the Python tests load it with ctypes.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use nilometer_pyframes::{Frame, Python, Support, Text, detect};

/// One frame, for ctypes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Seen {
    code: u64,
    instruction: u32,
    line: u32,
    entry: u32,
}

fn python() -> Option<Python> {
    thread_local! { static FOUND: Cell<Option<Python>> = const { Cell::new(None) } }
    if FOUND.get().is_none()
        && let Support::Ready(python) = detect()
    {
        FOUND.set(Some(python));
    }
    FOUND.get()
}

/// 1 ready, 0 not yet, -1 unsupported; the reason goes to `why`.
///
/// # Safety
/// `why` has room for 256 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_support(why: *mut u8) -> c_int {
    match detect() {
        Support::Ready(_) => 1,
        Support::NotYet => 0,
        Support::Unsupported { why: reason, .. } => {
            // SAFETY: reasons are shorter than the room that the caller promises.
            unsafe { std::ptr::copy_nonoverlapping(reason.as_ptr(), why, reason.len().min(255)) };
            -1
        }
    }
}

/// Walks the frames. Gives the number of frames written, plus 2^30 if the walk was complete.
///
/// # Safety
/// `out` has room for `room` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_walk(out: *mut Seen, room: usize) -> c_int {
    let Some(python) = python() else { return -1 };
    let mut frames = vec![Frame::default(); room];
    let walked = python.walk(&mut frames);
    for (index, frame) in frames.iter().take(walked.frames).enumerate() {
        let seen = Seen {
            code: frame.code,
            instruction: frame.instruction,
            line: python.line(*frame),
            entry: u32::from(frame.entry),
        };
        // SAFETY: the index is below `room`.
        unsafe { out.add(index).write(seen) };
    }
    c_int::try_from(walked.frames).unwrap_or(0) + if walked.complete { 1 << 30 } else { 0 }
}

/// The lines of `count` instructions of a live code object, `step` units apart.
///
/// # Safety
/// `out` has room for `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_lines(code: u64, out: *mut u32, count: u32, step: u32) {
    let Some(python) = python() else { return };
    for index in 0..count {
        let line = python.line(Frame { code, instruction: 2 * step * index, entry: false });
        // SAFETY: the index is below `count`.
        unsafe { out.add(index as usize).write(line) };
    }
}

/// Writes `file NUL function NUL`. Gives the first line, or -1 if a name is unknown.
///
/// # Safety
/// `out` has room for 2048 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_names(code: u64, out: *mut u8) -> c_int {
    let Some(python) = python() else { return -1 };
    let mut text = Text::new();
    let facts = python.code(code, &mut text);
    let both = [text.file(), "\0", text.function(), "\0"].concat();
    // SAFETY: two names and two bytes are shorter than the room that the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(both.as_ptr(), out, both.len()) };
    if facts.named { facts.first_line.cast_signed() } else { -1 }
}

/// The identity of a live code object.
#[unsafe(no_mangle)]
pub extern "C" fn probe_identity(code: u64) -> u64 {
    python().map_or(0, |python| python.identity(code))
}

/// Native frames that are read.
const MAX_NATIVE_FRAMES: c_int = 1 << 16;

unsafe extern "C" {
    fn backtrace(buffer: *mut *mut c_void, size: c_int) -> c_int;
}

/// The number of native frames in the caller's stack that are evaluator runs; -1 if there are more frames
/// than can be read.
#[unsafe(no_mangle)]
pub extern "C" fn probe_runs() -> c_int {
    let Some(python) = python() else { return -1 };
    let mut stack = vec![std::ptr::null_mut(); MAX_NATIVE_FRAMES as usize];
    // SAFETY: the array has `ROOM` places.
    let frames = unsafe { backtrace(stack.as_mut_ptr(), MAX_NATIVE_FRAMES) };
    if frames == MAX_NATIVE_FRAMES {
        return -1;
    }
    let parts = nilometer_unwind::function_parts(python.evaluator());
    let runs = stack.iter().take(frames as usize).filter(|address| {
        // A return address is behind its call.
        let call = (**address as u64).wrapping_sub(1);
        parts.iter().any(|(start, end)| (*start..*end).contains(&call))
    });
    c_int::try_from(runs.count()).unwrap_or(-1)
}

/// Calls `body` on a new thread without a Python state. Gives its number of frames before plus after; -1
/// unless both walks were complete.
#[unsafe(no_mangle)]
pub extern "C" fn probe_on_new_thread(body: extern "C" fn()) -> c_int {
    let thread = std::thread::spawn(move || {
        let python = python()?;
        let mut frames = [Frame::default(); 16];
        let before = python.walk(&mut frames);
        body();
        let after = python.walk(&mut frames);
        (before.complete && after.complete).then_some(before.frames + after.frames)
    });
    thread.join().ok().flatten().and_then(|frames| c_int::try_from(frames).ok()).unwrap_or(-1)
}

/// Nanoseconds per walk of the caller's frames, best of a few.
#[unsafe(no_mangle)]
pub extern "C" fn probe_cost(lines: c_int) -> f64 {
    let Some(python) = python() else { return -1.0 };
    let mut frames = [Frame::default(); 256];
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let begin = std::time::Instant::now();
        for _ in 0..2000 {
            let walked = python.walk(std::hint::black_box(&mut frames));
            if lines != 0 {
                for frame in frames.iter().take(walked.frames) {
                    std::hint::black_box(python.line(*frame));
                }
            }
        }
        best = best.min(begin.elapsed().as_secs_f64() / 2000.0 * 1e9);
    }
    best
}
