//! `nilometer report FILE`: a capture in any form, also while its program still runs.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal as _, Read as _, Write as _, stdout};
use std::path::{Path, PathBuf};

use nilometer_capture::{Capture, Record};
use nilometer_diagnose::{CycleRow, Evidence, Lookup, OtherCycles, Profile, Report, Side};
use nilometer_report::RenderInput;

use crate::format::{Format, Making};
use crate::lookup::Files;
use crate::messages::{self, Failure, bytes_to_stdout};
use crate::name_cache::NameCache;
use crate::options::ReportOptions;
use crate::progress::Progress;
use crate::words::{report as words, system};
use crate::{env, style};

pub(crate) fn report(options: &ReportOptions) -> Result<(), Failure> {
    let format = options.format();
    if format.is_binary() && options.output.is_none() && stdout().is_terminal() {
        let to =
            if format == Format::Tensorboard { "logs".to_owned() } else { format.name(&options.file, 0) };
        return Err(words::binary(&to));
    }
    if format == Format::Evidence {
        return evidence(options);
    }
    let mut read = Read::by(&options.file, format.draws_stacks(), options.cycle.as_deref(), &options.own)?;
    if options.redact {
        nilometer_report::redact(&mut read.report, read.profile.as_mut());
        read.facts.clear();
    }
    if format == Format::Github {
        summarise(&read.material());
    }
    let making = Making { redact: options.redact, weight: options.weight.into() };
    let bytes = match format {
        Format::Terminal => screen(&read.report, options).into_bytes(),
        _ => format.bytes(&read.material(), making),
    };
    match to(options, format, read.began as u64)? {
        None => bytes_to_stdout(&bytes),
        Some(path) => write(&path, &bytes),
    }
}

/// What the report is made of, as a file of its own.
fn evidence(options: &ReportOptions) -> Result<(), Failure> {
    if options.redact {
        return Err(words::not_redacted());
    }
    let (mut capture, mut lookup) = open_either(&options.file)?;
    if let Some(unit) = &options.cycle {
        nilometer_diagnose::count_by(&mut capture, unit);
    }
    nilometer_diagnose::own(&mut capture, &options.own);
    let evidence = Evidence::of(&capture, lookup.as_mut()).0.to_bytes();
    match to(options, Format::Evidence, 0)? {
        None => bytes_to_stdout(&evidence),
        Some(path) => write(&path, &evidence),
    }
}

/// The report for a terminal; a file has no colour.
fn screen(report: &Report, options: &ReportOptions) -> String {
    let mut style = style::of(&stdout(), 1);
    style.color &= options.output.is_none();
    let draw = if options.verbose { nilometer_report::terminal_verbose } else { nilometer_report::terminal };
    draw(report, &style)
}

/// The file to write; none for stdout. A page goes to a file of its usual name. What `-o` names may be a folder, and is
/// one for events, which `TensorBoard` finds by name.
fn to(options: &ReportOptions, format: Format, began: u64) -> Result<Option<PathBuf>, Failure> {
    let name = format.name(&options.file, began);
    Ok(match &options.output {
        Some(path) if path.as_os_str() == "-" => None,
        Some(path) if format == Format::Tensorboard && !path.is_dir() => {
            std::fs::create_dir_all(path).map_err(|error| system::cannot_make(path, &error))?;
            Some(path.join(name))
        }
        Some(path) if path.is_dir() => Some(path.join(name)),
        Some(path) => Some(path.clone()),
        None if format == Format::Html => Some(name.into()),
        None => None,
    })
}

/// Adds the report to the summary of a workflow's step, where one runs. Annotations matter more: this never fails.
fn summarise(material: &RenderInput) {
    let Some(path) = env::get(env::GITHUB_STEP_SUMMARY) else { return };
    let text = nilometer_report::markdown(material);
    let file = OpenOptions::new().append(true).create(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        messages::warning(words::no_summary(&error));
    }
}

/// Writes a file, and says so.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| system::cannot_write(path, &error))?;
    messages::to_stderr(&words::written(path));
    Ok(())
}

/// A capture and all that is said about it.
pub(crate) struct Read {
    pub(crate) report: Report,
    pub(crate) profile: Option<Profile>,
    cycles: Vec<CycleRow>,
    facts: BTreeMap<String, String>,
    began: f64,
}

impl Read {
    /// Stacks take a while; not every form draws them.
    pub(crate) fn of(path: &Path, stacks: bool) -> Result<Self, Failure> {
        Self::by(path, stacks, None, &[])
    }

    /// The same without a word on stderr: for callers who own the screen.
    pub(crate) fn silently(path: &Path, stacks: bool) -> Result<Self, Failure> {
        let (capture, mut lookup) = open_either(path)?;
        Ok(Self::from(&capture, stacks, lookup.as_mut(), &Progress::default()))
    }

    /// The same, counted by the unit that was asked for.
    fn by(path: &Path, stacks: bool, unit: Option<&str>, own: &[String]) -> Result<Self, Failure> {
        let progress = Progress::begin(words::READING);
        let (mut capture, mut lookup) = open_either(path)?;
        if let Some(unit) = unit {
            nilometer_diagnose::count_by(&mut capture, unit);
        }
        nilometer_diagnose::own(&mut capture, own);
        let read = Self::from(&capture, stacks, lookup.as_mut(), &progress);
        match unit.filter(|unit| !read.report.cycles.is_called(unit)) {
            None => Ok(read),
            Some(unit) => {
                let others = read.report.cycles.alternatives.iter().map(OtherCycles::asked_by);
                let others: Vec<String> = others.chain(["window".to_owned()]).collect();
                Err(words::no_cycle(unit, path, &others))
            }
        }
    }

    /// All that is said about a capture that was opened.
    pub(crate) fn from(
        capture: &Capture,
        stacks: bool,
        lookup: &mut dyn Lookup,
        progress: &Progress,
    ) -> Self {
        progress.now(words::JUDGING);
        let facts = capture.records.iter().filter_map(|stamped| match &stamped.record {
            Record::Fact { key, value } => Some((key.clone(), value.clone())),
            _ => None,
        });
        let (report, profile) = if stacks {
            let sorting = || progress.now(words::SORTING);
            nilometer_diagnose::diagnose_and_profile(capture, lookup, sorting)
        } else {
            (nilometer_diagnose::diagnose_with(capture, lookup), None)
        };
        Self {
            report,
            profile,
            cycles: nilometer_diagnose::cycle_table(capture),
            facts: facts.collect(),
            began: capture.header.start_unix_ns as f64 / 1e9,
        }
    }

    pub(crate) fn side(&self) -> Side<'_> {
        Side { report: &self.report, profile: self.profile.as_ref(), cycles: &self.cycles }
    }

    pub(crate) fn material(&self) -> RenderInput<'_> {
        RenderInput {
            report: &self.report,
            profile: self.profile.as_ref(),
            cycles: &self.cycles,
            facts: &self.facts,
            began: self.began,
        }
    }
}

/// Opens a capture, or evidence of one, with what answers for its files.
fn open_either(path: &Path) -> Result<(Capture, Box<dyn Lookup>), Failure> {
    // Only a plain file is opened here: a pipe would wait for who writes to it.
    let plain = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let is_evidence = plain && File::open(path).is_ok_and(|file| Evidence::begins(&first_bytes(file)));
    if !is_evidence {
        return Ok((open(path)?, Box::new(NameCache::new(Files::default()))));
    }
    let bytes = std::fs::read(path).map_err(|error| system::cannot_read(path, &error))?;
    if Evidence::is_newer(&bytes) {
        return Err(words::newer(path));
    }
    let read = Evidence::from_bytes(&bytes).ok_or_else(|| words::damaged(path))?;
    let (capture, answers) = read.into_parts(nilometer_frameworks::DIAGNOSE);
    Ok((capture, Box::new(answers)))
}

fn first_bytes(file: File) -> Vec<u8> {
    const MAX_NAMES_TRIED: u64 = 64;
    let mut bytes = Vec::new();
    // What cannot be read is no evidence; opening it as a capture says why.
    if file.take(MAX_NAMES_TRIED).read_to_end(&mut bytes).is_err() {
        bytes.clear();
    }
    bytes
}

/// Opens a capture, without its samples in memory.
pub(crate) fn open(path: &Path) -> Result<Capture, Failure> {
    Capture::open_streamed(path).map_err(Failure::from)
}
