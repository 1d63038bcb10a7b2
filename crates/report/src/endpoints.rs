//! Which endpoint makes the growth, for people.
//!
//! In: a leak per request. Out: one sentence, and a line for each endpoint. What must not happen here: an endpoint that is named without its
//! interval.

use anstyle::Style as Paint;
use nilometer_diagnose::{Bytes, Endpoint, Report, size};

use crate::terminal::Screen;

/// Endpoints in the sentence; the list has all.
const MAX_NAMED: usize = 3;

/// `Growth is made in POST /score: +10.1 KiB per request of it (95 %: 9.8 KiB to 10.4 KiB).` Nothing where no endpoint is sure.
pub(crate) fn made_in(report: &Report) -> Option<String> {
    let all = endpoints(report);
    let unit = report.cycles.unit;
    let growing: Vec<&Endpoint> = all.iter().filter(|one| one.grows).collect();
    if growing.is_empty() {
        // What comes together may be all there is: then that is why nobody is named.
        let together = all.iter().find(|one| !one.together_with.is_empty() && !one.is_flat)?;
        let names = together
            .together_with
            .iter()
            .fold(together.name.clone(), |names, name| format!("{names} and {name}"));
        return Some(format!("{names} always come together; they cannot be told apart."));
    }
    let named: Vec<String> = growing.iter().take(MAX_NAMED).map(|one| words(one, unit)).collect();
    let more = growing.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!("; and in {more} more") } else { String::new() };
    let text = format!("Growth is made in {}{more}.", named.join("; in "));
    let apart = growing.iter().any(|one| !one.together_with.is_empty());
    Some(if apart { format!("{text} What comes together cannot be told apart.") } else { text })
}

fn words(one: &Endpoint, unit: &str) -> String {
    let of = if one.together_with.is_empty() { "of it" } else { "of either" };
    let Bytes { estimate, low, high } = one.bytes_per_request;
    let range = format!("95 %: {} to {}", size(low as f64), size(high as f64));
    format!("{}: +{} per {unit} {of} ({range})", name(one), size(estimate as f64))
}

/// Its name, with those that cannot be told from it.
fn name(one: &Endpoint) -> String {
    one.together_with.iter().fold(one.name.clone(), |names, other| format!("{names} or {other}"))
}

/// What an endpoint does, in a word or two.
fn course(one: &Endpoint) -> String {
    let Bytes { estimate, low, high } = one.bytes_per_request;
    if one.grows {
        format!("+{} each", size(estimate as f64))
    } else if one.is_flat {
        "flat".to_owned()
    } else {
        format!("not known: {} to {} each", size(low as f64), size(high as f64))
    }
}

fn endpoints(report: &Report) -> &[Endpoint] {
    // Growth is the program's own.
    let growth = report.growth.as_ref().filter(|_| report.job.is_own());
    growth.map_or(&[], |growth| &growth.endpoints)
}

/// As a table, for markdown.
pub(crate) fn table(report: &Report) -> String {
    let all = endpoints(report);
    if all.is_empty() {
        return String::new();
    }
    let row = |one: &Endpoint| format!("| `{}` | {} | {} |\n", name(one), one.requests, course(one));
    let rows: String = all.iter().map(row).collect();
    let sentence = made_in(report).map_or(String::new(), |text| text + "\n\n");
    format!("{sentence}| endpoint | {}s | growth |\n|---|---|---|\n{rows}\n", report.cycles.unit)
}

impl Screen {
    /// Which endpoint makes the growth.
    pub(crate) fn made_in(&mut self, report: &Report) {
        if let Some(text) = made_in(report) {
            self.line(&format!("      {text}"), 6);
        }
    }

    /// All endpoints, those without growth too.
    pub(crate) fn endpoints(&mut self, report: &Report) {
        for (i, one) in endpoints(report).iter().enumerate() {
            if i == 0 {
                let title = self.paint("ENDPOINTS", Paint::new().bold());
                self.out += &format!("\n{title}\n");
            }
            self.line(
                &format!("  {}: {}, {} {}s", name(one), course(one), one.requests, report.cycles.unit),
                4,
            );
        }
    }
}
