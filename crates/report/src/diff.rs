//! What differs between two runs, on a terminal and as JSON (`docs/diff.schema.json`).
//!
//! In: a difference. Out: the sentence first, then only what changed; the JSON has the rest too.

use anstyle::{AnsiColor, Style as Paint};
use nilometer_diagnose::{Change, Diff, Difference, Verdict, duration, plural, size};

use crate::Style;
use crate::markdown::verdict_words;
use crate::sparkline;
use crate::terminal::Screen;
use crate::words::growth::interval;
use crate::words::title;

/// Changes told per list.
const MAX_CHANGES: usize = 8;
/// One part in so many of a list's biggest change is not worth a line.
const MIN_CHANGE_DIVISOR: u64 = 100;

/// The screen.
pub fn diff_terminal(diff: &Diff, style: &Style) -> String {
    let mut screen = Screen::new(style);
    for (letter, side) in [("A", &diff.a), ("B", &diff.b)] {
        let rate = side.bytes_per_cycle.as_ref().filter(|_| side.verdict != Verdict::NoLeak);
        let rate = rate.map_or(String::new(), |bytes| {
            format!(", {} per {} ({})", signed(bytes.estimate), side.unit, interval(bytes))
        });
        let cycles = if side.cycles == 1 { side.unit.to_owned() } else { plural(side.unit) };
        let time = duration(side.seconds);
        let (name, verdict) = (&side.name, verdict_words(side.verdict));
        screen.line(&format!("{letter}  {name}: {} {cycles} in {time}, {verdict}{rate}", side.cycles), 3);
    }
    screen.out.push('\n');
    let (word, paint) = match diff.growth.as_ref().map(|growth| growth.change) {
        Some(Change::Grew) => ("MORE", AnsiColor::Red),
        Some(Change::Shrank) => ("LESS", AnsiColor::Green),
        Some(_) => ("SAME", AnsiColor::Green),
        None => ("UNKNOWN", AnsiColor::Yellow),
    };
    let painted = screen.paint(word, paint.on_default().bold());
    screen.line(&format!("{painted}  {}.", diff.sentence), word.len() + 2);
    let per = format!(" per {}", diff.b.unit);
    list(&mut screen, &format!("GROWTH{} BY CAUSE", per.to_uppercase()), &diff.causes, &per);
    list(&mut screen, &format!("GROWTH{} BY HOLDER", per.to_uppercase()), &diff.holders, &per);
    list(&mut screen, &format!("GROWTH{} BY SITE", per.to_uppercase()), &diff.sites, &per);
    list(&mut screen, title::LIVE_BY_HOLDER, &diff.live_by_holder, "");
    list(&mut screen, title::LIVE_BY_SITE, &diff.live_by_site, "");
    list(&mut screen, title::LIVE_BY_PHASE, &diff.phases, "");
    list(&mut screen, title::KINDS, &diff.kinds, "");
    list(&mut screen, "LEVELS", &diff.levels, "");
    curve(&mut screen, diff);
    screen.out
}

/// One JSON document.
pub fn diff_json(diff: &Diff) -> String {
    // A difference holds strings, whole numbers and finite floats under string keys: it always serialises.
    serde_json::to_string_pretty(diff).map_or_else(|_| String::new(), |text| text + "\n")
}

fn list(screen: &mut Screen, title: &str, differences: &[Difference], per: &str) {
    let most = differences.iter().map(|d| d.difference.unsigned_abs()).max().unwrap_or(0);
    let told = |d: &&Difference| d.is_change() && d.difference.unsigned_abs() >= most / MIN_CHANGE_DIVISOR;
    let changed: Vec<&Difference> = differences.iter().filter(told).collect();
    if changed.is_empty() {
        return;
    }
    let title = screen.paint(title, Paint::new().bold());
    screen.out += &format!("\n{title}\n");
    for difference in changed.iter().take(MAX_CHANGES) {
        let course = match (difference.a, difference.b) {
            (Some(a), Some(b)) => format!(" ({}, now {})", size(a as f64), size(b as f64)),
            _ => String::new(),
        };
        let (word, by) = (word(difference.change), signed(difference.difference));
        screen.line(&format!("  {word:<8}  {by}{per}  {}{course}", difference.name), 12);
    }
    if let Some(more) = changed.len().checked_sub(MAX_CHANGES).filter(|more| *more > 0) {
        screen.line(&format!("  and {more} smaller"), 4);
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Appeared => "appeared",
        Change::Went => "went",
        Change::Grew => "grew",
        Change::Shrank => "shrank",
        Change::Same => "same",
    }
}

fn signed(bytes: i64) -> String {
    format!("{}{}", if bytes > 0 { "+" } else { "" }, size(bytes as f64))
}

/// Both curves between the same two levels.
fn curve(screen: &mut Screen, diff: &Diff) {
    if diff.curve.len() < 3 {
        return;
    }
    let mut levels: Vec<u64> = diff.curve.iter().map(|p| p.a).collect();
    levels.extend(diff.curve.iter().map(|p| p.b));
    let width = screen.width.saturating_sub(20).min(60);
    let (Some(least), Some(most)) = (levels.iter().min(), levels.iter().max()) else { return };
    let title = screen.paint(&format!("LIVE MEMORY BY {}", diff.b.unit.to_uppercase()), Paint::new().bold());
    let (least, most) = (*least, *most);
    screen.out += &format!("\n{title}  ({} to {})\n", size(least as f64), size(most as f64));
    for (letter, pick) in [("A", 0), ("B", 1)] {
        let own = diff.curve.iter().map(|p| if pick == 0 { p.a } else { p.b });
        let values: Vec<u64> = own.collect();
        let end = values.last().copied().unwrap_or(0);
        let line = sparkline::between(&values, width, least, most);
        screen.out += &format!("  {letter}  {line}  {}\n", size(end as f64));
    }
}
