//! Arrays that native code was handed and keeps; memory that a library in C makes and never frees.
//!
//! Evidence: the holder is native code, as no object of Python's led to the arrays when the whole heap was looked at; or a function
//! of a library that is neither a framework's, Python's nor the system's makes it, and nobody is known to hold it.

use super::{Case, Explanation};
use crate::holders::NATIVE;

/// How files of Python, of the system, and of libraries that many use are called.
const KNOWN: [&str; 16] = [
    // Extension modules make Python's objects, which somebody else may hold.
    "cpython-",
    ".abi3.",
    "libpython",
    "libc.",
    "libc-",
    "libstdc++",
    "libm.",
    "ld-linux",
    "libmkl",
    "libiomp",
    "libgomp",
    "libopenblas",
    "libcuda",
    "libcublas",
    "numpy",
    "recorder",
];

pub(super) fn of_own_memory(case: &Case) -> Option<Explanation> {
    let finding = case.finding;
    let of_packs = || case.run.packs.iter().flat_map(|pack| pack.libraries);
    let is_known = |file: &str| KNOWN.iter().chain(of_packs()).any(|name| file.contains(name));
    let made = case
        .carriers()
        .find(|f| !["libc.", "libc-", "libstdc++"].iter().any(|name| f.file.contains(name)))?;
    let is_library = made.kind == "native" && made.file.contains(".so") && !is_known(&made.file);
    if finding.holder.is_some() || finding.part.is_some() || !is_library || made.function.is_empty() {
        return None;
    }
    Some(Explanation {
        sentence: format!("{} of {} makes memory that it never frees", made.function, made.file),
        change: format!(
            "look who is to free what {} gives back: call the library's function for it (often `..._free` or `..._release`) in a \
             `finally`",
            made.function
        ),
        ..Explanation::default()
    })
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    case.finding.holder.as_ref().filter(|holder| holder.kind == NATIVE)?;
    let at = case.line().map_or(String::new(), |site| format!(" made at {}:{}", site.file, site.line));
    Some(Explanation {
        sentence: format!(
            "native code keeps an array of every {}: references that no object of Python's has",
            case.unit
        ),
        change: format!(
            "look where the array{at} is passed to a library in C: it takes a reference and does not give it back; call what \
             releases it, or pass a copy that the library owns"
        ),
        ..Explanation::default()
    })
}
