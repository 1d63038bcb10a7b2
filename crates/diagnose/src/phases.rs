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

/// The phase at every moment.
#[derive(Debug, Default)]
pub(crate) struct Course<'a> {
    /// When each stretch began, and its phase in the words of [`group`].
    begins: Vec<(u64, &'a str)>,
}

impl<'a> Course<'a> {
    pub(crate) fn of(capture: &'a Capture) -> Self {
        let mut nest = Nest::default();
        let mut out = Self::default();
        for stamped in &capture.records {
            if let Record::Phase { name, edge, thread } = &stamped.record {
                nest.edge = Some((*thread, name, *edge));
                nest.apply();
                let phase = group(&nest.open);
                if out.begins.last().is_none_or(|(_, last)| *last != phase) {
                    out.begins.push((stamped.at_ns, phase));
                }
            }
        }
        out
    }

    /// Stretches from the start to `end_ns`, each with its phase.
    pub(crate) fn spans(&self, end_ns: u64) -> impl Iterator<Item = (u64, u64, &'a str)> {
        let first = (0, OWN_WORK);
        let begins = std::iter::once(first).chain(self.begins.iter().copied());
        let ends = self.begins.iter().map(|(begin, _)| *begin).chain([end_ns]);
        begins
            .zip(ends)
            .filter(|((begin, _), end)| begin < end)
            .map(|((begin, phase), end)| (begin, end, phase))
    }

    pub(crate) fn at(&self, at_ns: u64) -> &'a str {
        let next = self.begins.partition_point(|(begin, _)| *begin <= at_ns);
        next.checked_sub(1).map_or(OWN_WORK, |i| self.begins[i].1)
    }
}

/// What the program does outside of every phase.
pub(crate) const OWN_WORK: &str = "program";
/// What a program had already when the recording of it began: no phase of it was seen.
pub(crate) const BEFORE_RECORDING: &str = "before";

/// While a framework is being imported.
pub(crate) const IMPORT: &str = "import";

/// Lays every rise to its phase.
pub(crate) fn stretches(capture: &Capture, timeline: &Timeline, basis: Basis) -> Vec<Stretch> {
    let mut out = Vec::new();
    let mut before = began_late(capture).then(|| BEFORE_RECORDING.to_owned());
    let mut nest = Nest::default();
    let mut last = 0.0;
    let mut reading = 0;
    for stamped in &capture.records {
        match &stamped.record {
            Record::Phase { name, edge: kind, thread } => {
                nest.pass_unread();
                nest.edge = Some((*thread, name, *kind));
            }
            Record::Reading { moment, .. } => {
                if *moment != Moment::Phase {
                    nest.pass_unread();
                }
                if let Some(level) = timeline.readings.get(reading).and_then(|r| r.level(basis)) {
                    let phase = before.take().or_else(|| nest.phase());
                    out.push(Stretch { reading, phase, bytes: level - last });
                    last = level;
                    nest.begin_stretch();
                } else {
                    nest.pass_unread();
                }
                reading += 1;
            }
            _ => {}
        }
    }
    out
}

/// Whether the program had run for a while when the recording began: by an attach, or by itself.
fn began_late(capture: &Capture) -> bool {
    let says_so = |key: &str| matches!(key, "attached.uptime" | "begun_by");
    capture.records.iter().any(|stamped| matches!(&stamped.record, Record::Fact { key, .. } if says_so(key)))
}

/// The phases that are open, and what was passed since the last reading.
#[derive(Default)]
struct Nest<'a> {
    open: Vec<(u64, &'a str)>,
    /// An edge that the next record may be the reading of.
    edge: Option<(u64, &'a str, Edge)>,
    /// An edge without a reading led to another phase: the rise cannot be laid to one of the two.
    mixed: bool,
}

impl Nest<'_> {
    /// The phase of the stretch that ends with a reading.
    fn phase(&self) -> Option<String> {
        (!self.mixed).then(|| group(&self.open).to_owned())
    }

    /// The edge was not read. It matters only where it leads to a phase of another name: graphs traced inside `predict` are
    /// told as `predict` anyway.
    fn pass_unread(&mut self) {
        let before = group(&self.open);
        if self.edge.is_some() {
            self.apply();
            self.mixed |= group(&self.open) != before;
        }
    }

    /// A reading was taken, at the edge if there is one.
    fn begin_stretch(&mut self) {
        self.apply();
        self.mixed = false;
    }

    fn apply(&mut self) {
        match self.edge.take() {
            Some((thread, name, Edge::Begin)) => self.open.push((thread, name)),
            Some((thread, name, Edge::End)) => {
                if let Some(at) = self.open.iter().rposition(|(t, n)| *t == thread && *n == name) {
                    self.open.remove(at);
                }
            }
            None => {}
        }
    }
}

/// The word under which a nest of phases is told: the innermost, except for parts that only make sense as part of
/// the phase around them.
fn group<'a>(open: &[(u64, &'a str)]) -> &'a str {
    if open.iter().any(|(_, name)| *name == IMPORT) {
        return IMPORT;
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
