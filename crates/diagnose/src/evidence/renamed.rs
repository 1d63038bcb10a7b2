//! Evidence with other folders: what is kept for everybody should not name the machine it was made on.
//!
//! In: evidence, a folder, another name for it. Out: the same with the other name in every path. What must not happen here: a text that
//! still has the old one.

use nilometer_capture::{Observation, Record, Sampling, Stamped};

use super::Evidence;

impl Evidence {
    /// The same with `to` in the place of `from`, wherever that stands.
    #[must_use]
    pub fn renamed(&self, from: &str, to: &str) -> Self {
        let rename = |text: &mut String| {
            if text.contains(from) {
                *text = text.replace(from, to);
            }
        };
        let mut records: Vec<Stamped> = self.capture.records.clone();
        for stamped in &mut records {
            rename_record(&mut stamped.record, &rename);
        }
        Self { capture: self.capture.with_records(records), answers: self.answers.renamed(&rename) }
    }
}

fn rename_record(record: &mut Record, rename: &dyn Fn(&mut String)) {
    match record {
        Record::Fact { value, .. } => rename(value),
        Record::Child { role, .. } => rename(role),
        Record::Loss { what, .. } => rename(what),
        Record::Sampling(Sampling::Module { path: text, .. } | Sampling::Text { text, .. }) => {
            rename(text.to_mut());
        }
        Record::Observation(Observation::Trace(trace)) => {
            for text in [&mut trace.file, &mut trace.caller_file, &mut trace.why] {
                rename(text);
            }
        }
        Record::Observation(Observation::Holder(holder)) => {
            for text in [&mut holder.path, &mut holder.file, &mut holder.elements] {
                rename(text);
            }
        }
        _ => {}
    }
}
