//! `nilometer prove`: the program again and again, each time with one change, until its growth is explained.
//!
//! In: a program, or a capture of one. Out: a table, or JSON, and the captures of all runs. What must not happen here: a
//! write outside of the scratch folder and the folder of captures, or a process left behind.

pub(crate) mod options;
mod program;
mod progress;
mod results;
mod scratch;
mod tree;
mod trial;
mod watch;

use std::time::{Duration, Instant};

use nilometer_capture::CycleUnit;
use nilometer_diagnose::Verdict;
use nilometer_prove::{
    Answer, Baseline, Experiment, Intervention, Measured, Plan, Proof, SCHEMA, Seen, Survey, checklist,
    compare,
};

use self::options::{ProveFormat, ProveOptions};
use self::program::Program;
use self::progress::Progress;
use self::results::{Folder, Result as Ran};
use self::scratch::Scratch;
use self::trial::{Bench, Trial};
use self::watch::Watch;
use crate::args;
use crate::say::{self, Failure};
use crate::style;
use crate::supervisor::kernel;

/// Epochs of a first run at most, if they are so fast that more of them cost nothing.
const MOST_EPOCHS: u64 = 40;
/// That is, if the run has trained for less than this.
const CHEAP: Duration = Duration::from_secs(8);
/// A run that was too short to be judged is made again with more epochs, so often at most.
const LONGER: u32 = 2;
/// An experiment that ends with less growth, and maybe none, is made again with so many times the epochs.
const LONGER_BY: u32 = 3;
/// Of the budget, for the first run at most.
const FIRST_SHARE: u32 = 2;
/// An experiment may take so many times as long as the program as it is, and a while.
const PATIENCE: u32 = 3;
const A_WHILE: Duration = Duration::from_secs(30);

pub(crate) fn prove(options: &ProveOptions, python: String, flags: Vec<String>) -> Result<i32, Failure> {
    kernel::fill_closed_streams();
    if let Some(word) = args::misplaced("prove", &options.program) {
        say::hint(format!(
            "{word} stands after the program's name, so the program gets it; nilometer's own go before"
        ));
    }
    let program = Program::of(&options.program, options.with.as_deref())?;
    let mut watch = Watch::start()?;
    let folder = Folder::make(options.output.as_deref(), &program)?;
    let scratch = Scratch::prepare(&program, &python, options.yes)?;
    let bench = Bench::new(&program, &scratch, &folder, python, flags, options)?;
    let proof = Session {
        options,
        bench,
        folder: &folder,
        began: Instant::now(),
        progress: Progress::new(options.budget),
    }
    .make(&mut watch);
    drop(scratch);
    let proof = proof?;
    match options.format {
        ProveFormat::Json => say::bytes_to_stdout(nilometer_report::prove_json(&proof).as_bytes())?,
        ProveFormat::Terminal => {
            let text = nilometer_report::prove(&proof, &style::of(&std::io::stdout(), 1));
            say::bytes_to_stdout(format!("\n{text}").as_bytes())?;
        }
    }
    if let Some(signal) = watch.interrupted() {
        return Ok(128 + signal);
    }
    Ok(match proof.answer {
        Answer::Cured | Answer::NothingToCure => 0,
        Answer::Reduced | Answer::Unexplained | Answer::Undecided => 1,
    })
}

struct Session<'a> {
    options: &'a ProveOptions,
    bench: Bench<'a>,
    folder: &'a Folder,
    began: Instant,
    progress: Progress,
}

impl Session<'_> {
    fn make(mut self, watch: &mut Watch) -> Result<Proof, Failure> {
        let first = self.first(watch)?;
        let measured = Measured::of(&first.report);
        let survey = Survey::of(&first.facts, seen(&first));
        let mut proof = self.begin(&first, &survey);
        if let Some(leak) = measured.leak().filter(|_| watch.interrupted().is_none()) {
            let list = self.list(&first, &survey);
            self.experiment(&mut proof, leak, list, &survey, &first, watch)?;
        }
        proof.seconds = self.began.elapsed().as_secs_f64();
        if watch.interrupted().is_some() {
            proof.warnings.push("it was interrupted before its end".to_owned());
        }
        self.progress.end();
        Ok(proof.conclude(&measured))
    }

    /// The program as it is, with more epochs if the first ones do not say.
    fn first(&mut self, watch: &mut Watch) -> Result<Ran, Failure> {
        let (mut least, mut most) = (self.options.cycles, MOST_EPOCHS.max(self.options.cycles));
        for again in 0.. {
            let name = if again == 0 { "as it is".to_owned() } else { format!("as it is, {least} epochs") };
            let mut trial = Trial::new(&name, Vec::new(), (least, most, CHEAP));
            trial.survey = true;
            let ran = self.one(trial, self.options.budget / FIRST_SHARE, watch)?;
            let stopped = Survey::of(&ran.facts, Seen::default()).stopped;
            let needed = ran.report.cycles.needed.filter(|_| ran.report.verdict == Verdict::Undecided);
            let failed = ran.exit_code != Some(0) && ran.report.verdict != Verdict::Leak;
            if failed && watch.interrupted().is_none() {
                return Err(self.failed(&ran));
            }
            let time = self.left() > 3 * ran.took;
            match stopped.zip(needed) {
                Some((stopped, needed)) if again < LONGER && time && watch.interrupted().is_none() => {
                    least = stopped + needed.clamp(4, 3 * stopped);
                    most = least;
                }
                _ => return Ok(ran),
            }
        }
        unreachable!("the loop ends by itself")
    }

    fn failed(&self, ran: &Ran) -> Failure {
        let outside = Survey::of(&ran.facts, Seen::default()).outside;
        let how = ran.exit_code.map_or("by a signal".to_owned(), |code| format!("with exit code {code}"));
        let failure = Failure::new(format!(
            "the program ended {how} before a growth could be seen; its last words are in {}",
            ran.log.display()
        ));
        match outside.first() {
            Some(path) if !self.options.yes => {
                failure.hint(format!("it wanted to write {path}, outside of its folder; --yes lets it"))
            }
            _ => failure.hint("check that it runs from this folder, without input from a terminal"),
        }
    }

    fn begin(&self, first: &Ran, survey: &Survey) -> Proof {
        let report = &first.report;
        let mut warnings = Vec::new();
        for path in &survey.outside {
            let what = if self.options.yes { "it writes" } else { "it wanted to write" };
            warnings.push(format!("{what} {path}, outside of its folder"));
        }
        if first.exit_code != Some(0) {
            let how = first.exit_code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
            warnings.push(format!("the program as it is ended with {how}"));
        }
        Proof {
            schema: SCHEMA,
            program: self.bench.words(),
            answer: Answer::Undecided,
            sentence: String::new(),
            unit: report.cycles.unit,
            baseline: Baseline {
                verdict: report.verdict,
                reason: report.reason.clone(),
                growth: report.growth.as_ref().map(|growth| growth.bytes_per_cycle),
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
        if asked.is_empty() { checklist(&first.report, survey) } else { asked }
    }

    fn experiment(
        &mut self,
        proof: &mut Proof,
        leak: nilometer_diagnose::Bytes,
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
            let most = (PATIENCE * first.took + A_WHILE).min(self.left());
            for ran in self.bench.run(trials, most, watch, &mut self.progress)? {
                if watch.interrupted().is_some() {
                    break;
                }
                let (mut experiment, open) = judged(&ran, leak, unit);
                self.progress.told(&experiment, unit);
                if open && survey.stopped.is_some() && self.left() > LONGER_BY * ran.took {
                    let epochs = u64::from(LONGER_BY) * epochs;
                    let name = format!("{}, {epochs} epochs", ran.name);
                    let trial = Trial::new(&name, ran.set.clone(), (epochs, epochs, Duration::ZERO));
                    let most = self.left();
                    if let Some(again) = self.bench.run(vec![trial], most, watch, &mut self.progress)?.pop() {
                        experiment = judged(&again, leak, unit).0;
                        self.progress.told(&experiment, unit);
                    }
                }
                proof.interventions.push(experiment);
            }
        }
        let cured = plan.next(&proof.interventions, &[]).is_none();
        if !cured {
            proof.not_tried = plan.left(&proof.interventions);
        }
        Ok(())
    }

    fn one(&mut self, trial: Trial, most: Duration, watch: &mut Watch) -> Result<Ran, Failure> {
        let name = trial.name.clone();
        let mut ran = self.bench.run(vec![trial], most, watch, &mut self.progress)?;
        let ran = ran.pop().ok_or_else(|| Failure::new(format!("no run: {name}")))?;
        self.progress.first(&ran);
        Ok(ran)
    }

    fn left(&self) -> Duration {
        self.options.budget.saturating_sub(self.began.elapsed())
    }
}

fn seen(ran: &Ran) -> Seen {
    let gpu = ["/dev/nvidia0", "/dev/kfd"].iter().any(|device| std::path::Path::new(device).exists());
    Seen { models: ran.board.cycles(CycleUnit::Model), calls: ran.board.cycles(CycleUnit::Call), gpu }
}

/// What a run showed of its interventions, and whether it would show more with more cycles.
fn judged(ran: &Ran, leak: nilometer_diagnose::Bytes, unit: &str) -> (Experiment, bool) {
    let measured = Measured::of(&ran.report);
    let compared = compare(leak, unit, &measured);
    let idle = |one: &Intervention| {
        !one.is_patched()
            && one.name() != "jemalloc"
            && !ran.facts.contains_key(&format!("prove.acted.{one}"))
    };
    let idle: Vec<String> = ran.set.iter().filter(|one| idle(one)).map(ToString::to_string).collect();
    let mut notes = Vec::new();
    if !idle.is_empty() {
        notes.push(format!("{} had nothing to change", idle.join(", ")));
    }
    if ran.cut {
        notes.push("ended for want of time".to_owned());
    } else if ran.exit_code != Some(0) {
        let how = ran.exit_code.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
        notes.push(format!("{how}; see {}", ran.log.file_name().unwrap_or_default().to_string_lossy()));
    }
    if measured.unit != unit {
        notes.push(format!("it has {}s instead of {unit}s", measured.unit));
    }
    let experiment = Experiment {
        intervention: Experiment::words(&ran.set),
        set: ran.set.clone(),
        verdict: compared.effect,
        growth: measured.growth,
        removed: compared.removed,
        cycles: measured.cycles,
        seconds: ran.took.as_secs_f64(),
        exit_code: ran.exit_code,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        capture: Some(ran.capture_name()),
    };
    (experiment, compared.is_open())
}
