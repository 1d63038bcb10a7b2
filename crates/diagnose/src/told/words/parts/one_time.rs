//! Rises that came once, in words.
//!
//! In: the phase that a rise came in, or its cycle. Out: a sentence without its full stop. What must not happen here: a decision.

use crate::phases::{BEFORE_RECORDING, OWN_WORK};
use crate::sizes::size;

/// Copies of the data that a program gave to `fit()`: elements of it, and bytes of all copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copies {
    pub(crate) elements: f64,
    pub(crate) bytes: f64,
}

/// A rise before the cycles. `copies` explain it, if there are any; `is_imported`: most of it was made below an import.
pub(crate) fn one_time(phase: &str, copies: Option<Copies>, is_imported: bool) -> String {
    match phase {
        "fit_entry" => match copies {
            Some(copies) => format!(
                "Keras copies x and y to float32 twice (2 x {:.1} M elements x 4 B = {}) and sets up training",
                copies.elements / 1e6,
                size(copies.bytes)
            ),
            None => "Keras prepares the data and the training loop".to_owned(),
        },
        "first_batch" => {
            "graph, kernels, optimizer variables and thread pools, made with the first batch".to_owned()
        }
        "import" => "code and tables of the imported libraries".to_owned(),
        "first_op" => "TensorFlow's runtime, started by the first operation".to_owned(),
        "build" => "the model: its weights, and what the framework sets up with them".to_owned(),
        "validation" => "the first validation: its graph and its copy of the data".to_owned(),
        "predict" => "the first predict(): its graph and buffers".to_owned(),
        "evaluate" => "the first evaluate(): its graph and buffers".to_owned(),
        "trace" => "graphs traced from Python functions".to_owned(),
        "epoch" => "the rest of the first epochs: kernels and buffers at their first use".to_owned(),
        BEFORE_RECORDING => {
            "memory from before the recording began; nobody saw which code made it".to_owned()
        }
        OWN_WORK if is_imported => {
            "modules that libraries import at their first use, before the cycles: code and tables".to_owned()
        }
        OWN_WORK => "the program's own data and objects, made before the cycles".to_owned(),
        other => format!("made in the phase \"{other}\""),
    }
}

/// A rise after start-up, at the end of this cycle.
pub(crate) fn mid_run(unit: &str, cycle: u64) -> String {
    format!("memory that came with {unit} {cycle} and stays")
}

/// What the cells of a notebook left that left least.
pub(crate) fn other_cells() -> &'static str {
    "left by the other cells of the notebook"
}
