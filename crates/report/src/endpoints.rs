//! Which endpoint makes the growth, for people.
//!
//! In: a leak per request. Out: one sentence, and a line for each endpoint. What must not happen here: an endpoint that is named without its
//! interval.

use anstyle::Style as Paint;
use nilometer_diagnose::{Endpoint, Report, counted};

use crate::terminal::Screen;
use crate::words::endpoint as words;

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
        return Some(words::together(together));
    }
    let named = growing.get(..MAX_NAMED).unwrap_or(&growing);
    let text = words::made_in(named, growing.len() - named.len(), unit);
    let apart = growing.iter().any(|one| !one.together_with.is_empty());
    Some(if apart { format!("{text} {}", words::NOT_APART) } else { text })
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
    let row =
        |one: &Endpoint| format!("| `{}` | {} | {} |\n", words::name(one), one.requests, words::course(one));
    let rows: String = all.iter().map(row).collect();
    let sentence = made_in(report).map_or(String::new(), |text| text + "\n\n");
    format!("{sentence}{}{rows}\n", words::table(report.cycles.unit))
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
                &format!(
                    "  {}: {}, {}",
                    words::name(one),
                    words::course(one),
                    counted(one.requests, report.cycles.unit)
                ),
                4,
            );
        }
    }
}
