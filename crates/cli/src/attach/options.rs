//! The options of `nilometer attach` and `nilometer detach`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::own;
use crate::prove::options::time;

/// `nilometer attach`.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
#[command(
    after_help = "Ctrl-C detaches; the program goes on. docs/attach.md says what is needed, and what cannot be seen."
)]
pub(crate) struct AttachOptions {
    /// The process id of a running Python program
    pub(crate) pid: u32,
    /// The capture's name [default: nilometer-SCRIPT.PID.nilo in the current folder]; {pid} in it stands for the process id
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the capture if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Detach after this time: 90s, 10m, 1h [default: when the program ends, or at Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    pub(crate) time: Option<Duration>,
    /// Detach as soon as the verdict is leak or no leak
    #[arg(long)]
    pub(crate) until_verdict: bool,
    /// Also sample allocations, to tell the lines that make what stays
    #[arg(long)]
    pub(crate) record: bool,
    /// A package of your own although it is installed, as `import` names it; can be given again. Its lines are then named as yours
    /// (docs/howto/installed-code.md)
    #[arg(long, value_name = "PACKAGE", value_parser = own::package)]
    pub(crate) own: Vec<String>,
    /// The longest that the program may be held up to look at who holds its memory, in milliseconds
    #[arg(long, value_name = "MS", default_value = "150", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) max_pause: u32,
    /// Never look at who holds the memory by itself; only when asked
    #[arg(long, conflicts_with = "max_pause")]
    pub(crate) no_census: bool,
    /// No live line at the bottom of the terminal
    #[arg(long)]
    pub(crate) no_live: bool,
    /// Print no report at the end, only where the capture is
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// `nilometer detach`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DetachOptions {
    /// The process id of a program that `nilometer attach` came to
    pub(crate) pid: u32,
}
