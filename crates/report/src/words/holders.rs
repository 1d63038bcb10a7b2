//! Who holds the memory.

pub(crate) fn heading(program: &str) -> String {
    format!("nilometer  {program}: who holds its memory")
}

pub(crate) const NONE: &str =
    "No look at the heap found memory below a path. Without the recorder no look searches for any.";

/// Those that the screen leaves out.
pub(crate) fn more(count: usize) -> String {
    format!("and {count} smaller ones: --format json")
}
