//! Doors to paths.

use std::ffi::c_char;

use nilometer_census::{Object, Path, PathLimits, Python, find};

use crate::{answer, quoted};

thread_local! { static FOUND: Result<Python, String> = Python::find() }

pub(crate) fn with_python(make: impl FnOnce(&Python) -> String) -> *const c_char {
    FOUND.with(|found| match found {
        Ok(python) => answer(&make(python)),
        Err(why) => answer(&format!("{{\"error\": {}}}", quoted(why))),
    })
}

pub(crate) fn path_json(path: &Path) -> String {
    format!(
        "{{\"text\": {}, \"owner\": {}, \"kind\": {}, \"file\": {}, \"bound\": {}}}",
        quoted(&path.text),
        quoted(&path.owner),
        quoted(&path.kind),
        quoted(&path.file),
        path.bound.map_or("null".to_string(), |bound| bound.to_string()),
    )
}

/// A slice that Python lends for the call.
pub(crate) fn lent<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: a ctypes array of so many, which lives as long as the call.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// The paths to objects; 0 for a limit means the usual one.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn graph_find(
    first: *const u64,
    count: usize,
    max_nodes: usize,
    max_pause_ns: u64,
) -> *const c_char {
    with_python(|python| {
        let targets: Vec<Object> = lent(first, count).iter().map(|address| Object::at(*address)).collect();
        let mut limits = PathLimits::default();
        if max_nodes != 0 {
            limits.max_nodes = max_nodes;
        }
        if max_pause_ns != 0 {
            limits.max_pause_ns = max_pause_ns;
        }
        let paths: Vec<String> = find(python, &targets, &limits)
            .iter()
            .map(|path| path.as_ref().map_or("null".to_string(), path_json))
            .collect();
        format!("[{}]", paths.join(", "))
    })
}
