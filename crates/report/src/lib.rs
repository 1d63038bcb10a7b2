//! A report in every form: one file per format. Words and numbers come from the diagnosis; the few words of a form's own
//! stand in `words`.

mod brief;
mod card;
mod children;
mod claim;
mod collapsed;
mod columns;
mod devices;
mod diff;
mod endpoints;
mod exposition;
mod findings;
mod firefox;
mod github;
mod headline;
mod holders;
mod html;
mod json;
mod jsonl;
mod junit;
mod live;
mod markdown;
mod measures;
mod openmetrics;
mod otlp;
mod parquet;
mod picture;
mod plan;
mod pprof;
mod protobuf;
mod prove;
mod redact;
mod render_input;
mod sarif;
mod sparkline;
mod speedscope;
mod status;
mod status_table;
mod stillborn;
mod tensorboard;
mod terminal;
mod thrift;
mod verbose;
mod warnings;
mod words;
mod wrap;

pub use brief::brief;
pub use card::card;
pub use collapsed::collapsed;
pub use diff::{diff_json, diff_terminal};
pub use exposition::Form;
pub use firefox::firefox;
pub use github::github;
pub use holders::holders;
pub use html::{
    HtmlOptions, Served, ServedPage, Shelf, ShelfItem, diff_html, html, proved_html, served_data,
    served_diff, served_html, shelf_data, shelf_html,
};
pub use json::json;
pub use jsonl::jsonl;
pub use junit::junit;
pub use live::live_line;
pub use markdown::markdown;
pub use measures::{Evaluations, metrics};
pub use openmetrics::openmetrics;
pub use otlp::otlp;
pub use parquet::parquet;
pub use plan::{plan, plan_json};
pub use pprof::pprof;
pub use prove::{prove, prove_json};
pub use redact::redact;
pub use render_input::{RenderInput, Weight};
pub use sarif::sarif;
pub use speedscope::speedscope;
pub use status::{Service, Status, TopEndpoint, TopFinding, status_json, statuses};
pub use status_table::status_table;
pub use tensorboard::{
    tensorboard, tensorboard_cycles, tensorboard_end, tensorboard_restart, tensorboard_start,
};
pub use terminal::{terminal, terminal_verbose};
pub use wrap::wrap as wrapped;

/// How a report is drawn on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns.
    pub width: usize,
    /// Whether escapes for colour may be used. Nothing is said in colour alone.
    pub color: bool,
}
