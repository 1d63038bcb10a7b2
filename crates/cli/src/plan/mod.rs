//! `nilometer plan`: the memory that a training will take at its peak, before it trains.
//!
//! In: a program. Out: a table, or JSON. The program runs with an eighth, a quarter and half of its batch, a few steps each;
//! `crates/plan` draws the line. What must not happen here: a write outside of the scratch folder and the folder of captures,
//! or a number that the runs do not support.

mod limit;
pub(crate) mod options;
mod trial;

use std::time::Instant;

use nilometer_diagnose::{duration, size};
use nilometer_plan::{Answer, DIVISORS, Plan, Refusal};

use self::options::{PlanFormat, PlanOptions};
use self::trial::{Bench, Ran};
use crate::messages::{self, Failure};
use crate::prove::program::Program;
use crate::prove::results::Folder;
use crate::prove::scratch::Scratch;
use crate::prove::watch::Watch;
use crate::supervisor::kernel;
use crate::{args, style};

pub(crate) fn plan(options: &PlanOptions, python: String, flags: Vec<String>) -> Result<i32, Failure> {
    kernel::fill_closed_streams();
    if options.program.is_empty() {
        return Err(Failure::new("there is no program to plan").hint("nilometer plan train.py"));
    }
    if let Some(word) = args::misplaced("plan", &options.program) {
        messages::hint(format!(
            "{word} stands after the program's name, so the program gets it; nilometer's own go before"
        ));
    }
    let program = Program::of(&options.program, None)?;
    let mut watch = Watch::start()?;
    let folder = Folder::make("plan", options.output.as_deref(), &program)?;
    let scratch = Scratch::prepare(&program, &python, options.yes, false)?;
    let bench = Bench { program: &program, scratch: &scratch, folder: &folder, options, python, flags };
    let began = Instant::now();
    let ran = runs(&bench, began, &mut watch);
    drop(scratch);
    let ran = ran?;
    if let Some(signal) = watch.interrupted() {
        return Ok(128 + signal);
    }
    let words = program.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut plan = Plan::new(words, limit::limit(options.limit), folder.shown());
    let told: Vec<_> = ran.iter().map(|ran| ran.told.clone()).collect();
    plan.warnings = warnings(&ran, options.yes);
    plan.points = ran.into_iter().map(|ran| ran.point).collect();
    let mut plan = plan.conclude(&told, options.batch, options.only_exact);
    plan.seconds = began.elapsed().as_secs_f64();
    let text = match options.format {
        PlanFormat::Json => nilometer_report::plan_json(&plan),
        PlanFormat::Terminal => {
            format!("\n{}", nilometer_report::plan(&plan, &style::of(&std::io::stdout(), 1)))
        }
    };
    messages::bytes_to_stdout(text.as_bytes())?;
    Ok(match plan.answer {
        Answer::Fits | Answer::Static => 0,
        Answer::DoesNotFit | Answer::Undecided | Answer::Refused => 1,
    })
}

/// The runs, the smallest batch first; no further one after a refusal or an interrupt.
fn runs(bench: &Bench, began: Instant, watch: &mut Watch) -> Result<Vec<Ran>, Failure> {
    let mut all: Vec<Ran> = Vec::new();
    for divisor in DIVISORS {
        let only_exact = bench.options.only_exact;
        let left = bench.options.budget.saturating_sub(began.elapsed());
        let ran = bench.run(divisor, only_exact, left, watch, |_| ())?;
        if watch.interrupted().is_some() {
            return Ok(all);
        }
        if ran.told.fits.is_empty() && (ran.cut || ran.point.exit_code != Some(0)) {
            return Err(failed(&ran));
        }
        said(&ran);
        let refused = Refusal::after(&ran.told, bench.options.batch).is_some();
        all.push(ran);
        if only_exact || refused {
            break;
        }
    }
    Ok(all)
}

/// How far it is, on stderr.
fn said(ran: &Ran) {
    if let (Some(batch), Some(peak)) = (ran.point.batch, ran.point.peak) {
        let took = duration(ran.point.seconds);
        messages::to_stderr(&format!("batch {batch}: {} at most, in {took}\n", size(peak as f64)));
    }
}

/// A run that came to no end of a `fit`.
fn failed(ran: &Ran) -> Failure {
    let log = ran.log.display();
    if ran.cut {
        return Failure::new(format!("no `fit` came to its end in time; its last words are in {log}"))
            .hint("--budget gives it more time");
    }
    let how = ran.point.exit_code.map_or("by a signal".to_owned(), |code| format!("with exit code {code}"));
    let failure = Failure::new(format!(
        "the program ended {how} before a `fit` came to its end; its last words are in {log}"
    ));
    match ran.outside.first() {
        Some(path) => {
            failure.hint(format!("it wanted to write {path}, outside of its folder; --yes lets it"))
        }
        None => failure.hint("check that it runs from this folder, without input from a terminal"),
    }
}

/// What limits the plan, by the runs.
fn warnings(ran: &[Ran], yes: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    for ran in ran {
        for path in &ran.outside {
            let what = if yes { "it writes" } else { "it wanted to write" };
            warnings.push(format!("{what} {path}, outside of its folder"));
        }
        let batch = ran.point.batch.map_or(String::new(), |batch| format!(" with batch {batch}"));
        let log = ran.log.file_name().unwrap_or_default().to_string_lossy();
        if ran.cut {
            warnings.push(format!("the run{batch} was ended for want of time; see {log}"));
        } else if ran.point.exit_code != Some(0) {
            let how = ran.point.exit_code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
            warnings.push(format!("the run{batch} ended with {how}; see {log}"));
        }
    }
    warnings.dedup();
    warnings
}
