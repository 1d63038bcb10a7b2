//! One small run of the program: a process of `nilometer run` without its recorder, in a scratch place.
//!
//! In: the part of the batch. Out: what it said of its fits. What must not happen here: anything that takes memory in the
//! process whose memory is asked for, or a word of the program's on our stdout.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nilometer_plan::{Point, STEPS, Told};

use super::options::PlanOptions;
use crate::env;
use crate::messages::Failure;
use crate::prove::program::Program;
use crate::prove::results::{Folder, facts};
use crate::prove::scratch::{Place, Scratch};
use crate::prove::trial::{LIMITED, entry, free_memory};
use crate::prove::watch::{Running, Watch};
use crate::words::{prove, system};

/// Where the runs take place.
pub(super) struct Bench<'a> {
    pub(super) program: &'a Program,
    pub(super) scratch: &'a Scratch,
    pub(super) folder: &'a Folder,
    pub(super) options: &'a PlanOptions,
    pub(super) python: String,
    pub(super) flags: Vec<String>,
}

/// A run that has ended.
pub(super) struct Ran {
    pub(super) told: Told,
    pub(super) point: Point,
    /// Its time was over.
    pub(super) cut: bool,
    pub(super) log: PathBuf,
    /// Paths outside of its folder that it wanted to write.
    pub(super) outside: Vec<String>,
}

impl Bench<'_> {
    /// Runs the program with a part of its batch, for `most` at most; `steps` end a `fit`.
    pub(super) fn run(
        &self,
        divisor: u64,
        only_one_step: bool,
        most: Duration,
        watch: &mut Watch,
        tick: impl FnMut(Duration),
    ) -> Result<Ran, Failure> {
        let name = format!("batch-by-{divisor}");
        let (capture, log) = self.folder.files(divisor as usize, &name);
        let place = self.scratch.place(self.program, 0, &[])?;
        let steps = if only_one_step { 1 } else { STEPS };
        let mut command = self.command(&place, &capture, divisor, steps)?;
        let out = File::create(&log).and_then(|file| Ok((file.try_clone()?, file)));
        let (out, err) = out.map_err(|error| system::cannot_write(&log, &error))?;
        command.stdin(Stdio::null()).stdout(out).stderr(err).current_dir(&place.folder);
        let child = watch.spawn(&mut command).map_err(|error| system::cannot_start(&self.python, &error))?;
        let ended = watch.follow(vec![Running::new(child, Instant::now() + most)], tick)?.pop();
        let ended = ended.ok_or_else(|| prove::no_run(&name))?;
        let facts = facts(&capture).unwrap_or_default();
        let told = Told::of(&facts);
        let fit = told.largest();
        let point = Point {
            batch: fit.and_then(|fit| fit.batch),
            peak: fit.map(|fit| fit.peak),
            making: fit.map(|fit| fit.making),
            outside: told.outside,
            steps: fit.map_or(0, |fit| fit.steps),
            seconds: ended.took.as_secs_f64(),
            exit_code: ended.status.code().filter(|_| ended.status.signal().is_none()),
        };
        let outside =
            facts.iter().filter(|(key, _)| key.starts_with("prove.outside.")).map(|(_, path)| path.clone());
        let outside = outside.collect();
        Ok(Ran { told, point, cut: ended.cut, log, outside })
    }

    fn command(
        &self,
        place: &Place,
        capture: &std::path::Path,
        divisor: u64,
        steps: u64,
    ) -> Result<Command, Failure> {
        let limit = free_memory(1).map_or("unlimited".to_owned(), |bytes| (bytes >> 10).to_string());
        let mut command = Command::new("/bin/sh");
        command.args(["-c", LIMITED, &limit, &self.python]).args(&self.flags).arg(entry()?);
        command.args(["run", "--quiet", "--no-live", "--no-children", "--no-recorder", "--no-census"]);
        command.args(["--force", "--output"]).arg(capture).arg("--").args(&place.words);
        let batch = self.options.batch.unwrap_or(0);
        let mut lines = OsString::from(format!("plan {divisor} {batch} {steps}\n"));
        if !self.options.yes {
            for allowed in [place.own.as_path(), self.folder.path()] {
                lines.push("allow ");
                lines.push(allowed);
                lines.push("\n");
            }
        }
        command.env(env::TRIAL, lines).env("TMPDIR", &place.temporary).env("PWD", &place.folder);
        Ok(command)
    }
}
