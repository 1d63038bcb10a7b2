//! Processes that the program starts, as they are seen from outside.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{CycleUnit, Moment, ProcessReading, Record};
use nilometer_diagnose::{Report, child_fact};

use super::{MIB, World};

pub(crate) const PROGRAM: u64 = 10;

/// A process that the program starts: when it lives, and what it has in MiB at so many seconds of its life.
pub(crate) struct Child {
    pid: u64,
    role: String,
    from: f64,
    to: f64,
    level: Box<dyn Fn(f64) -> f64>,
    /// What no other process shares; all of it if absent.
    private: Option<Box<dyn Fn(f64) -> f64>>,
    /// Seconds of its life in which it imports: its file pages rise.
    imports: Option<f64>,
    /// At what age it maps so many MiB of files besides.
    maps: (f64, f64),
}

pub(crate) fn child(pid: u64, role: &str, level: impl Fn(f64) -> f64 + 'static) -> Child {
    let (from, to) = (1.0, f64::INFINITY);
    Child {
        pid,
        role: role.to_owned(),
        from,
        to,
        level: Box::new(level),
        private: None,
        imports: None,
        maps: (f64::INFINITY, 0.0),
    }
}

impl Child {
    pub(crate) fn lives(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    pub(crate) fn private(self, private: impl Fn(f64) -> f64 + 'static) -> Self {
        Self { private: Some(Box::new(private)), ..self }
    }

    pub(crate) fn imports(self, seconds: f64) -> Self {
        Self { imports: Some(seconds), ..self }
    }

    pub(crate) fn maps(self, age: f64, mib: f64) -> Self {
        Self { maps: (age, mib), ..self }
    }

    pub(crate) fn is_seen(&self, w: &mut World, at: f64, thorough: bool) {
        if at < self.from || at > self.to {
            return;
        }
        let bytes = |mib: f64| (mib * MIB as f64) as u64;
        let age = at - self.from;
        let level = (self.level)(age);
        let private = self.private.as_ref().map_or(level, |private| private(age));
        w.say(&Record::Process(Box::new(ProcessReading {
            pid: Some(self.pid),
            rss_anon: Some(bytes(level)),
            rss_file: self.imports.map(|seconds| {
                let besides = if age < self.maps.0 { 0.0 } else { self.maps.1 };
                bytes(10.0 + 100.0 * age.min(seconds) + besides)
            }),
            private: thorough.then(|| bytes(private)),
            ..ProcessReading::default()
        })));
    }
}

/// A job of so many seconds; an epoch of the program takes two of them and adds `adds` to its live memory.
pub(crate) fn job(seconds: u32, cycles: bool, adds: i64, children: &[Child]) -> World {
    let mut w = World::new();
    w.fact("pid", &PROGRAM.to_string()).fact("argv", "[\"train.py\"]");
    for child in children {
        w.say(&Record::Child { pid: child.pid, parent: PROGRAM, role: child.role.clone() });
    }
    for quarter in 1..=4 * seconds {
        w.passes(0.25);
        for child in children {
            child.is_seen(&mut w, f64::from(quarter) / 4.0, quarter % 8 == 4);
        }
        if cycles && quarter % 8 == 0 {
            w.takes(adds).ends_cycle(Epoch);
        } else if quarter % 4 == 0 {
            w.reads(Moment::Tick);
        }
    }
    w
}

/// Of a job of 60 s and 30 epochs whose program is flat.
pub(crate) fn trains(children: &[Child]) -> Report {
    job(60, true, 0, children).report()
}

/// A worker's own capture: what it adds to live memory with each thing that it serves, by its number from 1.
pub(crate) fn worker(unit: CycleUnit, count: u64, mut adds: impl FnMut(u64) -> i64) -> World {
    let mut w = World::new();
    for nth in 1..=count {
        w.passes(0.01).takes(adds(nth)).ends_cycle(unit);
    }
    w
}

/// A job whose program waits for its workers; they follow each other, so many seconds each, and have these captures.
pub(crate) fn recycles(seconds: f64, workers: &[World]) -> Report {
    let life = |nth: usize| {
        let from = 1.0 + seconds * nth as f64;
        child(20 + nth as u64, &format!("worker {nth}"), |age| 50.0 + age).lives(from, from + seconds - 0.5)
    };
    let lives: Vec<Child> = (0..workers.len()).map(life).collect();
    let mut w = job((seconds * workers.len() as f64) as u32 + 2, true, 0, &lives);
    for (nth, of) in workers.iter().enumerate() {
        let mut capture = of.capture();
        capture.header.start_mono_ns = (1e9 * (1.0 + seconds * nth as f64)) as u64;
        let (key, value) =
            child_fact(20 + nth as u64, &capture, &of.report(), true, nilometer_frameworks::DIAGNOSE);
        w.fact(&key, &value);
    }
    w.report()
}
