//! Around findings.

/// Those that the screen leaves out.
pub(crate) fn more(count: usize) -> String {
    let ones = if count == 1 { "one" } else { "ones" };
    format!("and {count} smaller {ones}: nilometer report FILE --verbose")
}

/// Why no line is named.
pub(crate) const NO_RECORDER: &str = "Which line made the memory was not recorded: --no-recorder.";
