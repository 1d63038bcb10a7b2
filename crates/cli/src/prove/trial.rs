//! One run of the program: a process of `nilometer run` in a scratch place, with the private variable that tells the
//! boot what to change.
//!
//! In: trials. Out: what each left. Trials handed in together run at once.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nilometer_host::memory::Machine;
use nilometer_prove::Intervention;

use super::cluster::{Cluster, Job};
use super::options::{On, ProveOptions};
use super::program::Program;
use super::progress::Progress;
use super::results::{Folder, Read, Result as Ran};
use super::scratch::{Patch, Place, Scratch};
use super::watch::{Running, Watch};
use crate::env;
use crate::messages::Failure;
use crate::words::program::no_package;
use crate::words::{prove, system};

/// A run to be made.
pub(crate) struct Trial {
    pub(crate) name: String,
    pub(crate) set: Vec<Intervention>,
    /// It is to look at what there is to change.
    pub(crate) survey: bool,
    /// Files in the places of the program's own.
    pub(crate) patches: Vec<Patch>,
    /// Least and most epochs of a `fit`, and the time after which the least are enough.
    epochs: (u64, u64, Duration),
}

impl Trial {
    pub(crate) fn new(name: &str, set: Vec<Intervention>, epochs: (u64, u64, Duration)) -> Self {
        Self { name: name.to_owned(), set, survey: false, patches: Vec::new(), epochs }
    }
}

/// The words that run a trial, and the variables that are set for it.
pub(crate) struct Line {
    pub(crate) words: Vec<OsString>,
    pub(crate) environment: Vec<(&'static str, OsString)>,
}

/// Where trials are run.
pub(crate) struct Bench<'a> {
    program: &'a Program,
    scratch: &'a Scratch,
    folder: &'a Folder,
    python: String,
    flags: Vec<String>,
    entry: PathBuf,
    options: &'a ProveOptions,
    /// Of each run, in bytes.
    memory: Option<u64>,
    /// What the program writes to stdout goes to a file of its own.
    pub(crate) apart: bool,
    /// Garbage is collected in each cycle of every run.
    pub(crate) collects: bool,
    /// Where runs take place, if not here.
    pub(crate) cluster: Option<Cluster>,
    number: usize,
}

/// Of the memory that is free, for all runs together.
const MAX_MEMORY_RATIO: f64 = 0.8;
/// Sets a limit on what a process may take, then becomes it. Softly: where a lower one stands already, that one stays.
pub(crate) const LIMITED: &str = r#"ulimit -S -d "$0" 2>/dev/null; exec "$@""#;

/// The file that is the command, for runs of our own.
pub(crate) fn entry() -> Result<PathBuf, Failure> {
    let package = env::get(env::PACKAGE).map(PathBuf::from);
    package.map(|package| package.join("__main__.py")).ok_or_else(no_package)
}

/// What each of `jobs` runs may take of the memory that is free, in bytes.
pub(crate) fn free_memory(jobs: usize) -> Option<u64> {
    let free = Machine::open().meminfo(&mut Vec::new()).available?;
    Some((free as f64 * MAX_MEMORY_RATIO / jobs as f64) as u64)
}

impl<'a> Bench<'a> {
    pub(crate) fn new(
        program: &'a Program,
        scratch: &'a Scratch,
        folder: &'a Folder,
        python: String,
        flags: Vec<String>,
        options: &'a ProveOptions,
    ) -> Result<Self, Failure> {
        let entry = entry()?;
        // What is free here says nothing of other machines.
        let memory = options.memory.or_else(|| free_memory(options.jobs).filter(|_| options.on == On::Here));
        Ok(Self {
            program,
            scratch,
            folder,
            python,
            flags,
            entry,
            options,
            memory,
            apart: false,
            collects: false,
            cluster: None,
            number: 0,
        })
    }

    /// The program's words, for people.
    pub(crate) fn words(&self) -> Vec<String> {
        self.program.words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Runs all of them at once, each for `most` at most.
    pub(crate) fn run(
        &mut self,
        trials: Vec<Trial>,
        most: Duration,
        watch: &mut Watch,
        progress: &mut Progress,
    ) -> Result<Vec<Ran>, Failure> {
        let mut running = Vec::new();
        let mut files = Vec::new();
        for (slot, trial) in trials.iter().enumerate() {
            self.number += 1;
            let (capture, log) = self.folder.files(self.number, &trial.name);
            let place = self.scratch.place(self.program, slot, &self.patches(trial))?;
            let mut command = self.command(trial, &place, &capture)?;
            let out = log.with_extension("out");
            let words = File::create(&log).and_then(|file| {
                Ok((if self.apart { File::create(&out)? } else { file.try_clone()? }, file))
            });
            let (out, err) = words.map_err(|error| system::cannot_write(&log, &error))?;
            command.stdin(Stdio::null()).stdout(out).stderr(err).current_dir(&place.folder);
            let child = watch.spawn(&mut command).map_err(|error| system::cannot_start(&self.python, &error));
            match child {
                Ok(child) => running.push(Running::new(child, Instant::now() + most)),
                Err(failure) => {
                    watch.end_all(&mut running);
                    return Err(failure);
                }
            }
            files.push((capture, log, place.pairs));
        }
        let names: Vec<&str> = trials.iter().map(|trial| trial.name.as_str()).collect();
        let ended = watch.follow(running, |took| progress.running(self.number, &names, took))?;
        let mut out = Vec::new();
        for ((trial, (capture, log, pairs)), ended) in trials.into_iter().zip(files).zip(ended) {
            let read = match Read::of(&capture) {
                Ok(read) => read,
                Err(_) if watch.interrupted().is_some() => {
                    return Err(prove::interrupted_early());
                }
                Err(_) => {
                    return Err(prove::no_capture(&trial.name, &log));
                }
            };
            out.push(Ran {
                name: trial.name,
                set: trial.set,
                patches: trial.patches,
                pairs,
                report: read.report,
                facts: read.facts,
                board: read.board,
                took: ended.took,
                exit_code: ended.status.code().filter(|_| ended.status.signal().is_none()),
                cut: ended.cut,
                capture,
                log,
            });
        }
        Ok(out)
    }

    /// The user's own change of the script, or those that the trial brings.
    fn patches(&self, trial: &Trial) -> Vec<Patch> {
        let own = self.program.script.clone().zip(self.program.patched.clone());
        let own = own.filter(|_| trial.set.iter().any(Intervention::is_patched));
        own.into_iter().chain(trial.patches.iter().cloned()).collect()
    }

    /// The process to follow: the run itself, or one that follows it on a node.
    fn command(&self, trial: &Trial, place: &Place, capture: &Path) -> Result<Command, Failure> {
        let line = self.line(trial, place, capture);
        let Some(cluster) = &self.cluster else {
            let (first, words) = line.words.split_first().ok_or_else(|| prove::no_run(&trial.name))?;
            let mut command = Command::new(first);
            command.args(words).envs(line.environment);
            return Ok(command);
        };
        let job = Job { line: &line, place, capture, entry: &self.entry, memory: self.memory };
        let name = format!("{}.json", self.number);
        Ok(cluster.follow(&self.scratch.keep(&name, &job.text(cluster))?))
    }

    fn line(&self, trial: &Trial, place: &Place, capture: &Path) -> Line {
        let limit = self.memory.map_or("unlimited".to_owned(), |bytes| (bytes >> 10).to_string());
        let mut words: Vec<OsString> =
            ["/bin/sh", "-c", LIMITED, &limit, &self.python].map(OsString::from).into();
        words.extend(self.flags.iter().map(OsString::from));
        words.push(self.entry.clone().into());
        words.extend(
            ["run", "--quiet", "--no-live", "--no-children", "--force", "--sample"].map(OsString::from),
        );
        words.push(self.options.sample.to_string().into());
        for package in self.options.own.iter().chain(&self.program.own) {
            words.extend(["--own", package].map(OsString::from));
        }
        words.push("--output".into());
        words.push(capture.into());
        words.push("--".into());
        words.extend(place.words.iter().cloned());
        let mut environment = vec![
            (env::TRIAL, self.lines(trial, place)),
            ("TMPDIR", place.temporary.clone().into()),
            ("PWD", place.folder.clone().into()),
        ];
        if trial.set.iter().any(|one| one.name() == "jemalloc") {
            environment.push((env::LD_PRELOAD, "libjemalloc.so.2".into()));
        }
        Line { words, environment }
    }

    /// What the boot is told.
    fn lines(&self, trial: &Trial, place: &Place) -> OsString {
        let (least, most, enough) = trial.epochs;
        let mut text = OsString::from(format!("stop {least} {most} {}\n", enough.as_secs_f64()));
        if trial.survey {
            text.push("try survey\n");
        }
        if self.collects && !trial.set.iter().any(|one| one.name() == "gc") {
            text.push("try gc\n");
        }
        for one in trial.set.iter().filter(|one| !one.is_patched() && one.name() != "jemalloc") {
            text.push(format!("try {one}\n"));
        }
        if !self.options.yes {
            text.push("allow ");
            text.push(&place.own);
            text.push("\n");
            if self.cluster.is_none() {
                text.push("allow ");
                text.push(self.folder.path());
                text.push("\n");
            }
        }
        text
    }
}
