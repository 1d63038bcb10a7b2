//! The file of the script that runs as `__main__`.
//!
//! In: the heap, and what a look while the script ran has seen. Out: the file. What must not happen here: a file of a function that
//! `__main__` has only imported.
//!
//! Python takes `__file__` out of `__main__` when the script's last line is done, before the exit handlers run. A look at the end would
//! take the user's own names for those of a builtin module.

use std::path::Path;

use super::MAX_PATH_CHARS;
use crate::naming::{HeapView, Kind};
use crate::object::Python;

pub(super) const MAIN: &str = "__main__";
/// Names of the script that are looked through for a function of its own.
const MAX_NAMES: usize = 10_000;

/// Remembers the script of `__main__`. Asked once: a notebook has none, and gets none later.
pub(crate) fn remember(python: &mut Python) {
    if python.script.is_some() {
        return;
    }
    let file = HeapView::new(python).ok().and_then(|heap| {
        let module = heap.value(heap.python.api.modules(), MAIN);
        let is_module = module != 0 && heap.kinds.of(module) == Kind::Module;
        let dict = if is_module { heap.own_dict(module) } else { 0 };
        said(&heap, dict)
    });
    python.script = Some(file.unwrap_or_default());
}

/// `__file__` in the names of a module.
pub(super) fn said(heap: &HeapView<'_>, dict: u64) -> Option<String> {
    let file = if dict == 0 { 0 } else { heap.value(dict, "__file__") };
    heap.text(file, MAX_PATH_CHARS).filter(|file| !file.is_empty())
}

/// The script whose names are in this dict and have lost their file.
pub(super) fn of_names(heap: &HeapView<'_>, dict: u64) -> Option<String> {
    let script = heap.python.script.clone().filter(|file| !file.is_empty());
    script.or_else(|| of_function(heap, dict))
}

fn of_function(heap: &HeapView<'_>, dict: u64) -> Option<String> {
    let (mut left, mut found) = (MAX_NAMES, None);
    heap.items(dict, &mut |_, value| {
        left -= 1;
        if heap.is_function_of(value, dict) {
            found = Some(heap.code_file(heap.code_of(value)));
        }
        left > 0 && found.is_none()
    });
    // A cell of a notebook is no file: the names of a kernel are no script's.
    found.filter(|file| Path::new(file).is_file())
}
