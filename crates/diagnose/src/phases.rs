//! Which phase the memory came in.
//!
//! In: records in the order of time. Out: the rise of live memory between neighbouring readings, each laid to the
//! phase the program was in. A rise between two readings that a phase edge without a reading lies between is laid to
//! no phase: better unknown than wrong.

use nilometer_capture::{Capture, Edge, Moment, Record};

use crate::timeline::{Basis, Timeline};

/// A rise (or fall) between two neighbouring readings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stretch {
    /// The later of the two readings, as an index into the timeline.
    pub(crate) reading: usize,
    /// The phase, in the words of [`group`]; `None` if it can't be told.
    pub(crate) phase: Option<String>,
    /// Bytes.
    pub(crate) bytes: f64,
}

/// What the program does outside of every phase.
pub(crate) const OWN_WORK: &str = "program";

/// Lays every rise to its phase.
pub(crate) fn stretches(capture: &Capture, timeline: &Timeline, basis: Basis) -> Vec<Stretch> {
    let mut out = Vec::new();
    let mut open: Vec<(u64, &str)> = Vec::new();
    let mut edge: Option<(u64, &str, Edge)> = None;
    let mut sure = true;
    let mut last = 0.0;
    let mut reading = 0;
    for stamped in &capture.records {
        match &stamped.record {
            Record::Phase { name, edge: kind, thread } => {
                if let Some(unread) = edge.take() {
                    apply(&mut open, unread);
                    sure = false;
                }
                edge = Some((*thread, name, *kind));
            }
            Record::Reading { moment, .. } => {
                let at_edge = *moment == Moment::Phase;
                if !at_edge && let Some(unread) = edge.take() {
                    apply(&mut open, unread);
                    sure = false;
                }
                if let Some(level) = timeline.readings.get(reading).and_then(|r| r.level(basis)) {
                    let phase = sure.then(|| group(&open).to_owned());
                    out.push(Stretch { reading, phase, bytes: level - last });
                    last = level;
                    sure = true;
                }
                if let Some(read) = edge.take() {
                    apply(&mut open, read);
                }
                reading += 1;
            }
            _ => {}
        }
    }
    out
}

fn apply<'a>(open: &mut Vec<(u64, &'a str)>, (thread, name, edge): (u64, &'a str, Edge)) {
    match edge {
        Edge::Begin => open.push((thread, name)),
        Edge::End => {
            if let Some(at) = open.iter().rposition(|(t, n)| *t == thread && *n == name) {
                open.remove(at);
            }
        }
    }
}

/// The word under which a nest of phases is told: the innermost, except for parts that only make sense as part of
/// the phase around them.
fn group<'a>(open: &[(u64, &'a str)]) -> &'a str {
    if open.iter().any(|(_, name)| *name == "import") {
        return "import";
    }
    for (_, name) in open.iter().rev() {
        match *name {
            "trace" | "fit" | "data_adapter" => {} // parts of the call that wants them
            "build" if open.iter().any(|(_, n)| *n == "fit_entry") => return "fit_entry",
            "build" if open.iter().any(|(_, n)| *n == "first_batch") => return "first_batch",
            name => return name,
        }
    }
    open.first().map_or(OWN_WORK, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::group;

    #[test]
    fn parts_are_told_as_the_phase_around_them() {
        let cases: [(&[&str], &str); 7] = [
            (&[], "program"),
            (&["trace"], "trace"),
            (&["fit", "fit_entry", "data_adapter"], "fit_entry"),
            (&["fit", "epoch", "first_batch", "trace"], "first_batch"),
            (&["fit", "epoch", "first_batch", "build"], "first_batch"),
            (&["fit", "epoch", "predict", "data_adapter"], "predict"),
            (&["fit", "epoch", "import"], "import"),
        ];
        for (names, told) in cases {
            let open: Vec<_> = names.iter().map(|n| (1, *n)).collect();
            assert_eq!(group(&open), told, "{names:?}");
        }
    }
}
