//! A report to the screen and to JSON. One file per format; words and numbers come from the diagnosis, never from here.

mod findings;
mod json;
mod live;
mod terminal;
mod wrap;

pub use json::json;
pub use live::live_line;
pub use terminal::terminal;

/// How a report is drawn on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns.
    pub width: usize,
    /// Whether escapes for colour may be used. Nothing is said in colour alone.
    pub color: bool,
}
