//! Handlers of `logging` that are added again and again, or one that keeps every record.
//!
//! Evidence: the path leads through a logger's `handlers`, or the holder is the buffer of a handler. Anybody's bus of events has `handlers`, so the
//! path must begin in `logging`, the owner must be a logger, or handlers of `logging` or records must be what is kept.

use nilometer_model::Step;

use super::{Case, Explanation};

/// Ends of the names of handlers' classes: the standard library's, and what is derived from them.
const HANDLERS: [&str; 5] = ["StreamHandler", "FileHandler", "MemoryHandler", "QueueHandler", "RichHandler"];

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let owner = case.finding.holder.as_ref().map_or("", |holder| holder.owner.as_str());
    let of_logger = path.full.words().starts_with("logging.") || owner.ends_with("Logger");
    let of_logging = of_logger || HANDLERS.iter().any(|class| case.elements().contains(class));
    let has_records = case.elements().contains("LogRecord");
    let is_handlers = (of_logging || has_records)
        && (path.name == "handlers" || path.full.leads_into(|name| name == "handlers"));
    let is_buffer = path.name == "buffer" && has_records;
    if !is_handlers && !is_buffer {
        return None;
    }
    let mut pairs = path.full.steps().zip(path.full.steps().skip(1));
    let grows = pairs.any(|pair| pair == (Step::Attribute("handlers"), Step::Each));
    let (sentence, change) = if grows {
        (
            "a logger gets one more handler with every turn, and keeps them all",
            "add the handler once, when the program begins, or take it off again with `logger.removeHandler(handler)` and \
             `handler.close()`",
        )
    } else {
        (
            "a handler of logging keeps every record that it was given",
            "give it a target that it can flush to, or a capacity (`logging.handlers.MemoryHandler(1000, target=...)`), and keep \
             arrays out of the records' arguments",
        )
    };
    Some(Explanation { sentence: sentence.to_owned(), change: change.to_owned(), ..Explanation::default() })
}
