//! A report in every form: one file per format. Words and numbers come from the diagnosis, never from here.

mod checksum;
mod collapsed;
mod findings;
mod firefox;
mod html;
mod json;
mod jsonl;
mod live;
mod markdown;
mod material;
mod picture;
mod pprof;
mod protobuf;
mod redact;
mod sparkline;
mod speedscope;
mod tensorboard;
mod terminal;
mod wrap;

pub use collapsed::collapsed;
pub use firefox::firefox;
pub use html::{HtmlOptions, html};
pub use json::json;
pub use jsonl::jsonl;
pub use live::live_line;
pub use markdown::markdown;
pub use material::{Material, Weight};
pub use pprof::pprof;
pub use redact::redact;
pub use speedscope::speedscope;
pub use tensorboard::tensorboard;
pub use terminal::terminal;

/// How a report is drawn on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns.
    pub width: usize,
    /// Whether escapes for colour may be used. Nothing is said in colour alone.
    pub color: bool,
}
