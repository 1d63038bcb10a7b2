//! A report of a notebook in the notebook's own words: `In [12]` for the file of a cell.
//!
//! In: a report, and the facts of cells. Out: the report. What must not happen here: another verdict than the one that was made.

use nilometer_capture::Capture;

use super::{Judged, PHASE, called, cell};
use crate::report::{Component, Finding, Holder, Kind, Report, Site, Verdict};
use crate::told::words::{found_by, narrowed, parts};

/// The cause that is about what the notebook shows.
const KEEPS_OUTPUT: &str = "notebook-keeps-output";

/// Files of cells, and what the notebook calls them.
pub(crate) struct Shown {
    /// File, its last part, and `In [12]`; the cell that ran last with that source.
    cells: Vec<(String, String, String)>,
}

impl Shown {
    pub(crate) fn of(capture: &Capture) -> Self {
        let mut cells: Vec<(String, String, String)> = Vec::new();
        for (number, said) in capture.records.iter().filter_map(|stamped| cell(&stamped.record)) {
            let last = said.file.rsplit('/').next().unwrap_or_default().to_owned();
            cells.retain(|(file, ..)| *file != said.file);
            if !said.file.is_empty() {
                cells.push((said.file, last, called(number)));
            }
        }
        Self { cells }
    }

    /// Says cells for files, and what was judged.
    pub(crate) fn tell(&self, report: &mut Report, judged: &Judged) {
        report.findings.iter_mut().for_each(|finding| self.finding(finding));
        few(&mut report.components);
        for component in &mut report.components {
            self.words(&mut component.sentence);
            component.made_at.iter_mut().for_each(|site| self.site(site));
        }
        report.holders.iter_mut().for_each(|held| self.holder(&mut held.holder));
        if !judged.repeats && report.verdict == Verdict::Undecided {
            narrowed::no_cell_repeats().clone_into(&mut report.reason);
            report.cycles.needed = None;
            report.growth = None;
            report.findings.clear();
        }
        if report.cycles.kind == "cell" {
            report.cycles.found_by = Some(found_by::cell(&called(judged.number)));
        }
    }

    fn finding(&self, finding: &mut Finding) {
        finding.sites.iter_mut().for_each(|site| self.site(site));
        finding.stack.iter_mut().for_each(|frame| self.file(&mut frame.file));
        finding.holder.iter_mut().chain(&mut finding.also_held_by).for_each(|holder| self.holder(holder));
        // The names of `__main__`, of which those that grow in number are the outputs'.
        if finding.cause == KEEPS_OUTPUT {
            let dict = || Holder { kind: "dict".to_owned(), ..Holder::default() };
            "Out[*]".clone_into(&mut finding.holder.get_or_insert_with(dict).path);
        }
        self.words(&mut finding.sentence);
        finding.change.iter_mut().for_each(|change| self.words(change));
    }

    fn site(&self, site: &mut Site) {
        self.file(&mut site.file);
    }

    fn holder(&self, holder: &mut Holder) {
        holder.file.iter_mut().for_each(|file| self.file(file));
    }

    fn file(&self, file: &mut String) {
        if let Some((.., cell)) = self.cells.iter().find(|(full, last, _)| full == file || last == file) {
            file.clone_from(cell);
        }
    }

    fn words(&self, text: &mut String) {
        for (full, last, cell) in &self.cells {
            if text.contains(last.as_str()) {
                *text = text.replace(full.as_str(), cell).replace(last.as_str(), cell);
            }
        }
    }
}

/// Cells that are told of one by one.
const MAX_CELLS: usize = 6;

/// What the cells left that left least, as one part of the curve.
fn few(components: &mut Vec<Component>) {
    let is_cells = |one: &Component| {
        one.kind == Kind::OneTime && one.phase.as_deref().is_some_and(|phase| phase.starts_with(PHASE))
    };
    let mut bytes: Vec<i64> = components.iter().filter(|one| is_cells(one)).map(|one| one.bytes).collect();
    bytes.sort_unstable();
    let Some(least) = bytes.len().checked_sub(MAX_CELLS).and_then(|at| bytes.get(at)).copied() else {
        return;
    };
    // Of several that left as much, the first ones.
    let mut room = MAX_CELLS - bytes.iter().filter(|one| **one > least).count();
    let (mut others, mut count) = (0, 0);
    components.retain(|one| {
        let mut goes = is_cells(one) && one.bytes <= least;
        if goes && one.bytes == least && room > 0 {
            (goes, room) = (false, room - 1);
        }
        if goes {
            (others, count) = (others + one.bytes, count + 1);
        }
        !goes
    });
    if count > 0 {
        let phase = format!("{count} other cells");
        let rest = Component {
            kind: Kind::OneTime,
            phase: Some(phase),
            bytes: others,
            bytes_per_cycle: None,
            sentence: parts::other_cells().to_owned(),
            made_at: None,
            change: None,
            prove: None,
        };
        let at = components.iter().rposition(is_cells).map_or(components.len(), |at| at + 1);
        components.insert(at, rest);
    }
}
