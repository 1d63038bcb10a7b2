//! Reports by hand: a leak, a healthy run, undecided ones; and the sampled memory of the leak.
#![allow(clippy::unwrap_used, dead_code, reason = "tests; each uses a part of it")]
#![allow(clippy::assigning_clones, clippy::too_many_lines, reason = "a report in full is long")]

use std::collections::BTreeMap;

use nilometer_diagnose::{
    About, Bytes, Component, Culprit, CycleCount, CycleRow, Device, DeviceGrowth, DeviceOthers, Exit,
    Finding, Forecast, Frame, Growth, Holder, HolderBytes, Job, Kind, Look, Memory, Objects, PhaseSpan,
    PhaseTotal, Probe, Process, Profile, ProfileStack, Program, Report, Retraced, SCHEMA, Sampling, Site,
    TimelinePoint, TypeCounts, Verdict, Warning,
};

pub(crate) const MIB: i64 = 1024 * 1024;

fn counted(unit: &'static str, count: u64, needed: Option<u64>, seconds: Option<f64>) -> CycleCount {
    CycleCount { unit, kind: unit, found_by: None, alternatives: Vec::new(), count, needed, seconds }
}

pub(crate) fn component(
    kind: Kind,
    phase: Option<&str>,
    mib: f64,
    per_cycle: Option<f64>,
    sentence: &str,
) -> Component {
    let bytes = |mib: f64| (mib * MIB as f64) as i64;
    Component {
        kind,
        phase: phase.map(str::to_owned),
        bytes: bytes(mib),
        bytes_per_cycle: per_cycle.map(bytes),
        sentence: sentence.to_owned(),
        made_at: None,
        change: None,
        prove: None,
    }
}

pub(crate) fn made_at(line: u32, bytes_per_cycle: i64) -> Site {
    Site {
        role: "made_at",
        file: "train.py".to_owned(),
        line,
        function: "PredictionLogger.on_epoch_end".to_owned(),
        bytes_per_cycle,
        text: Some(
            "preds = self.model.predict(self.x_validation, batch_size=self.batch_size, verbose=0)".to_owned(),
        ),
        inside: Some("keras predict > \u{2026} > concatenate".to_owned()),
    }
}

/// Sites that the recorder found, and no more: five of them, one without any Python.
pub(crate) fn sites() -> Report {
    let mut report = leak();
    let found = |i: i64| Finding {
        cause: "growth-at-site".to_owned(),
        confidence: if i == 0 { "certain" } else { "likely" },
        sentence: "PredictionLogger.on_epoch_end makes memory that stays, in predict()".to_owned(),
        holder: None,
        also_held_by: Vec::new(),
        sites: vec![made_at(30 + u32::try_from(i).unwrap(), 4 * MIB / (i + 1))],
        bytes_per_cycle: Bytes {
            estimate: 4 * MIB / (i + 1),
            low: 3 * MIB / (i + 1),
            high: 5 * MIB / (i + 1),
        },
        phase: Some("predict".to_owned()),
        part: (i == 0).then(|| "numpy: array data".to_owned()),
        cycles_seen: 9,
        process: None,
        device: None,
        stack: Vec::new(),
        change: None,
        prove: None,
    };
    let native = Finding {
        sentence: "TensorFlow's eager kernel cache grows, in predict()".to_owned(),
        sites: Vec::new(),
        part: Some("TensorFlow's eager kernel cache".to_owned()),
        ..found(1)
    };
    report.findings = vec![found(0), native, found(2), found(3), found(4)];
    let entry = report.components.iter_mut().find(|c| c.phase.as_deref() == Some("fit_entry")).unwrap();
    entry.made_at = Some(Site { inside: Some("keras fit > convert_to_arrays".to_owned()), ..made_at(60, 0) });
    report
}

/// A leak without the recorder.
pub(crate) fn unrecorded() -> Report {
    let mut report = leak();
    report.findings.clear();
    report.sampling = None;
    report.recorder = Some("off: --no-recorder".to_owned());
    report
}

pub(crate) fn leak() -> Report {
    Report {
        schema: SCHEMA,
        program: Program {
            name: "train.py".to_owned(),
            argv: vec!["train.py".to_owned(), "--epochs".to_owned(), "12".to_owned()],
            python: Some("3.11.7".to_owned()),
            frameworks: [("keras".to_owned(), "3.15.1".to_owned())].into(),
            pid: Some(4711),
            seconds: 221.4,
            exit: Some(Exit { code: Some(0), signal: None, oom_killed: false, limit: None }),
            attached: None,
        },
        verdict: Verdict::Leak,
        reason: "live memory grows with every epoch and shows no sign of levelling".to_owned(),
        job: Job::own(Verdict::Leak),
        cycles: counted("epoch", 12, None, Some(18.9)),
        growth: Some(Growth {
            bytes_per_cycle: Bytes { estimate: 8 * MIB, low: 8_074_035, high: 8_703_180 },
            since_cycle: 2,
            basis: "live",
            explained: Some(0.95),
            endpoints: Vec::new(),
        }),
        next_steps: Vec::new(),
        warnings: vec![Warning {
            name: "stateful-not-reset".to_owned(),
            about: About::Training,
            sentence: "each epoch begins with the state in which the last one left lstm".to_owned(),
            called_at: Some(Site { role: "called_at", function: String::new(), ..made_at(48, 0) }),
            change: "reset_state() of the layer in on_epoch_begin of a callback".to_owned(),
        }],
        forecast: Some(Forecast {
            limit: "cgroup",
            limit_bytes: 8 << 30,
            cycles_left: 728,
            seconds_left: Some(13_800.0),
        }),
        memory: Memory {
            peak_bytes: Some(2_254_857_830),
            live_bytes: Some(1 << 30),
            anonymous_bytes: Some(1_200_000_000),
            limit: Some("cgroup"),
            limit_bytes: Some(8 << 30),
            headroom_bytes: Some(6_106_906_624),
        },
        devices: Vec::new(),
        components: vec![
            component(
                Kind::Growing,
                Some("predict"),
                80.0,
                Some(8.0),
                "live memory that every epoch adds to, most of it inside predict()",
            ),
            component(
                Kind::OneTime,
                Some("first_batch"),
                35.0,
                None,
                "graph, kernels, optimizer variables and thread pools, made with the first batch",
            ),
            component(
                Kind::OneTime,
                Some("fit_entry"),
                15.8,
                None,
                "Keras copies x and y to float32 twice (2 x 1.9 M elements x 4 B = 14.5 MiB)",
            ),
            component(
                Kind::Retained,
                None,
                7.0,
                Some(0.7),
                "resident memory rises more than live memory does: free memory that the allocator keeps",
            ),
            component(
                Kind::FileBacked,
                None,
                310.0,
                None,
                "mapped libraries and files, which the kernel can drop: not your data",
            ),
        ],
        findings: vec![Finding {
            cause: "container-in-callback".to_owned(),
            confidence: "certain",
            sentence: "PredictionLogger.saved keeps every prediction".to_owned(),
            holder: Some(Holder {
                owner: "PredictionLogger".to_owned(),
                role: None,
                path: "fit(): callbacks[0].saved[*]".to_owned(),
                elements: "12 x ndarray (2000, 500) float64".to_owned(),
                length: Some(40),
                counted_at: None,
                per_cycle: Some(1.0),
                kind: "list".to_owned(),
                file: None,
                share: Some(1.0),
                bound: None,
            }),
            also_held_by: vec![Holder {
                owner: "History".to_owned(),
                role: None,
                path: "model.history.history['preds'][*]".to_owned(),
                kind: "list".to_owned(),
                file: None,
                elements: "12 x ndarray (2000, 500) float64".to_owned(),
                length: Some(21),
                counted_at: Some(20),
                per_cycle: None,
                bound: None,
                share: Some(0.9),
            }],
            sites: vec![
                Site {
                    role: "kept_at",
                    file: "train.py".to_owned(),
                    line: 31,
                    function: "PredictionLogger.on_epoch_end".to_owned(),
                    bytes_per_cycle: 8 * MIB,
                    text: Some("self.saved.append(preds)".to_owned()),
                    inside: None,
                },
                made_at(30, 8 * MIB),
            ],
            bytes_per_cycle: Bytes { estimate: 7_969_177, low: 7_900_000, high: 8_100_000 },
            phase: Some("predict".to_owned()),
            part: None,
            cycles_seen: 9,
            process: None,
            device: None,
            stack: vec![
                Frame {
                    kind: "native",
                    file: "_multiarray_umath.so".to_owned(),
                    line: 0,
                    function: "PyArray_NewFromDescr".to_owned(),
                    carries: true,
                },
                Frame {
                    kind: "user",
                    file: "train.py".to_owned(),
                    line: 30,
                    function: "PredictionLogger.on_epoch_end".to_owned(),
                    carries: true,
                },
            ],
            change: Some("keep a summary of each prediction instead of the array".to_owned()),
            prove: Some("nilometer prove train.py --without callback:PredictionLogger".to_owned()),
        }],
        holders: vec![HolderBytes {
            holder: Holder {
                owner: "PredictionLogger".to_owned(),
                role: None,
                path: "fit(): callbacks[0].saved".to_owned(),
                kind: "list".to_owned(),
                file: None,
                elements: "12 x ndarray (2000, 500) float64".to_owned(),
                length: None,
                per_cycle: None,
                ..Holder::default()
            },
            live_bytes: 96_000_000,
        }],
        sampling: Some(Sampling {
            samples: 21_345,
            dropped: 0,
            lost: Vec::new(),
            live_bytes: 1_050_000_000,
            credited: Some(0.97),
            asked_mean: Some(524_288),
            finest_mean: Some(16_384),
            coarsest_mean: Some(2_097_152),
            cost: Some(0.008),
        }),
        recorder: Some("on".to_owned()),
        objects: Some(objects()),
        probes: vec![Probe { name: "func_graphs".to_owned(), first: 9, last: 31, per_cycle: Some(2.0) }],
        retraced: vec![Retraced {
            function: "Model.step".to_owned(),
            file: "train.py".to_owned(),
            line: 12,
            caller_file: "train.py".to_owned(),
            caller_line: 48,
            traces: 24,
            per_cycle: 2.0,
            why: "argument 'step' was 24, before 23 (a Python int)".to_owned(),
        }],
        processes: vec![Process {
            pid: 4720,
            role: "PyDataset worker".to_owned(),
            first_bytes: 30 << 20,
            last_bytes: 90 << 20,
            peak_bytes: 95 << 20,
            bytes_per_minute: Some(6 << 20),
            private_bytes: Some(88 << 20),
            turned_private_bytes: Some(20 << 20),
        }],
        timeline: vec![TimelinePoint {
            seconds: 0.5,
            cycle: 0,
            live_bytes: Some(1 << 20),
            anonymous_bytes: Some(2 << 20),
            file_bytes: None,
        }],
        phases: vec![
            PhaseSpan { name: "import".to_owned(), begin_seconds: 0.0, end_seconds: 4.5 },
            PhaseSpan { name: "epoch".to_owned(), begin_seconds: 4.5, end_seconds: 221.4 },
        ],
        phase_totals: vec![PhaseTotal {
            name: "epoch".to_owned(),
            times: 12,
            seconds: 216.9,
            bytes: 84 << 20,
        }],
        losses: vec!["the capture's disk was full: 12 records could not be written".to_owned()],
    }
}

pub(crate) fn healthy() -> Report {
    let mut report = leak();
    report.verdict = Verdict::NoLeak;
    report.job = Job::own(Verdict::NoLeak);
    report.reason = "live memory does not grow (at most 3.4 KiB per epoch)".to_owned();
    report.forecast = None;
    report.findings.clear();
    report.warnings.clear();
    report.processes.clear();
    report.losses.clear();
    report.components.remove(0);
    let kept = report.components.iter_mut().find(|c| c.kind == Kind::Retained).unwrap();
    (kept.bytes, kept.bytes_per_cycle) = (90 * MIB, None);
    "free memory that the C library keeps in 16 arenas; 296 MiB are resident in all"
        .clone_into(&mut kept.sentence);
    kept.change =
        Some("`ctypes.CDLL(None).malloc_trim(0)` where their work ends: up to 90.0 MiB less".to_owned());
    kept.prove = Some("MALLOC_ARENA_MAX=2 nilometer run train.py".to_owned());
    report
}

/// The program is flat and one of its workers is not.
pub(crate) fn growing_worker() -> Report {
    let mut report = healthy();
    report.verdict = Verdict::Leak;
    report.reason =
        "loader (pid 4720), a process that the program started, grows by 4.0 MiB per epoch to the end (95 %: \
                     3.9 MiB to 4.1 MiB), 3 others of its kind do not; the program itself does not"
            .to_owned();
    let bytes =
        |mib: i64| Bytes { estimate: mib * MIB, low: mib * MIB - MIB / 10, high: mib * MIB + MIB / 10 };
    report.job.culprit = Some(Culprit {
        pid: 4720,
        role: "loader".to_owned(),
        bytes_per_cycle: Some(bytes(4)),
        bytes_per_minute: Some(bytes(12)),
        rate: "4.0 MiB per epoch".to_owned(),
        of: 4,
        growing: 1,
    });
    report.findings = vec![Finding {
        cause: "child-process".to_owned(),
        confidence: "likely",
        sentence: "loader (pid 4720) grows by 4.0 MiB per epoch".to_owned(),
        bytes_per_cycle: bytes(4),
        process: Some(4720),
        ..Finding::default()
    }];
    let worker = |pid, last: u64, rate| Process {
        pid,
        role: "loader".to_owned(),
        first_bytes: 30 << 20,
        last_bytes: last << 20,
        peak_bytes: last << 20,
        bytes_per_minute: rate,
        private_bytes: None,
        turned_private_bytes: None,
    };
    let turned = Process { turned_private_bytes: Some(390 << 20), ..worker(4722, 400, None) };
    report.processes = vec![worker(4720, 78, Some(12 << 20)), worker(4721, 30, None), turned];
    report
}

pub(crate) fn undecided() -> Report {
    let mut report = healthy();
    report.verdict = Verdict::Undecided;
    report.job = Job::own(Verdict::Undecided);
    report.reason = "2 epochs are too few: the first ones also start things up".to_owned();
    report.growth = None;
    report.cycles = counted("epoch", 2, Some(6), Some(0.4));
    report.program.exit = Some(Exit { code: None, signal: Some(9), oom_killed: true, limit: Some("cgroup") });
    report.components.clear();
    report
}

pub(crate) fn without_cycles() -> Report {
    let mut report = undecided();
    report.cycles = counted("window", 3, Some(5), Some(1.0));
    report.reason = "the run is too short to see growth".to_owned();
    report.program.seconds = 3.2;
    report.program.exit = Some(Exit { code: Some(1), signal: None, oom_killed: false, limit: None });
    report
}

/// What was sampled in the leak: three stacks over four cycles, one of them in machine code alone.
pub(crate) fn profile() -> Profile {
    let frame = |kind, file: &str, line, function: &str| Frame {
        kind,
        file: file.to_owned(),
        line,
        function: function.to_owned(),
        carries: false,
    };
    Profile {
        frames: vec![
            frame("user", "train.py", 60, "<module>"),
            frame("library", "keras/src/trainer.py", 300, "Trainer.fit"),
            frame("user", "train.py", 30, "PredictionLogger.on_epoch_end"),
            frame("native", "_multiarray_umath.so", 0, "PyArray_NewFromDescr"),
            frame("cut", "", 0, ""),
            frame("native", "libtensorflow_cc.so.2", 0, "std::vector<int; \"odd\">"),
        ],
        stacks: vec![
            ProfileStack {
                frames: vec![0, 1, 2, 3],
                live_bytes: 32 * MIB,
                samples: 4,
                bytes_per_cycle: 8 * MIB,
                births: (0..4).map(|bin| (bin, 8 * MIB)).collect(),
                phase: Some("predict".to_owned()),
                ..ProfileStack::default()
            },
            ProfileStack {
                frames: vec![4, 5],
                live_bytes: 5 * MIB,
                samples: 2,
                deviation_bytes: MIB,
                births: vec![(0, 4 * MIB), (4, MIB)],
                ..ProfileStack::default()
            },
            ProfileStack {
                frames: vec![0, 1],
                samples: 0,
                bytes_per_cycle: -MIB,
                phase: Some("fit_entry".to_owned()),
                ..ProfileStack::default()
            },
        ],
        cycles: vec![3, 6, 9, 12],
        survivors: vec![vec![12 * MIB; 4], vec![8 * MIB; 3], vec![8 * MIB; 2], vec![8 * MIB]],
    }
}

/// Twelve epochs of the leak.
pub(crate) fn cycles() -> Vec<CycleRow> {
    let row = |cycle: u64| CycleRow {
        cycle,
        seconds: 18.0 * cycle as f64,
        live_bytes: Some((200 + 8 * cycle) << 20),
        anonymous_bytes: Some((240 + 8 * cycle) << 20),
        file_bytes: Some(300 << 20),
        free_bytes: None,
        python_bytes: Some(80 << 20),
        counts: if cycle > 1 { [("func_graphs".to_owned(), 40 + cycle)].into() } else { BTreeMap::new() },
    };
    (1..=12).map(row).collect()
}

/// Facts that the formats tell.
pub(crate) fn facts() -> BTreeMap<String, String> {
    [("recorder.allocator".to_owned(), "glibc".to_owned())].into()
}

/// Three looks at a heap in which one type becomes more.
fn objects() -> Objects {
    let look = |cycle: u64| Look { seconds: 20.0 + cycle as f64, cycle };
    let counts =
        |name: &str, counts: [Option<u64>; 3]| TypeCounts { name: name.to_owned(), counts: counts.to_vec() };
    Objects {
        looks: vec![look(5), look(9), look(20)],
        types: vec![counts("train.Event", [None, Some(900), Some(2000)]), counts("dict", [Some(40_000); 3])],
    }
}

/// Tensors that stay on one of two GPUs; the program's own memory is flat.
pub(crate) fn growing_device() -> Report {
    let mut report = healthy();
    let device = |name: &str, used: u64, growth: Option<DeviceGrowth>| {
        Device {
        name: name.to_owned(),
        framework: "PyTorch",
        verdict: if growth.is_some() { Verdict::Leak } else { Verdict::NoLeak },
        reason: match growth {
            Some(_) => "4.0 MiB more of GPU 1 is in use with each epoch (95 %: 4.0 MiB to 4.0 MiB), 180 MiB at the last".to_owned(),
            None => format!("tensors of PyTorch have 300 MiB of {name} in use, and that does not grow"),
        },
        in_use_bytes: used << 20,
        peak_bytes: (used + 60) << 20,
        reserved_bytes: Some(600 << 20),
        limit_bytes: Some(80 << 30),
        total_bytes: Some(110 << 30),
        others: Some(DeviceOthers {
            bytes: 30 << 30,
            is_at_most: false,
            sentence: Some(format!("other processes hold 30.0 GiB of {name}, which has 110 GiB")),
        }),
        others_unknown: None,
        growth,
    }
    };
    let rate = Bytes { estimate: 4 * MIB, low: 4 * MIB, high: 4 * MIB };
    let growth = DeviceGrowth { bytes_per_cycle: rate, unit: "epoch", cycles_left: Some(20_435) };
    report.devices = vec![device("GPU 0", 300, None), device("GPU 1", 180, Some(growth))];
    report.verdict = Verdict::Leak;
    report.job.device = Some("GPU 1".to_owned());
    report.reason = format!("{}; the program's own memory does not grow", report.devices[1].reason);
    report.findings = vec![Finding {
        cause: "gpu-memory-grows".to_owned(),
        confidence: "likely",
        sentence: "tensors of PyTorch have 4.0 MiB more of GPU 1 in use with each epoch; memory that is only reserved is not counted"
            .to_owned(),
        device: Some("GPU 1".to_owned()),
        change: Some("look for a list that keeps one more tensor with each cycle".to_owned()),
        ..Finding::default()
    }];
    report
}
