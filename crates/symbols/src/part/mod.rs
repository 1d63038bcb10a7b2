//! Which part of TensorFlow, Python or a library a native stack belongs to, in words a Keras user knows.
//!
//! In: the full names of a stack's native frames and their object files. Out: words, and the op where a kernel runs.
//! A stack that no entry of the table knows has no part: nothing is guessed.

/// A part, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// For people, e.g. `tf.data: shuffle buffer`.
    pub words: String,
    /// The op whose kernel was running, innermost first, e.g. `Conv2D`.
    pub op: Option<String>,
}

/// The part a stack belongs to; `frames` are (full name, path of the object), innermost first. A frame without a name
/// is given as an empty name.
pub fn part(frames: &[(&str, &str)]) -> Option<Part> {
    let _ = frames;
    None
}
