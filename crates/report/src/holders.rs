//! Who held how much at the last look at the heap, for a terminal.

use nilometer_diagnose::{HolderBytes, Report, size};

use crate::Style;
use crate::words::holders as words;
use crate::wrap::wrap;

/// Holders on the screen; the JSON has more.
const MAX_HOLDERS: usize = 20;

/// The holders, the biggest first.
pub fn holders(report: &Report, style: &Style) -> String {
    let width = style.width.max(40);
    let mut out = format!("{}\n\n", words::heading(&report.program.name));
    if report.holders.is_empty() {
        out += &wrap(words::NONE, width, 0);
        out.push('\n');
        return out;
    }
    let amounts: Vec<String> = report.holders.iter().map(|h| size(h.live_bytes as f64)).collect();
    let widest = amounts.iter().take(MAX_HOLDERS).map(|a| a.chars().count()).max().unwrap_or(0);
    for (HolderBytes { holder, .. }, amount) in report.holders.iter().zip(&amounts).take(MAX_HOLDERS) {
        let mut text = format!("{amount:>widest$}  {}", holder.path);
        let content = holder.content(report.cycles.unit);
        if !content.is_empty() {
            text += &format!("  {content}");
        }
        if let Some(bound) = holder.bound {
            text += &format!(", at most {bound}");
        }
        out += &wrap(&text, width, widest + 4);
        out.push('\n');
    }
    if let Some(more) = report.holders.len().checked_sub(MAX_HOLDERS).filter(|more| *more > 0) {
        out += &format!("{}\n", words::more(more));
    }
    out
}
