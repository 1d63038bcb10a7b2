//! The words of `nilometer plan`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::{prove, quantity};

/// `nilometer plan`.
#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "nilometer plan [OPTIONS] SCRIPT [ARGS]...\n       nilometer plan [OPTIONS] -m MODULE [ARGS]...",
    after_help = "Everything from SCRIPT, -m or -c on belongs to the program, as with `python`.\n\
                  The program runs in copies of its folder and can write nowhere else, unless --yes says that it may.\n\
                  The exit code is 0 if the batch fits, 1 if it does not, may not or cannot be planned."
)]
pub(crate) struct PlanOptions {
    /// The batch to plan for [default: the program's own]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub(crate) batch: Option<u64>,
    /// The memory that the training may take [default: the cgroup's limit, else the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = quantity::size)]
    pub(crate) limit: Option<u64>,
    /// Only what can be counted: weights, optimizer, gradients, copies of the data; one run
    #[arg(long = "static")]
    pub(crate) only_exact: bool,
    /// The time for all runs together: 90s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = prove::options::time)]
    pub(crate) budget: Duration,
    /// Let the program write outside of its folder, and copy folders of any size
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t = PlanFormat::Terminal)]
    pub(crate) format: PlanFormat,
    /// The folder for the runs' captures and words [default: nilometer-plan-SCRIPT.PID in the current folder]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// The program: what `python` would get.
    #[arg(skip)]
    pub(crate) program: Vec<OsString>,
}

/// Forms of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// For people, on a screen
    Terminal,
    /// For programs: docs/plan.schema.json
    Json,
}
