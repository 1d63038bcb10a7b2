//! The program's facts: what ran, under which limits, with which children, and how it ended.
//!
//! In: the records written from outside the program, and facts. Out: the matching parts of the report.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, MemoryKill, ProcessReading, Record, Surroundings};

use crate::children::Children;
use crate::children::{Lived, Looks, Said, key, pid_of};
use crate::report::{Attached, Exit, Memory, Program};

/// Facts, child roles and readings from outside, gathered in one pass.
#[derive(Debug, Default)]
pub(crate) struct Outside<'a> {
    facts: BTreeMap<&'a str, &'a str>,
    /// What each process is for, and whether its own parent said so.
    roles: BTreeMap<u64, (&'a str, bool)>,
    /// With the moments of reading.
    processes: Vec<(u64, &'a ProcessReading)>,
    surroundings: Option<&'a Surroundings>,
    /// Page cache in the cgroup's use; dear to read, so not in every reading.
    cgroup_file: u64,
    exit: Option<nilometer_capture::Exit>,
    pub(crate) losses: Vec<String>,
    end_ns: u64,
    start_mono_ns: u64,
}

impl<'a> Outside<'a> {
    pub(crate) fn of(capture: &'a Capture) -> Self {
        let losses = capture.losses.clone();
        let start_mono_ns = capture.header.start_mono_ns;
        let mut out = Self { losses, start_mono_ns, ..Self::default() };
        for stamped in &capture.records {
            out.end_ns = out.end_ns.max(stamped.at_ns);
            match &stamped.record {
                Record::Fact { key, value } => {
                    out.facts.insert(key, value);
                }
                Record::Child { pid, parent, role } => {
                    let by_parent = *parent == u64::from(stamped.pid);
                    // The name that the program gave it is better than the command that others saw.
                    let known = out.roles.get(pid).is_some_and(|role| role.1);
                    if by_parent || !known {
                        out.roles.insert(*pid, (role, by_parent));
                    }
                }
                Record::Process(reading) => out.processes.push((stamped.at_ns, reading)),
                Record::Surroundings(surroundings) => {
                    out.cgroup_file = surroundings.cgroup_file.unwrap_or(out.cgroup_file);
                    out.surroundings = Some(surroundings);
                }
                Record::Exit(exit) => out.exit = Some(*exit),
                Record::Loss { what, count: 0 | 1 } => out.losses.push(what.clone()),
                Record::Loss { what, count } => out.losses.push(format!("{what} ({count} times)")),
                _ => {}
            }
        }
        out
    }

    /// What a child's own capture says of it, where it was judged.
    pub(crate) fn said(&self, pid: u64) -> Option<Said> {
        Said::read(self.fact(&key(pid))?)
    }

    /// Children whose captures say what they kept while they served, whether anyone saw them from outside or not.
    pub(crate) fn served(&self) -> impl Iterator<Item = (u64, Said, Lived)> {
        self.facts.iter().filter_map(|(key, value)| {
            let said = Said::read(value).filter(|_| pid_of(key).is_some())?;
            let lived = said.lived.clone()?;
            Some((pid_of(key)?, said, lived))
        })
    }

    /// A moment of the capture on the clock that all processes share.
    pub(crate) fn mono_ns(&self, at_ns: u64) -> u64 {
        self.start_mono_ns.saturating_add(at_ns)
    }

    /// What was said of this by the program's hooks or from outside.
    pub(crate) fn fact(&self, key: &str) -> Option<&str> {
        self.facts.get(key).copied()
    }

    pub(crate) fn pid(&self) -> Option<u64> {
        self.fact("pid").and_then(|p| p.parse().ok())
    }

    pub(crate) fn program(&self) -> Program {
        let argv: Vec<String> =
            self.fact("argv").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let name = self.fact("script").map(str::to_owned).or_else(|| argv.first().cloned());
        let framework = |(key, value): (&&str, &&str)| {
            key.strip_prefix("framework.").map(|name| (name.to_owned(), (*value).to_owned()))
        };
        Program {
            name: name.unwrap_or_else(|| "program".to_owned()),
            argv,
            python: self.fact("python.version").map(str::to_owned),
            frameworks: self.facts.iter().filter_map(framework).collect(),
            pid: self.pid(),
            seconds: self.end_ns as f64 / 1e9,
            exit: self.exit.map(|exit| Exit {
                code: exit.code,
                signal: exit.signal,
                oom_killed: exit.memory_kill != MemoryKill::None,
                limit: match exit.memory_kill {
                    MemoryKill::None => None,
                    MemoryKill::Cgroup => Some("cgroup"),
                    MemoryKill::System => Some("ram"),
                    MemoryKill::Rlimit => Some("rlimit"),
                },
            }),
            attached: self.attached(),
        }
    }

    /// What there was before, if the recording began in a program that ran already.
    fn attached(&self) -> Option<Attached> {
        let uptime_seconds = self.fact("attached.uptime")?.parse().ok()?;
        let resident_bytes = self.fact("attached.resident").and_then(|bytes| bytes.parse().ok());
        Some(Attached { uptime_seconds, resident_bytes })
    }

    /// Whether allocations were recorded, and if not, why.
    pub(crate) fn recorder(&self) -> Option<String> {
        self.fact("recorder").map(str::to_owned)
    }

    /// The folder it was started in.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.fact("cwd")
    }

    /// Levels and limits; `live` and `anonymous` come from inside the process.
    pub(crate) fn memory(&self, live: Option<f64>, anonymous: Option<f64>) -> Memory {
        let pid = self.pid();
        let own = self.processes.iter().map(|(_, p)| p).filter(|p| pid.is_none() || p.pid == pid);
        let peak = own.clone().filter_map(|p| p.rss_peak.max(sum(p))).max();
        let last = own.clone().next_back();
        let limit = self.limit();
        Memory {
            peak_bytes: peak,
            live_bytes: live.map(|b| b as u64),
            anonymous_bytes: anonymous.map(|b| b as u64).or(last.and_then(|p| p.rss_anon)),
            limit: limit.map(|l| l.name),
            limit_bytes: limit.map(|l| l.bytes),
            headroom_bytes: limit.map(|l| l.headroom),
        }
    }

    /// The limit that growth would meet first: the cgroup's where it is smaller than the machine.
    pub(crate) fn limit(&self) -> Option<Limit> {
        let s = self.surroundings?;
        let ram =
            s.ram_total.map(|bytes| Limit { name: "ram", bytes, headroom: s.ram_available.unwrap_or(0) });
        let cgroup = s.cgroup_limit.map(|bytes| {
            let used = s.cgroup_current.unwrap_or(0).saturating_sub(self.cgroup_file);
            Limit { name: "cgroup", bytes, headroom: bytes.saturating_sub(used) }
        });
        [cgroup, ram].into_iter().flatten().min_by_key(|l| l.headroom)
    }

    /// The processes the program started, in the order in which they appeared.
    pub(crate) fn children(&self) -> Children {
        let mut children = Children::default();
        let mut looks: BTreeMap<u64, Looks> = BTreeMap::new();
        for (at_ns, reading) in &self.processes {
            if let (Some(pid), Some(bytes)) = (reading.pid, reading.rss_anon)
                && Some(pid) != self.pid()
            {
                let of = || self.said(pid).map(|said| said.looks).unwrap_or_default();
                // What is swapped in again has not grown.
                let bytes = bytes + reading.swap.unwrap_or(0);
                if looks.entry(pid).or_insert_with(of).cover(self.start_mono_ns.saturating_add(*at_ns)) {
                    children.note_disturbed(pid, *at_ns, bytes);
                    continue;
                }
                children.note(pid, *at_ns, bytes);
                if let Some(files) = reading.rss_file {
                    children.note_files(pid, *at_ns, files);
                }
                if let Some(private) = reading.private {
                    children.note_private(pid, *at_ns, private);
                }
            }
        }
        children
    }

    /// What a process is for.
    pub(crate) fn role(&self, pid: u64) -> &str {
        self.roles.get(&pid).map_or("child", |role| role.0)
    }

    /// Whether anyone said what it is for.
    pub(crate) fn has_role(&self, pid: u64) -> bool {
        self.roles.contains_key(&pid)
    }

    /// When the last thing was recorded.
    pub(crate) fn end_ns(&self) -> u64 {
        self.end_ns
    }

    /// Whether a process had a capture of its own. Captures from before forked ones did by themselves do not say which.
    pub(crate) fn looked_into(&self, pid: u64) -> bool {
        let all = self.fact("run").is_some() && self.fact("children") != Some("forked");
        all || self.said(pid).is_some()
    }

    /// What Keras copied when it took the data, if the hooks saw arrays.
    pub(crate) fn copies(&self) -> Option<DataCopies> {
        let elements = self.fact("fit.elements")?.parse().ok()?;
        Some(DataCopies { elements })
    }
}

fn sum(p: &ProcessReading) -> Option<u64> {
    Some(p.rss_anon? + p.rss_file.unwrap_or(0) + p.rss_shmem.unwrap_or(0))
}

/// A limit and what is left below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    pub(crate) headroom: u64,
}

/// The float32 copies that Keras' array adapter makes of x and y: two, whatever their type was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataCopies {
    pub(crate) elements: u64,
}

impl DataCopies {
    pub(crate) fn bytes(self) -> f64 {
        (2 * 4 * self.elements) as f64
    }

    /// Whether a measured rise is mostly these copies; pipeline and training loop take a few MiB more.
    pub(crate) fn explain(self, measured: f64) -> bool {
        const REST: f64 = 4.0 * 1024.0 * 1024.0;
        let rest = measured - self.bytes();
        measured >= 0.75 * self.bytes()
            && self.bytes() >= 0.25 * measured
            && rest <= REST.max(0.35 * self.bytes())
    }
}
