//! `nilometer plan`: the memory that a training will take at its peak, before it trains.
//!
//! In: a program. Out: a table, or JSON. The program runs with an eighth, a quarter and half of its batch, and with the whole one where
//! that surely fits, a few steps each; `crates/plan` draws the line. What must not happen here: a write outside of the scratch folder and
//! the folder of captures, or a number that the runs do not support.

mod limit;
pub(crate) mod options;
mod trial;

use std::time::Instant;

use nilometer_plan::{Answer, DIVISORS, Plan, Refusal, WHOLE, fits_surely};

use self::options::{PlanFormat, PlanOptions};
use self::trial::{Bench, Ran};
use crate::messages::{self, Failure};
use crate::prove::program::Program;
use crate::prove::results::Folder;
use crate::prove::scratch::Scratch;
use crate::prove::trial::free_memory;
use crate::prove::watch::Watch;
use crate::supervisor::kernel;
use crate::words::{plan as words, program};
use crate::{args, style};

pub(crate) fn plan(options: &PlanOptions, python: String, flags: Vec<String>) -> Result<i32, Failure> {
    kernel::fill_closed_streams();
    if options.program.is_empty() {
        return Err(program::none("plan"));
    }
    if let Some(word) = args::misplaced("plan", &options.program) {
        messages::hint(program::misplaced(word));
    }
    let prepared = Program::of(&options.program, None)?;
    let mut watch = Watch::start()?;
    let folder = Folder::make("plan", options.output.as_deref(), &prepared)?;
    let scratch = Scratch::prepare(&prepared, &python, options.yes, false)?;
    let bench = Bench { program: &prepared, scratch: &scratch, folder: &folder, options, python, flags };
    let began = Instant::now();
    let ran = runs(&bench, began, &mut watch);
    drop(scratch);
    let ran = ran?;
    if let Some(signal) = watch.interrupted() {
        return Ok(128 + signal);
    }
    let line = prepared.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut plan = Plan::new(line, limit::limit(options.limit), folder.shown());
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
            return Ok(all);
        }
    }
    let told: Vec<_> = all.iter().map(|ran| ran.told.clone()).collect();
    if room(bench.options.limit).is_some_and(|room| fits_surely(&told, room)) {
        let left = bench.options.budget.saturating_sub(began.elapsed());
        let ran = bench.run(WHOLE, false, left, watch, |_| ())?;
        // What came to no end says nothing; the smaller runs do.
        if watch.interrupted().is_none() && !ran.cut && !ran.told.fits.is_empty() {
            said(&ran);
            all.push(ran);
        }
    }
    Ok(all)
}

/// The memory that a run may take: no more than the limit, nor than is free.
fn room(asked: Option<u64>) -> Option<u64> {
    let limit = limit::limit(asked).map(|limit| limit.bytes);
    [limit, free_memory(1)].into_iter().flatten().min()
}

/// How far it is, on stderr.
fn said(ran: &Ran) {
    if let (Some(batch), Some(peak)) = (ran.point.batch, ran.point.peak) {
        messages::to_stderr(&words::ran(batch, peak, ran.point.seconds));
    }
}

/// A run that came to no end of a `fit`.
fn failed(ran: &Ran) -> Failure {
    if ran.cut {
        return words::no_fit_in_time(&ran.log);
    }
    words::no_fit(ran.point.exit_code, &ran.log, ran.outside.first().map(String::as_str))
}

/// What limits the plan, by the runs.
fn warnings(ran: &[Ran], yes: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    for ran in ran {
        warnings.extend(ran.outside.iter().map(|path| program::outside(path, yes)));
        let log = ran.log.file_name().unwrap_or_default().to_string_lossy();
        let point = &ran.point;
        if ran.cut {
            warnings.push(words::cut(point.batch, &log));
        } else if point.exit_code != Some(0) {
            warnings.push(words::failed(point.batch, point.exit_code, &log));
        }
    }
    warnings.dedup();
    warnings
}
