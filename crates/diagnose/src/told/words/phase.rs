//! Phases, in words: as a place of a growth, and as the end of a finding's sentence.
//!
//! In: the name of a phase. Out: words for it. What must not happen here: a decision which phase it is.

use crate::phases::OWN_WORK;

/// Where most of a growth is made.
pub(crate) fn place(phase: &str) -> String {
    match phase {
        "fit" | "predict" | "evaluate" => format!("inside {phase}()"),
        "epoch" => "in the epochs themselves: training steps and callbacks".to_owned(),
        "validation" => "during validation".to_owned(),
        "fit_entry" => "entering fit()".to_owned(),
        "first_batch" => "in the first batch of each fit()".to_owned(),
        "trace" => "while functions are traced".to_owned(),
        "build" => "while models are built".to_owned(),
        other => format!("in the phase \"{other}\""),
    }
}

/// When a line makes its memory: `, in predict()`; nothing for the program's own work.
pub(crate) fn during(phase: &str) -> String {
    match phase {
        OWN_WORK | "epoch" => String::new(),
        "fit" | "predict" | "evaluate" => format!(", in {phase}()"),
        "validation" => ", in validation".to_owned(),
        "fit_entry" => ", entering fit()".to_owned(),
        "first_batch" => ", in the first batch of each fit()".to_owned(),
        "trace" => ", while functions are traced".to_owned(),
        "build" => ", while models are built".to_owned(),
        other => format!(", in the phase \"{other}\""),
    }
}
