//! The forms of a report: their names on the command line and on disk, and who makes them.

use std::path::Path;

use clap::ValueEnum;
use nilometer_report::{HtmlOptions, RenderInput, Weight};

/// Forms of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people, on a screen
    Terminal,
    /// A page for a browser
    Html,
    /// For programs: docs/report.schema.json
    Json,
    /// A line of JSON per cycle and finding
    Jsonl,
    /// To paste into an issue
    Markdown,
    /// Folded stacks, for flame graph tools
    Collapsed,
    /// For speedscope.app
    Speedscope,
    /// For profiler.firefox.com
    Firefox,
    /// For pprof and Perfetto
    Pprof,
    /// An event file; -o names the log folder
    Tensorboard,
    /// Text for Prometheus
    Openmetrics,
    /// A table of cycles, sites and holders
    Parquet,
    /// For code scanning
    Sarif,
    /// A test result
    Junit,
    /// Annotations and the summary of a workflow's step
    Github,
    /// All that the report is made of, small enough to send: report reads it as a capture
    Evidence,
}

/// How a form is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Making {
    pub(crate) redact: bool,
    pub(crate) weight: Weight,
}

impl Format {
    /// The bytes of a report in this form; not of [`Format::Terminal`], which needs a screen, nor of [`Format::Evidence`], which is no report.
    pub(crate) fn bytes(self, material: &RenderInput, making: Making) -> Vec<u8> {
        let RenderInput { report, profile, .. } = *material;
        match self {
            Self::Terminal | Self::Evidence => Vec::new(),
            Self::Html => {
                nilometer_report::html(report, profile, &HtmlOptions { redact: making.redact }).into_bytes()
            }
            Self::Json => nilometer_report::json(report).into_bytes(),
            Self::Jsonl => nilometer_report::jsonl(material).into_bytes(),
            Self::Markdown => nilometer_report::markdown(material).into_bytes(),
            Self::Collapsed => nilometer_report::collapsed(material, making.weight).into_bytes(),
            Self::Speedscope => nilometer_report::speedscope(material).into_bytes(),
            Self::Firefox => nilometer_report::firefox(material).into_bytes(),
            Self::Pprof => nilometer_report::pprof(material),
            Self::Tensorboard => nilometer_report::tensorboard(material),
            Self::Openmetrics => nilometer_report::openmetrics(material).into_bytes(),
            Self::Parquet => nilometer_report::parquet(material),
            Self::Sarif => nilometer_report::sarif(report).into_bytes(),
            Self::Junit => nilometer_report::junit(report).into_bytes(),
            Self::Github => nilometer_report::github(report).into_bytes(),
        }
    }

    /// Whether it has the sampled stacks in it.
    pub(crate) fn draws_stacks(self) -> bool {
        match self {
            Self::Html | Self::Collapsed | Self::Speedscope | Self::Firefox | Self::Pprof | Self::Parquet => {
                true
            }
            Self::Terminal
            | Self::Json
            | Self::Jsonl
            | Self::Markdown
            | Self::Tensorboard
            | Self::Openmetrics
            | Self::Sarif
            | Self::Junit
            | Self::Github
            | Self::Evidence => false,
        }
    }

    /// Whether the form is binary.
    pub(crate) fn is_binary(self) -> bool {
        matches!(self, Self::Pprof | Self::Tensorboard | Self::Parquet | Self::Evidence)
    }

    /// What stands behind the capture's name in the name of a file of this form.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Terminal => "txt",
            Self::Html => "html",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Markdown => "md",
            Self::Collapsed => "folded",
            Self::Speedscope => "speedscope.json",
            Self::Firefox => "firefox.json",
            Self::Pprof => "pb.gz",
            Self::Tensorboard => "tfevents",
            Self::Openmetrics => "om",
            Self::Parquet => "parquet",
            Self::Sarif => "sarif",
            Self::Junit => "xml",
            Self::Github => "github.txt",
            Self::Evidence => "evidence",
        }
    }

    /// The usual name of the report of a capture in this form.
    pub(crate) fn name(self, capture: &Path, began: u64) -> String {
        let stem = capture.file_stem().unwrap_or(capture.as_os_str()).to_string_lossy();
        match self {
            Self::Tensorboard => format!("events.out.tfevents.{began}.{stem}"),
            _ => format!("{stem}.{}", self.ending()),
        }
    }
}
