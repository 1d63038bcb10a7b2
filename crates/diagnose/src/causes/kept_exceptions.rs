//! Exceptions that are kept, with the frames of their tracebacks.
//!
//! Evidence: the path to the memory leads through a traceback, or the holder holds exceptions. An exception keeps its
//! traceback, that keeps the frames it went through, and these keep all their variables: batches, models, gradients.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let elements = case.elements();
    let through = path.full.names().any(|name| matches!(name, "__traceback__" | "__context__"));
    let mut words = elements.split([' ', ',', '(', ')']);
    if !through && !words.any(is_exception) {
        return None;
    }
    Some(Explanation {
        sentence: format!(
            "{} keeps exceptions, and each keeps the variables of the functions it went through",
            name(case)
        ),
        change: "keep the text, not the exception: `errors.append(repr(error))`; or drop its frames with \
                 `error.with_traceback(None)`"
            .to_owned(),
        ..Explanation::default()
    })
}

/// Whether this type is of exceptions or tracebacks; losses and metrics are called errors, too.
fn is_exception(word: &str) -> bool {
    const MEASURES: [&str; 4] = ["SquaredError", "AbsoluteError", "PercentageError", "LogarithmicError"];
    let is_error = word.ends_with("Error") && !MEASURES.iter().any(|measure| word.ends_with(measure));
    is_error || word.ends_with("Exception") || matches!(word, "exception" | "traceback")
}

fn name<'a>(case: &'a Case) -> &'a str {
    case.path.as_ref().map(|p| p.name).filter(|n| !n.is_empty()).unwrap_or("something")
}
