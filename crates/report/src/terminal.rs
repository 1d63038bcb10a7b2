//! The report on a terminal: the verdict first, then what is no leak, then what was lost.
//!
//! In: a report and a style. Out: text with line breaks, escapes only where the style allows colour. Fits any width
//! from 40 columns on.

use anstyle::{AnsiColor, Style as Paint};
use nilometer_diagnose::{Kind, Report, Verdict, size};

use crate::Style;
use crate::headline::Headline;
use crate::markdown::verdict_words;
use crate::stillborn::stillborn;
use crate::words::{component, course, title};
use crate::wrap::wrap;

/// The screen at the end of a run.
pub fn terminal(report: &Report, style: &Style) -> String {
    draw(report, Screen::new(style))
}

/// The same with all findings, their stacks, who holds what, and how the sampling went.
pub fn terminal_verbose(report: &Report, style: &Style) -> String {
    draw(report, Screen { verbose: true, ..Screen::new(style) })
}

fn draw(report: &Report, mut screen: Screen) -> String {
    if let Some(sentence) = stillborn(report) {
        screen.line(&sentence, 11);
        return screen.out;
    }
    screen.heading(report);
    screen.verdict(report);
    screen.growing_children(report);
    screen.recorder(report);
    screen.findings(&report.findings, report.cycles.unit);
    screen.next_steps(&report.next_steps);
    screen.warnings(&report.warnings);
    screen.components(report);
    screen.devices(report);
    screen.processes(report);
    if screen.verbose {
        screen.endpoints(report);
        screen.holders(report);
        screen.phases(report);
        screen.sampling(report);
    }
    screen.losses(&report.losses);
    screen.out
}

pub(crate) struct Screen {
    pub(crate) out: String,
    pub(crate) width: usize,
    pub(crate) verbose: bool,
    color: bool,
}

impl Screen {
    pub(crate) fn new(style: &Style) -> Self {
        Self { out: String::new(), width: style.width.max(40), verbose: false, color: style.color }
    }

    pub(crate) fn line(&mut self, text: &str, indent: usize) {
        self.out.push_str(&wrap(text.trim_end(), self.width, indent));
        self.out.push('\n');
    }

    pub(crate) fn paint(&self, word: &str, paint: Paint) -> String {
        if self.color { format!("{paint}{word}{paint:#}") } else { word.to_owned() }
    }

    /// The word for a verdict, in its colour.
    pub(crate) fn verdict_word(&self, verdict: Verdict) -> String {
        let color = match verdict {
            Verdict::Leak => AnsiColor::Red,
            Verdict::NoLeak => AnsiColor::Green,
            Verdict::Undecided => AnsiColor::Yellow,
        };
        self.paint(&verdict_words(verdict).to_uppercase(), color.on_default().bold())
    }

    pub(crate) fn heading(&mut self, report: &Report) {
        let program = &report.program;
        let mut text = format!("nilometer  {}: {}", program.name, course::course(report));
        if let Some(peak) = report.memory.peak_bytes {
            text += &format!(", peak {}", size(peak as f64));
            if let (Some(limit), Some(name)) = (report.memory.limit_bytes, report.memory.limit) {
                text += &format!(" of {} ({})", size(limit as f64), course::limit_words(name));
            }
        }
        self.line(&text, 11);
        if let Some(attached) = &program.attached {
            self.line(&format!("           {}", course::since_attach(attached)), 11);
        }
        if let Some(end) = program.exit.as_ref().and_then(course::ending) {
            self.line(&format!("           {end}"), 11);
        }
        self.out.push('\n');
    }

    pub(crate) fn verdict(&mut self, report: &Report) {
        let word = self.verdict_word(report.verdict);
        let headline = Headline::of(report);
        let Some(growth) = headline.growth() else {
            let indent = verdict_words(report.verdict).len() + 2;
            self.line(&format!("{word}  {}", headline.why()), indent);
            return;
        };
        self.line(&format!("{word}  {growth}.{}", headline.until().unwrap_or_default()), 6);
        let is_wide = headline.limit.is_some_and(|limit| limit.earliest.is_some());
        if report.cycles.unit == "window" || is_wide {
            self.line(&format!("      {}", report.reason), 6);
        }
        self.made_in(report);
        for component in report.components.iter().filter(|c| c.kind == Kind::Growing) {
            self.line(&format!("      {}", component.sentence), 6);
        }
    }

    fn components(&mut self, report: &Report) {
        let unit = report.cycles.unit;
        let rest: Vec<_> = report.components.iter().filter(|c| c.kind != Kind::Growing).collect();
        if rest.is_empty() {
            return;
        }
        let title = title::components(report.verdict == Verdict::NoLeak);
        let title = self.paint(title, Paint::new().bold());
        self.out += &format!("\n{title}\n");
        let amounts: Vec<String> = rest.iter().map(|c| component::amount(c, unit)).collect();
        let widest = amounts.iter().map(|a| a.chars().count()).max().unwrap_or(0);
        for (part, amount) in rest.iter().zip(&amounts) {
            let made =
                part.made_at.as_ref().map_or(String::new(), |site| format!(", {}", component::place(site)));
            let sentence = format!("{}{made}", part.sentence);
            if self.width >= widest + 44 {
                self.line_in_columns(amount, widest, &sentence);
            } else {
                self.line(&format!("  {amount}: {sentence}"), 4);
            }
            for (word, text) in [("change", &part.change), ("prove it", &part.prove)] {
                match text {
                    Some(text) if self.width >= widest + 44 => {
                        self.line_in_columns("", widest, &format!("{word}: {text}"));
                    }
                    Some(text) => self.line(&format!("    {word}: {text}"), 6),
                    None => {}
                }
            }
        }
    }

    fn line_in_columns(&mut self, left: &str, widest: usize, right: &str) {
        let indent = widest + 4;
        let text = wrap(right, self.width - indent, 0).replace('\n', &format!("\n{:indent$}", ""));
        self.out += &format!("  {left:<widest$}  {text}\n");
    }

    fn losses(&mut self, losses: &[String]) {
        if losses.is_empty() {
            return;
        }
        let title = self.paint(title::NOT_SEEN, Paint::new().bold());
        self.out += &format!("\n{title}\n");
        for loss in losses {
            self.line(&format!("  {loss}"), 4);
        }
    }
}
