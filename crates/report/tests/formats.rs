//! What the forms for other tools look like, to the letter. Their real readers open them in `tests/formats`.
#![allow(clippy::unwrap_used, reason = "tests")]

mod reports;

use std::collections::BTreeMap;

use nilometer_diagnose::{Bytes, CycleRow, OtherCycles, Profile, Report, Side, Verdict, diff};
use nilometer_report::{
    Evaluations, Form, RenderInput, Service, Status, Style, Weight, collapsed, diff_json, diff_terminal,
    firefox, github, jsonl, junit, live_line, markdown, metrics, openmetrics, otlp, parquet, pprof, redact,
    sarif, speedscope, tensorboard,
};
use reports::{cycles, facts, growing_worker, healthy, leak, profile, sites, undecided};

/// All that is known about a run, owned.
struct Run {
    report: Report,
    profile: Option<Profile>,
    cycles: Vec<CycleRow>,
    facts: BTreeMap<String, String>,
}

impl Run {
    fn of(report: Report) -> Self {
        Self { report, profile: Some(profile()), cycles: cycles(), facts: facts() }
    }

    fn material(&self) -> RenderInput<'_> {
        let Self { report, profile, cycles, facts } = self;
        RenderInput { report, profile: profile.as_ref(), cycles, facts, began: 1_790_000_000.5 }
    }
}

/// JSON on many lines, for a look at what changed.
fn pretty(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    format!("{value:#}")
}

#[test]
fn texts() {
    let run = Run::of(leak());
    let material = run.material();
    insta::assert_snapshot!("markdown", markdown(&material));
    insta::assert_snapshot!("jsonl", jsonl(&material));
    insta::assert_snapshot!("collapsed_live", collapsed(&material, Weight::Live));
    insta::assert_snapshot!("collapsed_growth", collapsed(&material, Weight::Growth));
    insta::assert_snapshot!("openmetrics", openmetrics(&material));
    insta::assert_snapshot!("github", github(&run.report));
    insta::assert_snapshot!("junit", junit(&run.report));
    insta::assert_snapshot!("sarif", sarif(&run.report));
    insta::assert_snapshot!("speedscope", pretty(&speedscope(&material)));
    insta::assert_snapshot!("firefox", pretty(&firefox(&material)));
}

#[test]
fn figures_of_services() {
    let leaking = Status::of(&leak(), "leak.nilo", true);
    // A program chooses its name and its holders' names.
    let hostile = Status {
        program: "a\"b\\c\nd".to_owned(),
        pid: Some(2),
        ..Status::of(&undecided(), "open.nilo", false)
    };
    let all = [leaking, hostile, Status::unreadable("torn.nilo", "torn.nilo is empty")];
    let evaluations = Evaluations { age_seconds: Some(1.5), done: 3, failed: 1 };
    insta::assert_snapshot!("metrics_prometheus", metrics(&all, evaluations, Form::Prometheus));
    insta::assert_snapshot!("metrics_openmetrics", metrics(&all, evaluations, Form::OpenMetrics));
    insta::assert_snapshot!("metrics_at_first", metrics(&[], Evaluations::default(), Form::Prometheus));
    insta::assert_snapshot!("otlp", pretty(&otlp(&all[..1], evaluations, 2_000, 1_000)));
}

#[test]
fn figures_of_a_service_have_the_growth_of_all_lives_of_its_workers() {
    let growth = Some(Bytes { estimate: 2300, low: 2200, high: 2400 });
    let service = |growth| Some(Service { unit: "request".to_owned(), growth, ..Service::default() });
    let program = Status { service: service(growth), ..Status::of(&leak(), "leak.nilo", true) };
    assert!(program.growth.is_some(), "it has another growth of its own, by another unit");
    let told = |status: &Status| -> Vec<String> {
        let text = metrics(std::slice::from_ref(status), Evaluations::default(), Form::Prometheus);
        text.lines().filter(|line| line.starts_with("nilometer_growth_bytes{")).map(str::to_owned).collect()
    };
    let lines = told(&program);
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (bound, bytes) in [("estimate", 2300), ("low", 2200), ("high", 2400)] {
        let end = format!("unit=\"request\",bound=\"{bound}\"}} {bytes}");
        assert!(lines.iter().any(|line| line.ends_with(&end)), "{end}: {lines:?}");
    }
    // Growth that is not known is not told, least of all as the program's own.
    assert!(told(&Status { service: service(None), ..program.clone() }).is_empty());
    let open = Status { verdict: Some(Verdict::Undecided), ..program };
    assert!(told(&open).is_empty());
}

#[test]
fn a_program_of_many_findings_makes_few_series() {
    let mut report = leak();
    let finding = report.findings[0].clone();
    report.findings = vec![finding; 500];
    let status = Status::of(&report, "leak.nilo", true);
    let text = metrics(&[status], Evaluations::default(), Form::Prometheus);
    assert_eq!(text.lines().filter(|line| line.starts_with("nilometer_finding_bytes{")).count(), 5);
    assert!(text.lines().filter(|line| !line.starts_with('#')).count() < 40, "{text}");
}

#[test]
fn what_is_no_leak_and_what_is_undecided() {
    for (name, report) in [("healthy", healthy()), ("undecided", undecided())] {
        let run = Run { report, profile: None, cycles: Vec::new(), facts: BTreeMap::new() };
        insta::assert_snapshot!(format!("{name}_markdown"), markdown(&run.material()));
        insta::assert_snapshot!(format!("{name}_github"), github(&run.report));
        insta::assert_snapshot!(format!("{name}_junit"), junit(&run.report));
        insta::assert_snapshot!(format!("{name}_openmetrics"), openmetrics(&run.material()));
    }
}

#[test]
fn without_samples_every_form_still_is_one() {
    let run = Run { report: undecided(), profile: None, cycles: Vec::new(), facts: BTreeMap::new() };
    let material = run.material();
    assert_eq!(collapsed(&material, Weight::Live), "");
    pretty(&speedscope(&material));
    pretty(&firefox(&material));
    assert!(pprof(&material).len() > 20 && parquet(&material).ends_with(b"PAR1"));
    assert!(tensorboard(&material).len() > 50);
}

/// A program whose every name is out to break the form it stands in.
fn hostile() -> Run {
    let mut report = sites();
    let odd = "x\"'<b>&amp;|`*_[](y){z}%0A::error::\n\u{1b}[31m;,\\\u{0}\u{202e}~~~```";
    odd.clone_into(&mut report.program.name);
    report.program.argv = vec![odd.to_owned()];
    report.program.frameworks.insert(odd.to_owned(), odd.to_owned());
    odd.clone_into(&mut report.reason);
    for finding in &mut report.findings {
        odd.clone_into(&mut finding.sentence);
        odd.clone_into(&mut finding.cause);
        for site in &mut finding.sites {
            odd.clone_into(&mut site.file);
            odd.clone_into(&mut site.function);
            site.text = Some(odd.to_owned());
        }
    }
    for warning in &mut report.warnings {
        odd.clone_into(&mut warning.sentence);
        if let Some(site) = &mut warning.called_at {
            odd.clone_into(&mut site.file);
        }
    }
    let mut run = Run::of(report);
    for frame in &mut run.profile.as_mut().unwrap().frames {
        odd.clone_into(&mut frame.file);
        odd.clone_into(&mut frame.function);
    }
    run
}

#[test]
fn no_name_breaks_out_of_its_place() {
    let run = hostile();
    let material = run.material();
    for line in collapsed(&material, Weight::Live).lines() {
        let (stack, weight) = line.rsplit_once(' ').unwrap();
        assert!(weight.parse::<u64>().is_ok() && stack.split(';').count() <= 4, "{line}");
    }
    let (findings, warnings) = (run.report.findings.len(), run.report.warnings.len());
    let commands = github(&run.report);
    let begins = |with: &str| commands.lines().filter(|line| line.starts_with(with)).count();
    assert_eq!((begins("::error "), begins("::warning ")), (1 + findings, warnings), "{commands}");
    assert_eq!(commands.lines().count(), 1 + findings + warnings, "one line is one command");
    let metrics = openmetrics(&material);
    assert!(metrics.lines().all(|l| l.starts_with("# ") || l.starts_with("nilometer_")), "{metrics}");
    for line in jsonl(&material).lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    pretty(&speedscope(&material));
    pretty(&sarif(&run.report));
    let xml = junit(&run.report);
    assert!(!xml.contains("<b>") && !xml.contains('\u{0}') && !xml.contains('\u{1b}'));
    let text = markdown(&material);
    assert!(!text.contains("\n::error") && !text.contains("\n<b>"), "{text}");
}

#[test]
fn a_child_that_leaks_is_named_where_there_is_one_sentence() {
    let report = growing_worker();
    let leaks = "Memory of train.py leaks: loader (pid 4720), a process that the program started, grows by 4.0 MiB per epoch";
    assert!(github(&report).contains(leaks), "{}", github(&report));
    assert!(junit(&report).contains("failures=\"1\"") && junit(&report).contains(leaks));
    assert!(live_line(&report, 200).ends_with("leak in loader (pid 4720): +4.0 MiB per epoch"));
    let run = Run::of(report);
    let text = markdown(&run.material());
    assert!(text.contains("loader (pid 4720) grows by 4.0 MiB per epoch**, likely"), "{text}");
    assert!(!text.contains("+3.4 KiB per epoch"), "the program's own growth is not the answer: {text}");
    assert!(jsonl(&run.material()).contains("\"pid\":4720,\"rate\":\"4.0 MiB per epoch\""));
}

#[test]
fn what_is_redacted_is_in_no_form() {
    let mut run = Run::of(leak());
    let secret = "/home/secret/project/train.py";
    secret.clone_into(&mut run.report.program.name);
    run.report.program.argv = vec![secret.to_owned(), "--token=hunter2".to_owned()];
    run.report.losses.push(format!("({secret}) could not be read"));
    run.report.processes[0].role = format!("{secret} worker");
    run.report.reason = format!("{secret} (pid 7) grows");
    run.report.job.culprit = growing_worker().job.culprit;
    run.report.job.culprit.as_mut().unwrap().role = format!("{secret} worker");
    run.report.recorder = Some(format!("off: {secret} cannot be loaded"));
    let found_by = || Some(format!("the loop at {secret}:12"));
    run.report.cycles.kind = "loop";
    run.report.cycles.found_by = found_by();
    run.report.cycles.alternatives =
        vec![OtherCycles { unit: "turn", kind: "loop", found_by: found_by(), count: 40 }];
    for finding in &mut run.report.findings {
        finding.sentence = format!("{secret} keeps every prediction");
        finding.stack[1].file = secret.to_owned();
        finding.sites[0].file = secret.to_owned();
        finding.sites[0].text = Some("password = 'hunter2'  # a comment".to_owned());
        finding.change = Some("keep less instead of `password = 'hunter2'`".to_owned());
        let holder = finding.holder.as_mut().unwrap();
        holder.path = format!("module {secret}: kept[*]");
        holder.file = Some(secret.to_owned());
    }
    run.report.components[2].made_at = Some(run.report.findings[0].sites[0].clone());
    for traced in &mut run.report.retraced {
        traced.file = secret.to_owned();
        traced.caller_file = secret.to_owned();
    }
    run.profile.as_mut().unwrap().frames[0].file = secret.to_owned();
    let json = |run: &Run| serde_json::to_string(&(&run.report, &run.profile)).unwrap();
    assert!(json(&run).contains("hunter2") && json(&run).contains("/home/secret"));
    redact(&mut run.report, run.profile.as_mut());
    let told = json(&run);
    for gone in ["secret", "hunter2", "project/"] {
        assert!(!told.contains(gone), "{gone} in {told}");
    }
    assert!(told.contains("train.py"), "files keep their names");
    let material = run.material();
    assert!(!markdown(&material).contains("secret") && !speedscope(&material).contains("secret"));
}

#[test]
fn differences() {
    let (before, mut after) = (Run::of(leak()), Run::of(healthy()));
    after.report.growth.as_mut().unwrap().bytes_per_cycle = Bytes { estimate: 900, low: -2000, high: 3400 };
    after.profile.as_mut().unwrap().stacks.remove(0);
    for row in &mut after.cycles {
        row.live_bytes = Some(205 << 20);
    }
    let side = |run: &'_ Run| {
        let material = run.material();
        diff(
            Side { report: material.report, profile: material.profile, cycles: material.cycles },
            Side { report: &after.report, profile: after.profile.as_ref(), cycles: &after.cycles },
        )
    };
    let told = side(&before);
    insta::assert_snapshot!("diff_80", diff_terminal(&told, &Style { width: 80, color: false }));
    insta::assert_snapshot!("diff_60", diff_terminal(&told, &Style { width: 60, color: false }));
    insta::assert_snapshot!("diff_json", diff_json(&told));
    let same = side(&after);
    insta::assert_snapshot!("diff_same", diff_terminal(&same, &Style { width: 80, color: false }));
    let coloured = diff_terminal(&told, &Style { width: 80, color: true });
    assert!(coloured.contains('\u{1b}'));
}
