//! Why the program's allocations are not sampled. These words stand in captures: as the fact `recorder`, and as a loss.

use crate::supervisor::recorder::NoRecorder;

/// Why.
pub(crate) fn why(reason: NoRecorder) -> &'static str {
    match reason {
        NoRecorder::Missing => "nilometer's recorder is missing in this installation",
        NoRecorder::Static => "this Python is linked statically",
        NoRecorder::Musl => "this Python uses another C library than glibc",
        NoRecorder::Machine => "this Python is for another kind of machine than nilometer's recorder",
        NoRecorder::Secure => {
            "this Python has privileges of its own (setuid, setgid or capabilities) and so takes no library from outside"
        }
        NoRecorder::NotSeen => "nilometer's recorder did not start in the program",
    }
}

/// The fact that says so.
pub(crate) fn off(reason: NoRecorder) -> String {
    format!("off: {}", why(reason))
}

/// Nobody asked for it.
pub(crate) const UNWANTED: &str = "off: --no-recorder";

/// The loss, with what follows from it.
pub(crate) fn consequence(reason: NoRecorder) -> String {
    format!(
        "{}: memory was not followed to the lines that allocate it; marks and counters still give the verdict",
        why(reason)
    )
}
