//! The table of worlds: a line for each, and how the verdicts compare with the truth.
//!
//! In: names, truths and reports. Out: one text. What must not happen here: a number that another run would not print.

use std::collections::BTreeSet;

use nilometer_diagnose::{Bytes, Report, Verdict, size};

/// What is true of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Truth {
    /// So many bytes stay of each cycle that is told, or of each minute where minutes are.
    Leak(i64),
    Healthy,
    /// Nobody could blame either verdict.
    Either,
}

/// A leak of so many bytes, or nothing.
pub(crate) fn of(bytes: i64) -> Truth {
    if bytes == 0 { Truth::Healthy } else { Truth::Leak(bytes) }
}

/// A title, and what fills in the worlds.
pub(crate) type Titled = (&'static str, fn(&mut Theme));

struct Row {
    name: String,
    truth: Truth,
    report: Report,
}

/// Worlds that are alike.
pub(crate) struct Theme {
    title: &'static str,
    rows: Vec<Row>,
}

impl Theme {
    pub(crate) fn world(&mut self, name: impl Into<String>, truth: Truth, report: Report) {
        self.rows.push(Row { name: name.into(), truth, report });
    }
}

impl Row {
    /// Growth that was told: of the process that is to blame.
    fn growth(&self) -> Option<Bytes> {
        let culprit = self.report.job.culprit.as_ref();
        let of_child = culprit.and_then(|culprit| culprit.bytes_per_cycle.or(culprit.bytes_per_minute));
        let of_child = of_child.or(self.report.job.lives.as_ref().map(|lives| lives.bytes_per_cycle));
        of_child.or(self.report.growth.as_ref().map(|growth| growth.bytes_per_cycle))
    }

    fn line(&self) -> String {
        let report = &self.report;
        let verdict = match (report.verdict, report.cycles.needed) {
            (Verdict::Leak, _) => "leak".to_owned(),
            (Verdict::NoLeak, _) => "no leak".to_owned(),
            (Verdict::Undecided, None) => "undecided".to_owned(),
            (Verdict::Undecided, Some(needed)) => format!("undecided, {needed} more"),
        };
        let of = |bytes: i64| size(bytes as f64);
        let growth = self.growth().map_or("-".to_owned(), |b| format!("{}..{}", of(b.low), of(b.high)));
        let findings = match report.findings.as_slice() {
            [] => "-".to_owned(),
            [first, ..] => format!("{}: {} {}", report.findings.len(), first.confidence, first.sentence),
        };
        format!("{} | {verdict} | {growth} | {} | {findings}\n", self.name, report.reason)
    }

    fn is_missed(&self) -> bool {
        matches!((self.truth, self.report.verdict), (Truth::Leak(_), Verdict::NoLeak))
    }

    /// Whether an epoch or fit adds so little to live memory that nobody needs to hear of it.
    fn is_little(&self) -> bool {
        let live = self.report.memory.live_bytes.unwrap_or(0) as f64;
        let is_long = ["epoch", "fit"].contains(&self.report.cycles.unit);
        matches!(self.truth, Truth::Leak(bytes) if is_long && bytes as f64 <= TOLERANCE * live)
    }

    fn holds_the_truth(&self) -> bool {
        let (Truth::Leak(bytes), Some(growth)) = (self.truth, self.growth()) else { return true };
        // A world's own levels are whole bytes.
        let rounding = bytes / 1000;
        growth.low - rounding <= bytes && bytes <= growth.high + rounding
    }
}

/// As in `stretch.rs`.
const TOLERANCE: f64 = 0.0005;

type Is = fn(&Row) -> bool;

/// What a verdict is against the truth; a world may be in two of these.
const AGAINST: [(&str, Is); 5] = [
    ("accused innocents", |row| matches!((row.truth, row.report.verdict), (Truth::Healthy, Verdict::Leak))),
    ("missed leaks", |row| row.is_missed() && !row.is_little()),
    ("missed leaks of little beside live memory", |row| row.is_missed() && row.is_little()),
    ("undecided", |row| !matches!(row.truth, Truth::Either) && row.report.verdict == Verdict::Undecided),
    ("wrong interval", |row| row.report.verdict != Verdict::NoLeak && !row.holds_the_truth()),
];

/// The text of all themes; each is made by a thread of its own.
pub(crate) fn atlas(themes: &[Titled]) -> String {
    let made = |title, worlds: fn(&mut Theme)| {
        let mut theme = Theme { title, rows: Vec::new() };
        worlds(&mut theme);
        theme
    };
    let themes: Vec<Theme> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            themes.iter().map(|(title, worlds)| scope.spawn(move || made(title, *worlds))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut text = "world | verdict | growth per cycle | reason | findings\n".to_owned();
    for theme in &themes {
        text += &format!("\n# {}\n\n", theme.title);
        text.extend(theme.rows.iter().map(Row::line));
    }
    text + &against_the_truth(&themes)
}

fn against_the_truth(themes: &[Theme]) -> String {
    let rows = || themes.iter().flat_map(|theme| &theme.rows);
    let names: BTreeSet<&str> = rows().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows().count(), "each world has a name of its own");
    let leaks = rows().filter(|row| matches!(row.truth, Truth::Leak(_))).count();
    let healthy = rows().filter(|row| matches!(row.truth, Truth::Healthy)).count();
    let either = names.len() - leaks - healthy;
    let mut text = format!(
        "\n# against the truth\n\nworlds: {}, of them {leaks} leaks, {healthy} healthy, {either} either\n",
        names.len()
    );
    for (what, is) in AGAINST {
        let those: Vec<&str> = rows().filter(|row| is(row)).map(|row| row.name.as_str()).collect();
        text += &format!("{what}: {}\n", those.len());
        text.extend(those.iter().map(|name| format!("    {name}\n")));
    }
    text
}
