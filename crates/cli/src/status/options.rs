//! The options of `nilometer status`.

use clap::{Args, ValueEnum};

/// `nilometer status`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "With --exit-code the exit code is 1 if any of them leaks. Else it is 2 if nothing is recorded or a capture cannot be \
                  read. Else it is 0: no leak, or undecided. An argument that names nothing is always 2."
)]
pub(crate) struct StatusOptions {
    /// A process id, a folder with captures, or a capture [default: all recorded processes of yours that run]
    #[arg(value_name = "PID|DIR|CAPTURE")]
    pub(crate) what: Option<String>,
    /// Show it again and again, until Ctrl-C
    #[arg(short, long)]
    pub(crate) watch: bool,
    /// Its form
    #[arg(long, value_enum, default_value_t = StatusFormat::Terminal)]
    pub(crate) format: StatusFormat,
    /// Leave out workers that have ended, which take a moment each
    #[arg(long, hide = true)]
    pub(crate) running_only: bool,
    /// Tell by the exit code whether anything leaks
    #[arg(long, conflicts_with = "watch")]
    pub(crate) exit_code: bool,
}

/// Forms of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusFormat {
    /// For people
    Terminal,
    /// For programs: a document per line
    Json,
}
