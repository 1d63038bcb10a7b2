//! The options of the commands that read captures.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::format::Format;
use crate::{own, quantity};

/// `nilometer report`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportOptions {
    /// The capture, a file ending in .nilo
    pub(crate) file: PathBuf,
    /// Its form
    #[arg(long, value_enum, default_value_t = Format::Terminal)]
    format: Format,
    /// A page for a browser: the same as --format html
    #[arg(long, conflicts_with = "format")]
    html: bool,
    /// The file or folder to write to; - is stdout, where every form but html goes if nothing is said
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Leave out folders, arguments and lines of source
    #[arg(long)]
    pub(crate) redact: bool,
    /// What to count growth by: `epoch`, `request`, `call`, `line`, 'line:round *', `loop`, `window`, ...
    #[arg(long, value_name = "UNIT")]
    pub(crate) cycle: Option<String>,
    /// A package of the user's own although it is installed, beside those that the recording names; can be given again. Who holds memory
    /// was looked for while the program ran: give it to `run`, too
    #[arg(long, value_name = "PACKAGE", value_parser = own::package)]
    pub(crate) own: Vec<String>,
    /// On a screen: all findings, their stacks, who holds what, how the sampling went
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// What a stack weighs, in forms that have one number for it
    #[arg(long, value_enum, default_value_t = Weight::Live)]
    pub(crate) weight: Weight,
}

impl ReportOptions {
    pub(crate) fn format(&self) -> Format {
        if self.html { Format::Html } else { self.format }
    }
}

/// What a stack weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weight {
    /// Bytes that live at the end
    Live,
    /// Bytes that stay per cycle
    Growth,
}

impl From<Weight> for nilometer_report::Weight {
    fn from(weight: Weight) -> Self {
        match weight {
            Weight::Live => Self::Live,
            Weight::Growth => Self::Growth,
        }
    }
}

/// `nilometer diff`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The exit code is 1 with --fail-on-growth if B surely grows more per cycle than A, 2 if something \
                        could not be read, else 0."
)]
pub(crate) struct DiffOptions {
    /// The capture before
    pub(crate) a: PathBuf,
    /// The capture after
    pub(crate) b: PathBuf,
    /// Its form
    #[arg(long, value_enum, default_value_t = DiffFormat::Terminal)]
    format: DiffFormat,
    /// A page for a browser: the same as --format html
    #[arg(long, conflicts_with = "format")]
    html: bool,
    /// The file or folder to write to; - is stdout, where every form but html goes if nothing is said
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Fail if B surely grows more per cycle than A, by more than SIZE
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true, default_missing_value = "0",
          value_parser = quantity::size)]
    pub(crate) fail_on_growth: Option<u64>,
}

impl DiffOptions {
    pub(crate) fn format(&self) -> DiffFormat {
        if self.html { DiffFormat::Html } else { self.format }
    }
}

/// Forms of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people, on a screen
    Terminal,
    /// A page for a browser
    Html,
    /// For programs: docs/diff.schema.json
    Json,
}

impl DiffFormat {
    /// What stands behind the names of the captures in the name of its file.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Terminal => "txt",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

/// `nilometer serve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "The link works once, in one browser. Captures are only read. Ctrl-C ends it.")]
pub(crate) struct ServeOptions {
    /// A capture, or a folder with captures
    #[arg(value_name = "FILE|DIR")]
    pub(crate) what: PathBuf,
    /// The port to listen on; 0 is any that is free
    #[arg(short, long, default_value_t = 0)]
    pub(crate) port: u16,
    /// The address to listen on; any but this machine's own can be reached by others, who need the link
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
}

/// `nilometer census`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CensusOptions {
    /// The process id of a program under `nilometer run`, or its capture
    #[arg(value_name = "PID|FILE")]
    pub(crate) target: String,
    /// How long to wait for the program's answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) wait: u64,
    /// How to print it
    #[arg(long, value_enum, default_value_t = CensusFormat::Terminal)]
    pub(crate) format: CensusFormat,
}

/// Forms of a census.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CensusFormat {
    /// For people
    Terminal,
    /// The whole report, for programs
    Json,
}
