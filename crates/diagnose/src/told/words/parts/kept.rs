//! Free memory that the C library keeps, in words: where it lies, and what to change.
//!
//! In: bytes, and how the arenas lie. Out: a sentence and a change. What must not happen here: a decision whether that is worth a change.

use crate::sizes::size;

const TRIM: &str = "`ctypes.CDLL(None).malloc_trim(0)`";

/// What is known of where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Advice {
    /// Nobody asked the arenas.
    Unknown,
    /// So many arenas, most of them a thread's own; shared arenas would give so many bytes back.
    Shared { arenas: u64, gain: f64 },
    /// Between blocks that are in use.
    Between,
}

/// The sentence, and the change; all in bytes.
pub(crate) fn kept(advice: Advice, kept: f64, resident: f64) -> (String, String) {
    let all = size(kept);
    let by = match advice {
        Advice::Unknown => String::new(),
        Advice::Shared { arenas, .. } => format!(" in {arenas} arenas, most of them a thread's own"),
        Advice::Between => " between blocks that are in use".to_owned(),
    };
    let change = match advice {
        Advice::Unknown => format!(
            "{TRIM} where much was let go of: up to {all} less; or, if threads that take turns made it, MALLOC_ARENA_MAX=2 in the environment"
        ),
        Advice::Shared { gain, .. } => format!(
            "{TRIM} where the threads' work ends: up to {all} less; or, if they take turns, MALLOC_ARENA_MAX=2 in the environment: up to {} less",
            size(gain)
        ),
        Advice::Between => {
            format!("{TRIM} where much was let go of, as after preparing data: up to {all} less")
        }
    };
    (format!("free memory that the C library keeps{by}; {} are resident in all", size(resident)), change)
}
