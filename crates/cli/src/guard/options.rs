//! The words of `nilometer guard`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::{own, quantity};

/// `nilometer guard`.
#[derive(Clone, Debug, Default, Args)]
#[command(
    override_usage = "nilometer guard [OPTIONS] SCRIPT [ARGS]...\n       nilometer guard [OPTIONS] -m MODULE [ARGS]...\n       \
                      nilometer guard --dry-run CAPTURE",
    after_help = "Everything from SCRIPT, -m or -c on belongs to the program, as with `python`.\n\
                  Exit code 75 says that training was saved and stopped; --resume FOLDER goes on there (docs/guard.md)."
)]
pub(crate) struct GuardOptions {
    /// Memory to keep free for saving: a size, or auto: measured by saving once after the first epoch
    #[arg(long, value_name = "SIZE", default_value = "auto", value_parser = reserve)]
    pub(crate) reserve: Reserve,
    /// A limit lower than those of the machine, on the memory of the program and its children
    #[arg(long, value_name = "SIZE", value_parser = quantity::size)]
    pub(crate) limit: Option<u64>,
    /// Start the program again after a stop, at most N times
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) restart: u32,
    /// Go on from the checkpoint in this folder, and save there; begin at the first epoch where it holds none
    #[arg(long, value_name = "FOLDER")]
    pub(crate) resume: Option<PathBuf>,
    /// Say what the guard would have done in this run, and run nothing
    #[arg(long, value_name = "CAPTURE", conflicts_with_all = ["restart", "resume", "output"])]
    pub(crate) dry_run: Option<PathBuf>,
    /// A package of your own although it is installed, as `import` names it; can be given again. Its lines are then named as yours
    /// (docs/howto/installed-code.md)
    #[arg(long, value_name = "PACKAGE", value_parser = own::package)]
    pub(crate) own: Vec<String>,
    /// The capture's name, as `run` has it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the capture if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
    /// No live line at the bottom of the terminal
    #[arg(long)]
    pub(crate) no_live: bool,
    /// Print no report at the end, only what the guard did
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The program: what `python` would get.
    #[arg(skip)]
    pub(crate) program: Vec<OsString>,
}

/// What saving needs, in bytes; none where it is to be measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reserve(pub(crate) Option<u64>);

fn reserve(word: &str) -> Result<Reserve, String> {
    if word == "auto" {
        return Ok(Reserve(None));
    }
    quantity::size(word)
        .map(|bytes| Reserve(Some(bytes)))
        .map_err(|wrong| crate::words::values::reserve(&wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_is_a_size_or_measured() {
        assert_eq!(reserve("auto"), Ok(Reserve(None)));
        assert_eq!(reserve("64M"), Ok(Reserve(Some(64 << 20))));
        assert!(reserve("much").is_err());
    }
}
