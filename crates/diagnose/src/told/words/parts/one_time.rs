//! Rises that came once, in words.
//!
//! In: the phase that a rise came in, or its cycle. Out: a sentence without its full stop. What must not happen here: a decision.

use crate::pack::Packs;
use crate::phases::{BEFORE_RECORDING, OWN_WORK};

/// Copies of the data that a program gave to `fit()`: elements of it, and bytes of all copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copies {
    pub(crate) elements: f64,
    pub(crate) bytes: f64,
}

/// A rise before the cycles. `copies` explain it, if there are any; `is_imported`: most of it was made below an import. A framework has the
/// words for its own phases.
pub(crate) fn one_time(phase: &str, copies: Option<Copies>, is_imported: bool, packs: Packs) -> String {
    let copying = packs.iter().filter_map(|pack| pack.copies).find(|copying| copying.phase == phase);
    if let (Some(copying), Some(copies)) = (copying, copies) {
        return (copying.words)(copies.elements, copies.bytes);
    }
    let of_pack = packs.iter().flat_map(|pack| pack.phases).find(|(own, _)| *own == phase);
    if let Some((_, words)) = of_pack {
        return (*words).to_owned();
    }
    match phase {
        "first_batch" => {
            "graph, kernels, optimizer variables and thread pools, made with the first batch".to_owned()
        }
        "import" => "code and tables of the imported libraries".to_owned(),
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
