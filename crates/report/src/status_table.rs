//! Recorded processes on a screen: a row each, with the top finding beneath it.
//!
//! In: states and a style. Out: lines no wider than the style's width, so that a terminal that redraws them keeps them apart.

use nilometer_diagnose::{Verdict, duration, size};

use crate::Style;
use crate::status::Status;
use crate::words::process as words;
use crate::wrap::columns;

const HEADS: [&str; 8] =
    ["PID", "PROGRAM", "CYCLES", "LIVE", "GROWTH PER CYCLE (95 %)", "VERDICT", "LEFT", "LIMIT IN"];
/// Longer names are cut.
const MAX_NAME_CHARS: usize = 24;
const UNKNOWN: &str = "-";

/// The table; a text that is not for a terminal (`cut` is false) keeps its long lines.
pub fn status_table(statuses: &[Status], style: &Style, cut: bool) -> String {
    let rows: Vec<[String; 8]> = statuses.iter().filter(|one| one.error.is_none()).map(row).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row.get(column).map_or(0, |cell| columns(cell)));
        cells.chain(HEADS.get(column).map(|head| head.len())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{:1$}", "", width.saturating_sub(columns(cell))));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = Vec::new();
    if !rows.is_empty() {
        lines.push(line(&HEADS.map(str::to_owned)));
    }
    let mut rows = rows.iter();
    for status in statuses {
        if let Some(error) = &status.error {
            lines.push(format!("unreadable: {error}"));
            continue;
        }
        lines.extend(rows.next().map(|row| line(row)));
        if let Some(service) = status.service.as_ref().filter(|service| service.ended > 0) {
            lines.push(format!("    {}", words::judged_together(service.workers, service.ended)));
        }
        if let Some(finding) = status.findings.first().filter(|_| status.verdict == Some(Verdict::Leak)) {
            let at = if finding.place.is_empty() { String::new() } else { format!(" ({})", finding.place) };
            lines.push(format!("    {}{at}, {}", finding.sentence, finding.confidence));
        }
    }
    let width = if cut { style.width } else { usize::MAX };
    // Names of files and programs may hold what a terminal takes for commands.
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let drawn = |line: String| line.chars().map(plain).take(width).chain(['\n']).collect::<String>();
    lines.into_iter().map(drawn).collect()
}

fn row(status: &Status) -> [String; 8] {
    let bytes = |bytes: Option<u64>| bytes.map_or_else(|| UNKNOWN.to_owned(), |bytes| size(bytes as f64));
    let pid = status.pid.map_or_else(|| UNKNOWN.to_owned(), |pid| pid.to_string());
    let growth = status.service.as_ref().map_or(status.growth, |service| service.growth);
    let growth = growth.map(|growth| {
        let (low, high) = (size(growth.low as f64), size(growth.high as f64));
        let sign = if growth.estimate > 0 { "+" } else { "" };
        format!("{sign}{} ({low} to {high})", size(growth.estimate as f64))
    });
    let (cycles, unit) = match &status.service {
        Some(service) => (service.cycles, &service.unit),
        None => (status.cycles, &status.unit),
    };
    let plural = if cycles == 1 { "" } else { "s" };
    let below = if status.worker_of.is_some() { "  " } else { "" };
    [
        if status.running { format!("{below}{pid}") } else { format!("{below}{pid} ended") },
        status.program.chars().take(MAX_NAME_CHARS).collect(),
        format!("{cycles} {unit}{plural}"),
        bytes(status.live_bytes.or(status.anonymous_bytes)),
        growth.unwrap_or_else(|| UNKNOWN.to_owned()),
        match status.verdict {
            Some(Verdict::Leak) => "LEAK",
            Some(Verdict::NoLeak) => "no leak",
            _ => "undecided",
        }
        .to_owned(),
        bytes(status.headroom_bytes.filter(|_| status.running)),
        status.limit_in_seconds.filter(|_| status.running).map_or_else(|| UNKNOWN.to_owned(), duration),
    ]
}

#[cfg(test)]
mod tests {
    use nilometer_diagnose::Bytes;

    use super::*;
    use crate::status::{Service, TopFinding};

    #[test]
    fn the_row_of_a_service_has_what_its_workers_do_together() {
        let growth = |estimate| Some(Bytes { estimate, low: estimate - 100, high: estimate + 100 });
        let mut program = Status {
            running: true,
            pid: Some(48213),
            program: "gunicorn".to_owned(),
            verdict: Some(Verdict::Leak),
            unit: "window".to_owned(),
            cycles: 60,
            service: Some(Service {
                workers: 1,
                ended: 8,
                unit: "request".to_owned(),
                cycles: 4211,
                growth: growth(2400),
            }),
            ..Status::default()
        };
        let worker = Status {
            running: true,
            pid: Some(48290),
            program: "gunicorn".to_owned(),
            unit: "request".to_owned(),
            cycles: 402,
            growth: growth(2500),
            worker_of: Some(48213),
            ..Status::default()
        };
        let shown = |all: &[Status]| status_table(all, &Style { width: 60, color: false }, false);
        insta::assert_snapshot!(shown(&[program.clone(), worker]));
        if let Some(service) = &mut program.service {
            (service.workers, service.ended) = (0, 1);
        }
        assert!(shown(&[program.clone()]).contains("judged with 1 worker that ended"));
        if let Some(service) = &mut program.service {
            (service.workers, service.ended) = (2, 0);
        }
        assert!(!shown(&[program]).contains("judged with"));
    }

    #[test]
    fn rows_stand_under_their_heads_and_are_cut_for_a_terminal() {
        let leak = Status {
            running: true,
            pid: Some(4321),
            program: "server.py".to_owned(),
            verdict: Some(Verdict::Leak),
            unit: "request".to_owned(),
            cycles: 1204,
            live_bytes: Some(412 << 20),
            growth: Some(Bytes { estimate: 1024, low: 976, high: 1100 }),
            headroom_bytes: Some(6 << 30),
            limit_in_seconds: Some(90_000.0),
            findings: vec![TopFinding {
                sentence: "app.SEEN keeps every answer".to_owned(),
                place: "app.py:12".to_owned(),
                confidence: "certain".to_owned(),
                ..TopFinding::default()
            }],
            ..Status::default()
        };
        let fine = Status {
            program: "batch.py".to_owned(),
            pid: Some(7),
            unit: "epoch".to_owned(),
            cycles: 1,
            ..Status::default()
        };
        let torn = Status::unreadable("x.nilo", "x\u{1b}[2J.nilo is empty");
        let all = [leak, fine, torn];
        insta::assert_snapshot!(status_table(&all, &Style { width: 60, color: false }, false));
        let narrow = status_table(&all, &Style { width: 60, color: false }, true);
        assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    }
}
