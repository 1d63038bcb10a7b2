//! Warnings of a training, in words.
//!
//! In: what is wrong, and the layers. Out: a sentence without its full stop, and the change. What must not happen here: a word about memory.

use crate::report::About;

/// What is wrong with layers that keep a state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stateful {
    Shuffled,
    Validated,
    NotReset,
}

/// What is wrong, and what to change.
pub(crate) fn words(wrong: Stateful, layers: &str) -> (String, &'static str) {
    let layers = listed(layers);
    match wrong {
        Stateful::Shuffled => (
            format!(
                "fit() shuffles its samples, but {layers} goes on from batch to batch with the state that other samples left"
            ),
            "fit(shuffle=False), and samples in the order in which they continue; or stateful=False, if they do not continue",
        ),
        Stateful::Validated => (
            format!("after validation each epoch begins with the state in which validation left {layers}"),
            "reset_state() of the layer in on_epoch_begin of a callback, which comes after validation",
        ),
        Stateful::NotReset => (
            format!(
                "each epoch begins at the first samples again, but with the state in which the last ones left {layers}"
            ),
            "reset_state() of the layer in on_epoch_begin of a callback",
        ),
    }
}

impl About {
    /// How a warning begins.
    pub fn words(self) -> &'static str {
        match self {
            About::Training => "not about memory",
            About::GpuMemory => "of GPU memory",
        }
    }
}

/// `a, b, c` as people say it.
fn listed(names: &str) -> String {
    match names.rsplit_once(", ") {
        Some((before, last)) => format!("{before} and {last}"),
        None => names.to_owned(),
    }
}
