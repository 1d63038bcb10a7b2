//! `nilometer diff`.

/// A warning; `sentence` says what the two reports have to do with each other.
pub(crate) fn open(sentence: &str) -> String {
    format!("whether it grows more is not known: {sentence}")
}
