//! What is known about a program that runs already: its words, its age, and the memory it had before we came.
//!
//! In: a process id. Out: the facts of the capture, as the supervisor of `run` writes them, and what `attached.` tells.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use nilometer_capture::{Record, Writer};
use nilometer_host::field::number;
use nilometer_host::process::{self, Process};
use nilometer_host::rlimit::Rlimits;
use nilometer_host::stat::ticks_per_second;

use crate::capture_path::program_name;
use crate::python_options::program_words;
use crate::supervisor::facts::list;
use crate::words::attach as words;

/// A running program.
pub(crate) struct About {
    pub(crate) pid: u32,
    /// The script and its arguments, or `-m`, `-c` and theirs.
    pub(crate) program: Vec<OsString>,
    pub(crate) python: PathBuf,
    folder: Option<PathBuf>,
    /// Seconds since it started.
    uptime: Option<f64>,
    /// Its anonymous memory, in bytes.
    resident: Option<u64>,
    pub(crate) limits: Rlimits,
}

impl About {
    pub(crate) fn of(pid: u32) -> Self {
        let mut buffer = Vec::new();
        let arguments = process::command_line(pid, &mut buffer).unwrap_or_default();
        let link = |name: &str| fs::read_link(format!("/proc/{pid}/{name}")).ok();
        let process = Process::open(pid);
        let stat = process.as_ref().and_then(|process| process.stat(&mut buffer));
        let status = process.as_ref().and_then(|process| process.status(&mut buffer));
        let now = fs::read("/proc/uptime").ok().and_then(|text| number(&text));
        let started = stat.map(|stat| stat.started_ticks / ticks_per_second());
        Self {
            pid,
            program: program_words(arguments.iter().skip(1).map(OsString::from)).collect(),
            python: link("exe").unwrap_or_default(),
            folder: link("cwd"),
            uptime: now.zip(started).map(|(now, started)| now.saturating_sub(started) as f64),
            resident: status.and_then(|status| status.rss_anon),
            limits: Rlimits::of(pid),
        }
    }

    /// Its interpreter's file, whatever files it sees.
    pub(crate) fn program_file(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/exe", self.pid))
    }

    /// Writes the facts down.
    pub(crate) fn write(&self, writer: &Writer, recorder_is_wanted: bool) {
        let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok();
        let limit = |limit: Option<u64>| limit.map(|bytes| bytes.to_string());
        let facts = [
            ("pid", Some(self.pid.to_string())),
            ("argv", Some(list(&self.program))),
            ("script", Some(program_name(&self.program))),
            ("python", Some(self.python.display().to_string())),
            ("cwd", self.folder.as_ref().map(|folder| folder.display().to_string())),
            ("nilometer", Some(env!("CARGO_PKG_VERSION").to_owned())),
            ("started", started.map(|since| since.as_secs().to_string())),
            ("rlimit.as", limit(self.limits.address_space)),
            ("rlimit.data", limit(self.limits.data)),
            ("recorder", (!recorder_is_wanted).then(|| words::NO_RECORDER.to_owned())),
            ("begun_by", Some("attach".to_owned())),
            ("attached.by", Some(std::process::id().to_string())),
            ("attached.uptime", self.uptime.map(|seconds| seconds.to_string())),
            ("attached.resident", self.resident.map(|bytes| bytes.to_string())),
        ];
        for (key, value) in facts {
            if let Some(value) = value {
                fact(writer, key, value);
            }
        }
    }
}

/// Writes one fact down.
pub(crate) fn fact(writer: &Writer, key: &str, value: String) {
    writer.append(&Record::Fact { key: key.to_owned(), value });
}
