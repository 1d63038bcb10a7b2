//! The words of `nilometer prove`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use nilometer_prove::Intervention;

use crate::words::values;
use crate::{own, quantity};

/// `nilometer prove`.
#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "nilometer prove [OPTIONS] SCRIPT [ARGS]...\n       nilometer prove [OPTIONS] -m MODULE [ARGS]...\n       \
                      nilometer prove [OPTIONS] CAPTURE.nilo",
    after_help = "Everything from SCRIPT, -m or -c on belongs to the program, as with `python`; a capture says \
                  itself which program it is of.\n\
                  The program runs in copies of its folder and can write nowhere else, unless --yes says that it may."
)]
pub(crate) struct ProveOptions {
    /// An intervention to try, before and instead of the checklist; can be given again. callback:NAME, callbacks,
    /// validation, repeated-batch, gc, ...: docs/prove.md has all
    #[arg(long = "try", visible_alias = "without", value_name = "NAME", value_parser = intervention)]
    pub(crate) tries: Vec<Intervention>,
    /// Your own change: this file in the script's place
    #[arg(long, value_name = "PATCHED.py")]
    pub(crate) with: Option<PathBuf>,
    /// The time for all experiments together: 90s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = time)]
    pub(crate) budget: Duration,
    /// Epochs of each run, at least; after them training is stopped
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u64).range(10..))]
    pub(crate) cycles: u64,
    /// A package of your own although it is installed, as `import` names it; can be given again. Its lines are then named as yours
    /// (docs/howto/installed-code.md)
    #[arg(long, value_name = "PACKAGE", value_parser = own::package)]
    pub(crate) own: Vec<String>,
    /// Where the runs take place; ray: on the nodes of a Ray cluster that is there already
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = On::Here)]
    pub(crate) on: On,
    /// Experiments at once
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub(crate) jobs: usize,
    /// Memory that each run may take [default: most of what is free, shared by the jobs]
    #[arg(long, value_name = "SIZE", value_parser = quantity::sample)]
    pub(crate) memory: Option<u64>,
    /// Mean bytes between two samples of allocated memory
    #[arg(long, value_name = "SIZE", default_value = "512K", value_parser = quantity::sample)]
    pub(crate) sample: u64,
    /// Let the program write outside of its folder, and copy folders of any size
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t = ProveFormat::Terminal)]
    pub(crate) format: ProveFormat,
    /// Also a page: the report of the first run, with what the experiments showed; prove.html, beside the captures
    #[arg(long)]
    pub(crate) html: bool,
    /// The folder for the captures [default: nilometer-prove-SCRIPT.PID in the current folder]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// The program: what `python` would get, or a capture.
    #[arg(skip)]
    pub(crate) program: Vec<OsString>,
}

/// Where runs take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum On {
    /// On this machine
    Here,
    /// On a Ray cluster, the one that Ray finds or `RAY_ADDRESS` names
    Ray,
}

/// Forms of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProveFormat {
    /// For people, on a screen
    Terminal,
    /// For programs: docs/prove.schema.json
    Json,
}

fn intervention(word: &str) -> Result<Intervention, String> {
    word.parse()
}

fn jobs(word: &str) -> Result<usize, String> {
    let jobs = word.parse::<usize>().ok().filter(|jobs| (1..=64).contains(jobs));
    jobs.ok_or_else(values::jobs)
}

/// `90`, `90s`, `10m`, `1.5h`.
pub(crate) fn time(word: &str) -> Result<Duration, String> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match word.get(digits.len()..).unwrap_or_default() {
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(values::time()),
    };
    let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let seconds = digits.parse::<f64>().ok().filter(|_| plain).map(|number| number * unit);
    match seconds.filter(|seconds| (1.0..=1e6).contains(seconds)) {
        Some(seconds) => Ok(Duration::from_secs_f64(seconds)),
        None => Err(values::time_range()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (word, seconds) in [("90", 90), ("90s", 90), ("10m", 600), ("1.5h", 5400), ("2min", 120)] {
            assert_eq!(time(word), Ok(Duration::from_secs(seconds)), "{word}");
        }
        for word in ["", "s", "-1", "0", "1d", "inf", "1e3", "9999999h"] {
            assert!(time(word).is_err(), "{word}");
        }
    }
}
