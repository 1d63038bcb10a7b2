//! `nilometer fix`: a patch for a cause whose change is mechanical, proven before it is shown.
//!
//! In: a program, or a capture of one. Out: a unified diff with its proof, and with `--write` the program's files changed.
//! What must not happen here: a patch shown as a fix that was not seen to end the growth, or with which the program
//! fails or prints something else; a file of the user's changed without being asked.

pub(crate) mod options;
mod outcome;
mod printed;
mod proposals;
mod write;

use nilometer_diagnose::Verdict;
use nilometer_prove::{Effect, Experiment, Measured, Seen, Survey};

use self::options::FixOptions;
use self::outcome::{Fix, Outcome, Tried};
use self::printed::Printed;
use crate::messages::{self, Failure};
use crate::prove::options::ProveFormat;
use crate::prove::program::Program;
use crate::prove::results::{Folder, Result as Ran};
use crate::prove::scratch::Scratch;
use crate::prove::session::Session;
use crate::prove::trial::Bench;
use crate::prove::watch::Watch;
use crate::supervisor::kernel;
use crate::words::fix as words;
use crate::words::program::misplaced;
use crate::{args, style};

pub(crate) fn fix(options: &FixOptions, python: String, flags: Vec<String>) -> Result<i32, Failure> {
    kernel::fill_closed_streams();
    if let Some(word) = args::misplaced("fix", &options.program) {
        messages::hint(misplaced(word));
    }
    let program = Program::of(&options.program, None)?;
    let interpreter = python.clone();
    let experiments = options.experiments();
    let mut watch = Watch::start()?;
    let folder = Folder::make("fix", options.output.as_deref(), &program)?;
    let scratch = Scratch::prepare(&program, &python, options.yes, false)?;
    let mut bench = Bench::new(&program, &scratch, &folder, python, flags, &experiments)?;
    bench.apart = true;
    let mut search = Search {
        session: Session::new(&experiments, bench, &folder),
        scratch: &scratch,
        again: None,
        python: interpreter,
    };
    let found = search.make(&program, &mut watch);
    let seconds = search.session.end();
    drop(search);
    drop(scratch);
    let mut outcome = found?;
    outcome.seconds = seconds;
    if let Some(signal) = watch.interrupted() {
        return Ok(128 + signal);
    }
    if let Some(fix) = &mut outcome.fix {
        folder.add("fix.patch", &fix.attempt.diff)?;
        if options.write {
            write::write(&fix.attempt.files)?;
            fix.written = true;
        }
    }
    let style = style::of(&std::io::stdout(), 1);
    let text = match options.format {
        ProveFormat::Json => outcome.json(),
        ProveFormat::Terminal => format!("\n{}", outcome.text(&style)),
    };
    messages::bytes_to_stdout(text.as_bytes())?;
    Ok(i32::from(!(outcome.fix.is_some() || outcome.baseline.verdict == Verdict::NoLeak)))
}

struct Search<'a> {
    session: Session<'a>,
    scratch: &'a Scratch,
    python: String,
    /// What the program as it is printed the second time.
    again: Option<Vec<u8>>,
}

impl Search<'_> {
    fn make(&mut self, program: &Program, watch: &mut Watch) -> Result<Outcome, Failure> {
        let first = self.session.first(watch)?;
        let survey = Survey::of(&first.facts, Seen::default());
        let proof = self.session.begin(&first, &survey);
        let mut outcome = Outcome::new(proof);
        let measured = Measured::of(&first.report, &self.session.subject);
        let Some(leak) = measured.leak().filter(|_| watch.interrupted().is_none()) else {
            return Ok(outcome);
        };
        let proposals = proposals::ask(&self.python, program, &first)?;
        outcome.refused = proposals.refused;
        for (at, attempt) in proposals.attempts.into_iter().enumerate() {
            if watch.interrupted().is_some() {
                break;
            }
            if self.session.left() < first.took {
                outcome.warnings.push(words::NO_TIME.to_owned());
                break;
            }
            let mut patches = Vec::new();
            for (number, file) in attempt.files.iter().enumerate() {
                let text = self.scratch.keep(&format!("patched-{at}-{number}.py"), &file.after)?;
                patches.push((file.path.clone(), text));
            }
            let name = attempt.fixes.join("+");
            let (ran, experiment) = self.session.patched(&name, patches, &first, leak, watch)?;
            if watch.interrupted().is_some() {
                break;
            }
            match self.fault(&first, &ran, &experiment, watch)? {
                Ok(lines) => {
                    outcome.fix = Some(Fix { attempt, experiment, lines, written: false });
                    break;
                }
                Err(why) => outcome.tried.push(Tried { attempt, experiment, why }),
            }
        }
        Ok(outcome)
    }

    /// Why an attempt is no fix, or how many lines the program prints as before.
    fn fault(
        &mut self,
        first: &Ran,
        ran: &Ran,
        experiment: &Experiment,
        watch: &mut Watch,
    ) -> Result<Result<usize, String>, Failure> {
        if ran.exit_code != first.exit_code || ran.cut {
            return Ok(Err(words::ends_otherwise(ran.exit_code, last_words(ran).as_deref())));
        }
        if experiment.verdict != Effect::Cures {
            return Ok(Err(words::still_grows(experiment)));
        }
        let compared = printed::compare(&first.printed(), &ran.printed(), || {
            if self.again.is_none() {
                self.again = Some(self.session.again(first, watch)?.printed());
            }
            Ok::<_, Failure>(self.again.clone().unwrap_or_default())
        })?;
        Ok(match compared {
            Printed::Same(lines) => Ok(lines),
            Printed::Other(old, new) => Err(words::prints_otherwise(&old, &new)),
            Printed::Unsteady => Err(words::UNSTEADY.to_owned()),
        })
    }
}

/// Of the program's words the last line, which says what failed.
fn last_words(ran: &Ran) -> Option<String> {
    let log = std::fs::read(&ran.log).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let said = log.lines().rev().find(|line| line.contains("Error") && !line.starts_with(' '));
    said.map(|line| line.chars().take(200).collect())
}
