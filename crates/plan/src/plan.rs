//! The plan, and the structure of its JSON (`docs/plan.schema.json`).

use serde::Serialize;

use crate::DIVISORS;
use crate::line::{Line, Range};
use crate::parts::{self, Part};
use crate::refusal::{MAX_HALF_WIDTH_RATIO, Refusal};
use crate::told::{Fit, Told};
use crate::whole;
use crate::words::answer;
use crate::words::refusal::{Refused, refused};

/// The name and version of the JSON.
pub const SCHEMA: &str = "nilometer.plan/1";

/// The plan of one training.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The command, the script first.
    pub program: Vec<String>,
    /// The answer.
    pub answer: Answer,
    /// The answer in a sentence.
    pub sentence: String,
    /// The batch that is planned for; null where it is not known.
    pub batch: Option<u64>,
    /// What memory there is; null where nothing says.
    pub limit: Option<Limit>,
    /// The highest resident memory of the process; null where it is refused, or only exact parts were asked for.
    pub peak: Option<Range>,
    /// The largest batch, up to [`Plan::batch`], whose interval lies below the limit; null where none does.
    pub largest_batch: Option<u64>,
    /// The peak in parts. They sum up to its estimate where `fit` takes the most.
    pub parts: Vec<Part>,
    /// The runs, the smallest batch first.
    pub points: Vec<Point>,
    /// Why there is no peak.
    pub refusal: Option<Refused>,
    /// Problems, and facts that limit the plan.
    pub warnings: Vec<String>,
    /// Duration of all runs, in seconds.
    pub seconds: f64,
    /// The folder with the captures.
    pub folder: String,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The whole interval lies below the limit.
    Fits,
    /// The whole interval lies above it.
    DoesNotFit,
    /// The limit lies within the interval.
    Undecided,
    /// There is no number.
    Refused,
    /// Only what is exact was asked for.
    Static,
}

/// A limit on memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// Bytes.
    pub bytes: u64,
    /// Where it comes from: `--limit`, the cgroup's limit, the machine's memory.
    pub source: &'static str,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The batch that it ran with.
    pub batch: Option<u64>,
    /// The highest resident memory in `fit`, after its first step.
    pub peak: Option<u64>,
    /// The highest resident memory in `fit`, up to the end of its first step.
    pub making: Option<u64>,
    /// The highest resident memory outside of `fit`.
    pub outside: Option<u64>,
    /// Steps of the `fit`.
    pub steps: u64,
    /// Duration of the run, in seconds.
    pub seconds: f64,
    /// The exit code; null if a signal ended it.
    pub exit_code: Option<i32>,
}

impl Plan {
    /// A plan that says nothing yet.
    pub fn new(program: Vec<String>, limit: Option<Limit>, folder: String) -> Self {
        Self {
            schema: SCHEMA,
            program,
            answer: Answer::Refused,
            sentence: String::new(),
            batch: None,
            limit,
            peak: None,
            largest_batch: None,
            parts: Vec::new(),
            points: Vec::new(),
            refusal: None,
            warnings: Vec::new(),
            seconds: 0.0,
            folder,
        }
    }

    /// Draws the answer from what the runs told, the smallest batch first. `asked` is the batch that the user asks for.
    #[must_use]
    pub fn conclude(mut self, told: &[Told], asked: Option<u64>, only_exact: bool) -> Self {
        let fits: Vec<&Fit> = told.iter().filter_map(Told::largest).collect();
        if let Some(fit) = fits.last() {
            self.batch = asked.or(fit.own);
            self.parts = parts::exact(fit);
            if fit.gpu {
                self.warnings.push(answer::ON_GPU.to_owned());
            }
        }
        if only_exact && !fits.is_empty() {
            let sum: u64 = self.parts.iter().map(|part| part.bytes).sum();
            self.answer = Answer::Static;
            self.sentence = answer::exact_parts(sum);
            return self;
        }
        match self.judged(told, &fits, asked) {
            Ok((peak, largest)) => self.answered(peak, largest),
            Err(refusal) => {
                let refused = refused(&refusal);
                self.answer = Answer::Refused;
                self.sentence.clone_from(&refused.reason);
                self.refusal = Some(refused);
            }
        }
        self
    }

    /// The peak, and the largest batch that fits.
    fn judged(
        &mut self,
        told: &[Told],
        fits: &[&Fit],
        asked: Option<u64>,
    ) -> Result<(Range, Option<u64>), Refusal> {
        if let Some(refusal) = told.iter().find_map(|told| Refusal::after(told, asked)) {
            return Err(refusal);
        }
        let batch = self.batch.ok_or(Refusal::Silent)?;
        let last = fits.last().ok_or(Refusal::Silent)?;
        if let Some(refusal) = fits.iter().find_map(|fit| Refusal::other_models(fit, last)) {
            return Err(refusal);
        }
        let (small, whole) = told.split_at(told.len().min(DIVISORS.len()));
        if let Some(peak) = whole.first().and_then(|told| whole::measured(told, batch)) {
            return self.measured(told, fits, peak);
        }
        let fits = fits.get(..small.len()).unwrap_or(fits);
        let points: Vec<_> = fits.iter().filter_map(|fit| Some((fit.batch?, fit.peak))).collect();
        let line = Line::through(&points).ok_or_else(|| Refusal::no_line(&points))?;
        let mut lines = vec![line.clone()];
        let making: Vec<_> = fits.iter().filter_map(|fit| Some((fit.batch?, fit.making))).collect();
        lines.extend(beside(&making, &points)?);
        let outside: Vec<_> =
            points.iter().zip(small).filter_map(|(point, told)| Some((point.0, told.outside?))).collect();
        if outside.len() < points.len() {
            self.warnings.push(answer::END_NOT_SEEN.to_owned());
        } else {
            lines.extend(beside(&outside, &points)?);
        }
        let peak = |batch| lines.iter().map(|line| line.at(batch)).reduce(larger).unwrap_or_default();
        let found = peak(batch);
        if (found.high - found.low) as f64 > 2.0 * MAX_HALF_WIDTH_RATIO * found.estimate as f64 {
            return Err(Refusal::TooWide);
        }
        self.parts = parts::all(last, &line, batch, line.at(batch).estimate);
        let limit = self.limit.as_ref().map(|limit| limit.bytes);
        let smallest = points.first().map_or(batch, |point| point.0);
        let largest =
            limit.and_then(|limit| (smallest..=batch).rev().find(|&batch| peak(batch).high <= limit));
        Ok((found, largest))
    }

    /// The same where the whole batch was run.
    fn measured(
        &mut self,
        told: &[Told],
        fits: &[&Fit],
        peak: Range,
    ) -> Result<(Range, Option<u64>), Refusal> {
        let (Some(first), Some(last)) = (fits.first(), fits.last()) else { return Err(Refusal::Silent) };
        let batch = last.batch.ok_or(Refusal::Silent)?;
        let line = whole::line(first, last).ok_or(Refusal::Silent)?;
        self.parts = parts::all(last, &line, batch, peak.estimate);
        if told.last().is_some_and(|whole| whole.outside.is_none()) {
            self.warnings.push(answer::END_NOT_SEEN.to_owned());
        }
        let largest = self.limit.as_ref().and_then(|limit| whole::largest_below(told, limit.bytes));
        Ok((peak, largest))
    }

    fn answered(&mut self, peak: Range, largest: Option<u64>) {
        self.peak = Some(peak);
        self.largest_batch = largest;
        let Some(limit) = &self.limit else {
            self.answer = Answer::Undecided;
            answer::NO_LIMIT.clone_into(&mut self.sentence);
            return;
        };
        let batch = self.batch.unwrap_or_default();
        (self.answer, self.sentence) = if peak.high <= limit.bytes {
            (Answer::Fits, answer::fits(batch, limit))
        } else if peak.low > limit.bytes {
            (Answer::DoesNotFit, answer::does_not_fit(batch, limit, largest))
        } else {
            (Answer::Undecided, answer::may_not_fit(batch, limit, largest))
        };
    }
}

/// The line of another time than that of training; none where that takes less in every run, and lies on none.
fn beside(other: &[(u64, u64)], training: &[(u64, u64)]) -> Result<Option<Line>, Refusal> {
    let least = training.iter().map(|point| point.1).min();
    let matters = other.iter().map(|point| point.1).max() > least;
    match Line::through(other) {
        None if matters => Err(Refusal::no_line(other)),
        line => Ok(line),
    }
}

fn larger(one: Range, other: Range) -> Range {
    Range {
        estimate: one.estimate.max(other.estimate),
        low: one.low.max(other.low),
        high: one.high.max(other.high),
    }
}
