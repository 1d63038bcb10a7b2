//! The words of `nilometer fix`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::prove::options::{On, ProveFormat, ProveOptions, time};
use crate::{own, quantity};

/// `nilometer fix`.
#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "nilometer fix [OPTIONS] SCRIPT [ARGS]...\n       nilometer fix [OPTIONS] -m MODULE [ARGS]...\n       \
                      nilometer fix [OPTIONS] CAPTURE.nilo",
    after_help = "Everything from SCRIPT or -m on belongs to the program, as with `python`; a capture says itself which \
                  program it is of.\n\
                  The program runs in copies of its folder, as with `nilometer prove`. Nothing of yours is changed \
                  without --write."
)]
pub(crate) struct FixOptions {
    /// Change the files, if the patch was proven
    #[arg(short, long)]
    pub(crate) write: bool,
    /// The time for all runs together: 90s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = time)]
    pub(crate) budget: Duration,
    /// Epochs of each run, at least; after them training is stopped
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u64).range(10..))]
    pub(crate) cycles: u64,
    /// A package of your own although it is installed, as `import` names it; can be given again. Its lines are then named as yours
    /// (docs/howto/installed-code.md)
    #[arg(long, value_name = "PACKAGE", value_parser = own::package)]
    pub(crate) own: Vec<String>,
    /// Memory that each run may take [default: most of what is free]
    #[arg(long, value_name = "SIZE", value_parser = quantity::sample)]
    pub(crate) memory: Option<u64>,
    /// Mean bytes between two samples of allocated memory
    #[arg(long, value_name = "SIZE", default_value = "64K", value_parser = quantity::sample)]
    pub(crate) sample: u64,
    /// Let the program write outside of its folder, and copy folders of any size
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t = ProveFormat::Terminal)]
    pub(crate) format: ProveFormat,
    /// The folder for the captures [default: nilometer-fix-SCRIPT.PID in the current folder]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// The program: what `python` would get, or a capture.
    #[arg(skip)]
    pub(crate) program: Vec<OsString>,
}

impl FixOptions {
    /// What its experiments are made with.
    pub(crate) fn experiments(&self) -> ProveOptions {
        ProveOptions {
            tries: Vec::new(),
            with: None,
            budget: self.budget,
            cycles: self.cycles,
            own: self.own.clone(),
            on: On::Here,
            jobs: 1,
            memory: self.memory,
            sample: self.sample,
            yes: self.yes,
            format: self.format,
            html: false,
            output: self.output.clone(),
            program: self.program.clone(),
        }
    }
}
