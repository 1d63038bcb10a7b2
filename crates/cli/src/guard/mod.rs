//! `nilometer guard`: a run that is saved and ended before a memory limit ends it, and goes on where it was.
//!
//! In: a program. Out: its own end, or exit code 75 and a checkpoint. The decision is made inside the program, by
//! `python/nilometer/guard`, with the rule in `rule`; here stand its start, its starts anew, and what is told. What must not
//! happen here: a restart that does the same again, or a checkpoint that is removed before the program was done.

mod alone;
mod dry;
mod look;
pub(crate) mod options;
mod rule;
pub(crate) mod service;
pub(crate) mod stop;
mod told;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use self::look::{Judged, Kind, Watch};
use self::options::GuardOptions;
pub use self::rule::Judgement;
pub(crate) use self::service::Slow;
use self::service::kind::Kind as ServiceKind;
use self::stop::{Place, Stop};
use crate::capture_path::{Templates, program_name};
use crate::messages::{self, Failure};
use crate::python_options::ignores_environment;
use crate::supervisor::keep::Keep;
use crate::supervisor::kernel::{self, Change};
use crate::supervisor::{Outcome, Plan, Recorded, Wanted, supervise};
use crate::words::{guard as words, program};
use crate::{args, env, own, run};

/// `EX_TEMPFAIL` of `sysexits.h`: the same command may do it if it is tried again.
pub(crate) const EXIT_STOPPED: i32 = 75;
/// As `run` has them.
pub(crate) const SAMPLE_BYTES: u64 = 512 << 10;
pub(crate) const OVERHEAD: f64 = 0.02;
pub(crate) const PAUSE: Duration = Duration::from_millis(150);

impl Judged {
    /// The numbers in words.
    pub fn words(&self) -> String {
        words::judged(self.kind, &self.judgement)
    }
}

pub(crate) fn guard(options: &GuardOptions, python: String, flags: Vec<String>) -> Result<i32, Failure> {
    if let Some(capture) = &options.dry_run {
        return dry::show(options, capture).map(|()| 0);
    }
    kernel::fill_closed_streams();
    if options.program.is_empty() {
        return Err(program::none("guard"));
    }
    if let Some(word) = args::misplaced("guard", &options.program) {
        messages::hint(program::misplaced(word));
    }
    let line =
        flags.iter().map(AsRef::as_ref).chain(options.program.iter().map(AsRef::<std::ffi::OsStr>::as_ref));
    if ignores_environment(line) {
        return Err(words::isolated());
    }
    if let Some(kind) = ServiceKind::of(&options.program)? {
        return service::guard(kind, options, python, flags);
    }
    alone::check()?;
    let folder = options.resume.clone().unwrap_or_else(|| {
        format!("nilometer-guard-{}.{}", program_name(&options.program), std::process::id()).into()
    });
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let package = env::get(env::PACKAGE).map(PathBuf::from).ok_or_else(program::no_package)?;
    Guarded { options, python, flags, folder, package }.run()
}

struct Guarded<'a> {
    options: &'a GuardOptions,
    python: String,
    flags: Vec<String>,
    folder: PathBuf,
    package: PathBuf,
}

impl Guarded<'_> {
    fn run(&self) -> Result<i32, Failure> {
        let mut before = Stop::read(&self.folder).map(|stop| stop.place);
        if self.options.resume.is_some() && before.is_none() {
            messages::hint(words::no_checkpoint_yet(&self.folder));
        }
        for restarts in 0.. {
            let attempt = attempt(restarts);
            let outcome = supervise(&self.plan(&attempt, before.is_some()))?;
            let stop = Stop::read(&self.folder);
            let Some(stop) = stop.as_ref().filter(|stop| stop.attempt == attempt) else {
                return Ok(self.ended(&outcome, stop.as_ref(), restarts));
            };
            told::stopped(stop, &outcome, self.options.quiet);
            if outcome.change != Change::Exited(EXIT_STOPPED) {
                told::went_on(outcome.change);
            }
            let is_further = before.is_none_or(|before| further(before, stop.place));
            if restarts >= self.options.restart || !is_further {
                self.tell(&outcome);
                told::restarted(restarts);
                if is_further {
                    told::go_on(&self.folder, &self.options.program);
                } else {
                    told::gave_up(stop);
                }
                return Ok(EXIT_STOPPED);
            }
            before = Some(stop.place);
        }
        Ok(EXIT_STOPPED)
    }

    fn plan(&self, attempt: &str, resumes: bool) -> Plan {
        let options = self.options;
        let templates = Templates::new(options.output.as_deref(), &options.program);
        let settings = serde_json::json!({
            "folder": self.folder.to_string_lossy(),
            "attempt": attempt,
            "limit": options.limit,
            "reserve": options.reserve.0,
            "resume": resumes,
        });
        Plan {
            python: self.python.clone(),
            flags: self.flags.clone(),
            program: options.program.clone(),
            package: Some(self.package.clone()),
            deaf: false,
            recorder: Some(Wanted { sample: SAMPLE_BYTES, overhead: OVERHEAD }),
            cycle: None,
            children: Recorded::Forked,
            pause: Some(PAUSE),
            // Each attempt has a capture of its own.
            templates: if options.restart > 0 { templates.telling_processes_apart() } else { templates },
            overwrite: options.force,
            events: None,
            live: !options.no_live && !env::is_on(env::NO_PROGRESS),
            service: None,
            metrics: None,
            keep: Keep::Usual,
            own: own::with_environment(&options.own),
            guard: Some(settings.to_string()),
        }
    }

    /// The program ended by itself.
    fn ended(&self, outcome: &Outcome, used: Option<&Stop>, restarts: u32) -> i32 {
        if outcome.capture.is_none() {
            messages::warning(words::NO_CAPTURE);
        }
        self.tell(outcome);
        told::restarted(restarts);
        if let Some(stop) = used.filter(|_| outcome.change == Change::Exited(0)) {
            stop.remove(&self.folder);
            messages::to_stderr(&words::done(&stop.checkpoint));
        }
        run::end_like(outcome.change)
    }

    fn tell(&self, outcome: &Outcome) {
        if let Some(capture) = &outcome.capture {
            run::tell(capture, &outcome.children, Recorded::Forked, self.options.quiet);
        }
    }
}

/// Whether a place is beyond the one that the attempt began at.
fn further(before: Place, now: Place) -> bool {
    now > before
}

/// A name that no other attempt has.
fn attempt(restarts: u32) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{restarts}", std::process::id(), now.as_nanos())
}

/// The command that goes on from a folder.
fn command(folder: &Path, program: &[OsString]) -> String {
    let words = program.iter().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.map(|word| quoted(&word)).collect();
    format!("nilometer guard --resume {} {}", quoted(&folder.to_string_lossy()), words.join(" "))
}

fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_can_be_typed() {
        let command = command(Path::new("/my jobs/x"), &["train.py".into(), "--name".into(), "it's".into()]);
        assert_eq!(command, r"nilometer guard --resume '/my jobs/x' train.py --name 'it'\''s'");
    }

    #[test]
    fn an_attempt_that_comes_no_further_is_the_last() {
        assert!(further(Place::Fit(1, 8), Place::Fit(1, 9)));
        assert!(!further(Place::Fit(1, 8), Place::Fit(1, 8)));
        assert!(!further(Place::Fit(2, 1), Place::Fit(1, 9)));
    }
}
