//! The experiments of one command: the program as it is, then with changes, each run judged against the first.
//!
//! In: a bench, a budget. Out: runs, and what they showed. What must not happen here: a run after an interrupt, or one that
//! there is no time for.

use std::time::{Duration, Instant};

use nilometer_diagnose::{Bytes, Verdict};
use nilometer_prove::{
    Answer, Baseline, Experiment, Intervention, Measured, Plan, Proof, SCHEMA, Seen, Subject, Survey,
    checklist,
};

use super::judged::{judged, seen};
use super::options::ProveOptions;
use super::progress::Progress;
use super::results::{Folder, Result as Ran};
use super::scratch::Patch;
use super::trial::{Bench, Trial};
use super::watch::Watch;
use crate::messages::Failure;
use crate::words::program::outside;
use crate::words::prove::{self as words, FIRST_RUN};

/// Epochs of a first run at most, if they are so fast that more of them cost nothing.
const MAX_EPOCHS: u64 = 40;
/// That is, if the run has trained for less than this.
const CHEAP_RUN: Duration = Duration::from_secs(8);
/// A run that was too short to be judged is made again with more epochs, so often at most.
const MAX_LONGER_RUNS: u32 = 2;
/// An experiment that ends with less growth, and maybe none, is made again with so many times the epochs.
const EPOCHS_FACTOR: u32 = 3;
/// Of the budget, for the first run at most.
const FIRST_RUN_DIVISOR: u32 = 2;
/// An experiment may take so many times as long as the program as it is, and a while.
const MAX_SLOWDOWN: u32 = 3;
const START_ALLOWANCE: Duration = Duration::from_secs(30);

/// The experiments with one program.
pub(crate) struct Session<'a> {
    pub(super) options: &'a ProveOptions,
    pub(super) bench: Bench<'a>,
    /// By the first run.
    pub(crate) subject: Subject,
    folder: &'a Folder,
    began: Instant,
    progress: Progress,
}

impl<'a> Session<'a> {
    pub(crate) fn new(options: &'a ProveOptions, bench: Bench<'a>, folder: &'a Folder) -> Self {
        let progress = Progress::new(options.budget);
        Self { options, bench, subject: Subject::default(), folder, began: Instant::now(), progress }
    }

    pub(crate) fn make(mut self, watch: &mut Watch) -> Result<Proof, Failure> {
        let first = self.first(watch)?;
        let first = self.steadier(first, watch)?;
        let measured = Measured::of(&first.report, &self.subject);
        let survey = Survey::of(&first.facts, seen(&first));
        let mut proof = self.begin(&first, &survey);
        if self.bench.collects {
            proof.warnings.push(words::COLLECTS.to_owned());
        }
        if let Some(leak) = measured.leak().filter(|_| watch.interrupted().is_none()) {
            let list = self.list(&first, &survey);
            self.experiment(&mut proof, leak, list, &survey, &first, watch)?;
        }
        proof.seconds = self.began.elapsed().as_secs_f64();
        if watch.interrupted().is_some() {
            proof.warnings.push(words::INTERRUPTED.to_owned());
        }
        self.progress.end();
        Ok(proof.conclude(&measured))
    }

    /// The program as it is, with more epochs if the first ones do not say.
    pub(crate) fn first(&mut self, watch: &mut Watch) -> Result<Ran, Failure> {
        let (mut least, mut most) = (self.options.cycles, MAX_EPOCHS.max(self.options.cycles));
        for again in 0.. {
            let name = if again == 0 { FIRST_RUN.to_owned() } else { words::longer_run(FIRST_RUN, least) };
            let mut trial = Trial::new(&name, Vec::new(), (least, most, CHEAP_RUN));
            trial.survey = true;
            let ran = self.one(trial, self.options.budget / FIRST_RUN_DIVISOR, watch)?;
            let stopped = Survey::of(&ran.facts, Seen::default()).stopped;
            let needed = ran.report.cycles.needed.filter(|_| ran.report.verdict == Verdict::Undecided);
            let failed = ran.exit_code != Some(0) && ran.report.verdict != Verdict::Leak;
            if failed && watch.interrupted().is_none() {
                return Err(self.failed(&ran));
            }
            let time = self.left() > 3 * ran.took;
            match stopped.zip(needed) {
                Some((stopped, needed))
                    if again < MAX_LONGER_RUNS && time && watch.interrupted().is_none() =>
                {
                    least = stopped + needed.clamp(4, 3 * stopped);
                    most = least;
                }
                _ => {
                    self.subject = Subject::of(&ran.report);
                    return Ok(ran);
                }
            }
        }
        unreachable!("the loop ends by itself")
    }

    /// How long a run may take.
    pub(super) fn patience(&self, first: &Ran) -> Duration {
        (MAX_SLOWDOWN * first.took + START_ALLOWANCE).min(self.left())
    }

    fn failed(&self, ran: &Ran) -> Failure {
        let outside = Survey::of(&ran.facts, Seen::default()).outside;
        let kept_from = outside.first().filter(|_| !self.options.yes).map(String::as_str);
        words::no_growth_seen(ran.exit_code, &ran.log, kept_from)
    }

    pub(crate) fn begin(&self, first: &Ran, survey: &Survey) -> Proof {
        let report = &first.report;
        let mut warnings = Vec::new();
        warnings.extend(survey.outside.iter().map(|path| outside(path, self.options.yes)));
        if first.exit_code != Some(0) {
            warnings.push(words::first_failed(first.exit_code));
        }
        Proof {
            schema: SCHEMA,
            program: self.bench.words(),
            answer: Answer::Undecided,
            sentence: String::new(),
            device: self.subject.device().map(str::to_owned),
            unit: report.cycles.unit,
            baseline: Baseline {
                verdict: report.verdict,
                reason: report.reason.clone(),
                growth: Measured::of(report, &self.subject).growth,
                cycles: report.cycles.count,
                seconds: first.took.as_secs_f64(),
                capture: first.capture_name(),
            },
            interventions: Vec::new(),
            cure: None,
            not_tried: Vec::new(),
            warnings,
            seconds: 0.0,
            folder: self.folder.shown(),
        }
    }

    /// What to try: the user's own change, what was asked for, or the checklist.
    fn list(&self, first: &Ran, survey: &Survey) -> Vec<Intervention> {
        let own = self.options.with.as_ref().map(|file| Intervention::patched(&file.to_string_lossy()));
        let asked = own.into_iter().chain(self.options.tries.iter().cloned()).collect::<Vec<_>>();
        if !asked.is_empty() {
            return asked;
        }
        let mut list = checklist(&first.report, survey, nilometer_frameworks::PROVE);
        list.retain(|one| !(self.bench.collects && one.name() == "gc"));
        list
    }

    fn experiment(
        &mut self,
        proof: &mut Proof,
        leak: Bytes,
        list: Vec<Intervention>,
        survey: &Survey,
        first: &Ran,
        watch: &mut Watch,
    ) -> Result<(), Failure> {
        let plan = Plan::new(list);
        let epochs = survey.stopped.unwrap_or(first.report.cycles.count).max(self.options.cycles);
        let unit = first.report.cycles.unit;
        while watch.interrupted().is_none() && self.left() > first.took {
            let mut trials: Vec<Trial> = Vec::new();
            for _ in 0..self.options.jobs {
                let started: Vec<_> = trials.iter().map(|trial| trial.set.clone()).collect();
                let Some(set) = plan.next(&proof.interventions, &started) else { break };
                trials.push(Trial::new(&Experiment::words(&set), set, (epochs, epochs, Duration::ZERO)));
            }
            if trials.is_empty() {
                break;
            }
            self.progress.left(plan.left(&proof.interventions).len(), first.took);
            let most = self.patience(first);
            for ran in self.bench.run(trials, most, watch, &mut self.progress)? {
                if watch.interrupted().is_some() {
                    break;
                }
                let experiment = self.judge(&ran, leak, unit, survey, watch)?;
                proof.interventions.push(experiment);
            }
        }
        let cured = plan.next(&proof.interventions, &[]).is_none();
        if !cured {
            proof.not_tried = plan.left(&proof.interventions);
        }
        Ok(())
    }

    /// What a run showed; one that may be a cure is made again, longer.
    fn judge(
        &mut self,
        ran: &Ran,
        leak: Bytes,
        unit: &'static str,
        survey: &Survey,
        watch: &mut Watch,
    ) -> Result<Experiment, Failure> {
        let (experiment, open) = judged(ran, &self.subject, leak, unit);
        self.progress.told(&experiment, unit);
        let Some(stopped) = survey.stopped.filter(|_| open && self.left() > EPOCHS_FACTOR * ran.took) else {
            return Ok(experiment);
        };
        let epochs = u64::from(EPOCHS_FACTOR) * stopped.max(self.options.cycles);
        let name = words::longer_run(&ran.name, epochs);
        let mut trial = Trial::new(&name, ran.set.clone(), (epochs, epochs, Duration::ZERO));
        trial.patches.clone_from(&ran.patches);
        let most = self.left();
        let Some(again) = self.bench.run(vec![trial], most, watch, &mut self.progress)?.pop() else {
            return Ok(experiment);
        };
        let experiment = judged(&again, &self.subject, leak, unit).0;
        self.progress.told(&experiment, unit);
        Ok(experiment)
    }

    /// One run with the files of `patches` in the places of the program's own, and what it showed.
    pub(crate) fn patched(
        &mut self,
        name: &str,
        patches: Vec<Patch>,
        first: &Ran,
        leak: Bytes,
        watch: &mut Watch,
    ) -> Result<(Ran, Experiment), Failure> {
        let survey = Survey::of(&first.facts, Seen::default());
        let mut trial =
            Trial::new(&format!("with {name}"), vec![Intervention::patched(name)], self.epochs(first));
        trial.patches = patches;
        let most = self.patience(first);
        let ran = self.bench.run(vec![trial], most, watch, &mut self.progress)?.pop();
        let ran = ran.ok_or_else(|| words::no_run(name))?;
        let experiment = self.judge(&ran, leak, first.report.cycles.unit, &survey, watch)?;
        Ok((ran, experiment))
    }

    /// The program as it is, as often as the first time.
    pub(crate) fn again(&mut self, first: &Ran, watch: &mut Watch) -> Result<Ran, Failure> {
        let trial = Trial::new(words::SECOND_RUN, Vec::new(), self.epochs(first));
        self.one(trial, MAX_SLOWDOWN * first.took + START_ALLOWANCE, watch)
    }

    /// The epochs after which `first` was stopped.
    pub(super) fn epochs(&self, first: &Ran) -> (u64, u64, Duration) {
        let stopped = Survey::of(&first.facts, Seen::default()).stopped;
        let epochs = stopped.unwrap_or(first.report.cycles.count).max(self.options.cycles);
        (epochs, epochs, Duration::ZERO)
    }

    /// Leaves the screen clean; how long it took.
    pub(crate) fn end(&mut self) -> f64 {
        self.progress.end();
        self.began.elapsed().as_secs_f64()
    }

    pub(crate) fn one(&mut self, trial: Trial, most: Duration, watch: &mut Watch) -> Result<Ran, Failure> {
        let name = trial.name.clone();
        let mut ran = self.bench.run(vec![trial], most, watch, &mut self.progress)?;
        let ran = ran.pop().ok_or_else(|| words::no_run(&name))?;
        self.progress.first(&ran);
        Ok(ran)
    }

    pub(crate) fn left(&self) -> Duration {
        self.options.budget.saturating_sub(self.began.elapsed())
    }
}
