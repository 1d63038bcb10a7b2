//! What the formats look like, to the letter: a leak, a healthy run, an undecided one, at several widths.
#![allow(clippy::unwrap_used, clippy::assigning_clones, reason = "tests")]
#![allow(clippy::too_many_lines, reason = "a report in full is long")]

use nilometer_diagnose::{
    Bytes, Component, CycleCount, Exit, Finding, Forecast, Frame, Growth, Holder, Kind, Memory, Process,
    Program, Report, SCHEMA, Sampling, Site, TimelinePoint, Verdict,
};
use nilometer_report::{Style, json, live_line, terminal};

const MIB: i64 = 1024 * 1024;

fn component(kind: Kind, phase: Option<&str>, mib: f64, per_cycle: Option<f64>, sentence: &str) -> Component {
    let bytes = |mib: f64| (mib * MIB as f64) as i64;
    Component {
        kind,
        phase: phase.map(str::to_owned),
        bytes: bytes(mib),
        bytes_per_cycle: per_cycle.map(bytes),
        sentence: sentence.to_owned(),
        made_at: None,
    }
}

fn made_at(line: u32, bytes_per_cycle: i64) -> Site {
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
fn sites() -> Report {
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
fn unrecorded() -> Report {
    let mut report = leak();
    report.findings.clear();
    report.sampling = None;
    report.recorder = Some("off: --no-recorder".to_owned());
    report
}

fn leak() -> Report {
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
        },
        verdict: Verdict::Leak,
        reason: "live memory grows with every epoch and shows no sign of levelling".to_owned(),
        cycles: CycleCount { unit: "epoch", count: 12, needed: None, seconds: Some(18.9) },
        growth: Some(Growth {
            bytes_per_cycle: Bytes { estimate: 8 * MIB, low: 8_074_035, high: 8_703_180 },
            since_cycle: 2,
            basis: "live",
            explained: Some(0.95),
        }),
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
                "resident memory drifts up while live memory does not: free memory that the allocator keeps",
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
                path: "fit(): callbacks[0].saved[*]".to_owned(),
                elements: "12 x ndarray (2000, 500) float64".to_owned(),
                kind: "list".to_owned(),
                share: Some(1.0),
                bound: None,
            }),
            also_held_by: Vec::new(),
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
            stack: vec![
                Frame {
                    kind: "native",
                    file: "_multiarray_umath.so".to_owned(),
                    line: 0,
                    function: "PyArray_NewFromDescr".to_owned(),
                },
                Frame {
                    kind: "user",
                    file: "train.py".to_owned(),
                    line: 30,
                    function: "PredictionLogger.on_epoch_end".to_owned(),
                },
            ],
            change: Some("keep a summary of each prediction instead of the array".to_owned()),
            prove: Some("nilometer prove train.py --without callback:PredictionLogger".to_owned()),
        }],
        holders: Vec::new(),
        sampling: Some(Sampling {
            samples: 21_345,
            dropped: 0,
            live_bytes: 1_050_000_000,
            credited: Some(0.97),
            asked_mean: Some(524_288),
            finest_mean: Some(16_384),
            coarsest_mean: Some(2_097_152),
            cost: Some(0.008),
        }),
        recorder: Some("on".to_owned()),
        processes: vec![Process {
            pid: 4720,
            role: "PyDataset worker".to_owned(),
            first_bytes: 30 << 20,
            last_bytes: 90 << 20,
            peak_bytes: 95 << 20,
        }],
        timeline: vec![TimelinePoint {
            seconds: 0.5,
            cycle: 0,
            live_bytes: Some(1 << 20),
            anonymous_bytes: Some(2 << 20),
            file_bytes: None,
        }],
        losses: vec!["the capture's disk was full: 12 records could not be written".to_owned()],
    }
}

fn healthy() -> Report {
    let mut report = leak();
    report.verdict = Verdict::NoLeak;
    report.reason = "live memory does not grow (at most 3.4 KiB per epoch)".to_owned();
    report.forecast = None;
    report.findings.clear();
    report.processes.clear();
    report.losses.clear();
    report.components.remove(0);
    report
}

fn undecided() -> Report {
    let mut report = healthy();
    report.verdict = Verdict::Undecided;
    report.reason = "2 epochs are too few: the first ones also start things up".to_owned();
    report.growth = None;
    report.cycles = CycleCount { unit: "epoch", count: 2, needed: Some(6), seconds: Some(0.4) };
    report.program.exit = Some(Exit { code: None, signal: Some(9), oom_killed: true, limit: Some("cgroup") });
    report.components.clear();
    report
}

fn without_cycles() -> Report {
    let mut report = undecided();
    report.cycles = CycleCount { unit: "window", count: 3, needed: Some(5), seconds: Some(1.0) };
    report.reason = "too short a run to see growth".to_owned();
    report.program.seconds = 3.2;
    report.program.exit = Some(Exit { code: Some(1), signal: None, oom_killed: false, limit: None });
    report
}

fn plain(report: &Report, width: usize) -> String {
    terminal(report, &Style { width, color: false })
}

#[test]
fn screens() {
    insta::assert_snapshot!("leak_100", plain(&leak(), 100));
    insta::assert_snapshot!("leak_60", plain(&leak(), 60));
    insta::assert_snapshot!("sites_100", plain(&sites(), 100));
    insta::assert_snapshot!("sites_60", plain(&sites(), 60));
    insta::assert_snapshot!("unrecorded_80", plain(&unrecorded(), 80));
    insta::assert_snapshot!("healthy_100", plain(&healthy(), 100));
    insta::assert_snapshot!("undecided_80", plain(&undecided(), 80));
    insta::assert_snapshot!("without_cycles_80", plain(&without_cycles(), 80));
}

#[test]
fn no_line_is_wider_than_the_screen_and_colour_changes_no_word() {
    for report in [leak(), healthy(), undecided(), sites()] {
        for width in [40, 60, 72, 80, 100, 140] {
            let text = plain(&report, width);
            for line in text.lines() {
                let unbroken = !line.trim().contains(' ');
                assert!(line.chars().count() <= width || unbroken, "{width}: {line}");
            }
        }
        let coloured = terminal(&report, &Style { width: 100, color: true });
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(stripped(&coloured), stripped(&plain(&report, 100)));
    }
}

/// Text without escapes and line breaks: escapes count as width where a line is broken, words never change.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').unwrap() + 1..];
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_json_report() {
    insta::assert_snapshot!("leak_json", json(&leak()));
}

#[test]
fn the_live_line_fits() {
    insta::assert_snapshot!("live_leak", live_line(&leak(), 120));
    insta::assert_snapshot!("live_undecided", live_line(&undecided(), 120));
    assert_eq!(live_line(&leak(), 20).chars().count(), 20);
}
