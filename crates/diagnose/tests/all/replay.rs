//! Evidence of real runs, judged by today's rules: a line per run, as one text that people review.
//!
//! In: `corpus/evidence`, with the truth of each run in `truth.tsv`. Out: one snapshot, and how the verdicts compare with the truth.
//! What must not happen here: an assertion about one run; a change of a rule shows as a difference of the snapshot.

use std::path::{Path, PathBuf};

use nilometer_diagnose::{Evidence, Finding, Report, Verdict, size};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/evidence")
}

/// A run: its name, and whether it leaks.
fn truths() -> Vec<(String, bool)> {
    let text = std::fs::read_to_string(folder().join("truth.tsv")).unwrap();
    let row = |line: &str| {
        let (name, truth) = line.split_once('\t').unwrap();
        assert!(["leak", "no_leak"].contains(&truth), "{line}");
        (name.to_owned(), truth == "leak")
    };
    text.lines().map(row).collect()
}

fn judged(name: &str) -> Report {
    let bytes = std::fs::read(folder().join(format!("{name}.evidence"))).unwrap();
    Evidence::from_bytes(&bytes).unwrap().judge(nilometer_frameworks::DIAGNOSE)
}

fn named(finding: &Finding) -> String {
    let held = finding.holder.as_ref().map(|holder| holder.path.as_str());
    let made = finding.sites.first().map(|site| {
        let file = site.file.rsplit('/').next().unwrap_or_default();
        format!("{file}:{}", site.line)
    });
    format!(
        "{} {} by {}",
        finding.confidence,
        finding.cause,
        held.map_or(made.unwrap_or_default(), str::to_owned)
    )
}

fn line(name: &str, report: &Report) -> String {
    let verdict = match report.verdict {
        Verdict::Leak => "leak".to_owned(),
        Verdict::NoLeak => "no leak".to_owned(),
        Verdict::Undecided => format!("undecided, {} more", report.cycles.needed.unwrap_or(0)),
    };
    let of = |bytes: i64| size(bytes as f64);
    let growth = report.growth.as_ref().map(|growth| growth.bytes_per_cycle);
    let growth = growth.map_or("-".to_owned(), |b| format!("{}..{}", of(b.low), of(b.high)));
    let findings: Vec<String> = report.findings.iter().map(named).collect();
    let findings = if findings.is_empty() { "-".to_owned() } else { findings.join("; ") };
    format!(
        "{name} | {verdict} | {growth} per {} of {} | {findings}\n",
        report.cycles.unit, report.cycles.count
    )
}

#[test]
fn the_verdicts_of_real_runs() {
    let truths = truths();
    let (mut text, mut accused, mut missed, mut open) = (String::new(), vec![], vec![], vec![]);
    for (name, leaks) in &truths {
        let report = judged(name);
        text += &line(name, &report);
        match report.verdict {
            Verdict::Leak if !leaks => accused.push(name.as_str()),
            Verdict::NoLeak if *leaks => missed.push(name.as_str()),
            Verdict::Undecided => open.push(name.as_str()),
            Verdict::Leak | Verdict::NoLeak => {}
        }
    }
    let leaks = truths.iter().filter(|(_, leaks)| *leaks).count();
    text += &format!("\n{} leaks, {} healthy\n", leaks, truths.len() - leaks);
    for (what, names) in [("accused", accused), ("missed", missed), ("undecided", open)] {
        text += &format!("{what}: {} {}\n", names.len(), names.join(" "));
    }
    insta::assert_snapshot!("replay", text);
}

#[test]
fn each_run_has_its_truth() {
    let mut names: Vec<String> = truths().into_iter().map(|(name, _)| name).collect();
    let files = std::fs::read_dir(folder()).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        let is_evidence = path.extension().is_some_and(|ending| ending == "evidence");
        is_evidence.then(|| path.file_stem().unwrap().to_string_lossy().into_owned())
    });
    let mut there: Vec<String> = files.collect();
    names.sort_unstable();
    there.sort_unstable();
    assert_eq!(names, there);
}
