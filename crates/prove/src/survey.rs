//! The survey of the program by the first run: what can be removed or changed.
//!
//! In: the facts and counts of the first run's capture. Out: the same in the checklist's terms.

use std::collections::BTreeMap;

/// Counts of the capture that matter here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Models that were made.
    pub models: u64,
    /// Calls of traced functions outside of Keras.
    pub calls: u64,
    /// Whether the machine has a GPU.
    pub gpu: bool,
}

/// A callback of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// Its class.
    pub name: String,
    /// Where its methods are: file, first and last line.
    pub span: Option<(String, u32, u32)>,
}

/// The features of the program.
#[expect(clippy::struct_excessive_bools, reason = "each is there or not")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The callbacks that `fit` got, in order of their names.
    pub callbacks: Vec<Callback>,
    /// `fit` validates.
    pub validates: bool,
    /// `fit` gets its batches from a running source.
    pub streams: bool,
    /// The pipeline caches, shuffles or prefetches.
    pub buffers: bool,
    /// Worker threads or processes load batches for `fit`.
    pub workers: bool,
    /// The program asks for eager execution.
    pub eager: bool,
    /// The collector is switched off, or objects are frozen.
    pub collector_off: bool,
    /// Growing containers of the program's own, by name.
    pub grown: Vec<String>,
    /// The epochs after which `fit` was stopped.
    pub stopped: Option<u64>,
    /// Paths outside the folder whose writing was refused or seen.
    pub outside: Vec<String>,
    /// Counts of the capture.
    pub seen: Seen,
}

impl Survey {
    /// Reads facts.
    pub fn of(facts: &BTreeMap<String, String>, seen: Seen) -> Self {
        let has = |key: &str| facts.contains_key(&format!("prove.{key}"));
        let begins = |key: &str| {
            let prefix = format!("prove.{key}.");
            let rest = facts.iter().filter_map(move |(name, value)| {
                name.strip_prefix(prefix.as_str()).map(|rest| (rest.to_owned(), value.clone()))
            });
            rest.collect::<Vec<_>>()
        };
        let callbacks = begins("callback").into_iter();
        Self {
            callbacks: callbacks.map(|(name, at)| Callback { name, span: span(&at) }).collect(),
            validates: has("validation"),
            streams: begins("data").iter().any(|(kind, _)| kind != "arrays" && kind != "other"),
            buffers: !begins("pipeline").is_empty(),
            workers: has("workers"),
            eager: has("eager"),
            collector_off: has("collector_off"),
            grown: begins("grown").into_iter().map(|(path, _)| path).collect(),
            stopped: facts.get("prove.stopped").and_then(|epochs| epochs.parse().ok()),
            outside: begins("outside").into_iter().map(|(_, path)| path).collect(),
            seen,
        }
    }
}

/// `/a/b.py:10-40`.
fn span(text: &str) -> Option<(String, u32, u32)> {
    let (file, lines) = text.rsplit_once(':')?;
    let (first, last) = lines.split_once('-')?;
    Some((file.to_owned(), first.parse().ok()?, last.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read() {
        let facts = [
            ("prove.callback.Keeps", "/a/train.py:10-16"),
            ("prove.callback.Early", ""),
            ("prove.data.generator", "1"),
            ("prove.pipeline.cache", "1"),
            ("prove.grown.Keeps.saved", "12"),
            ("prove.stopped", "14"),
            ("argv", "[]"),
        ];
        let facts = facts.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let survey = Survey::of(&facts, Seen::default());
        let spans: Vec<_> = survey.callbacks.iter().map(|c| (c.name.as_str(), c.span.clone())).collect();
        assert_eq!(spans, [("Early", None), ("Keeps", Some(("/a/train.py".to_owned(), 10, 16)))]);
        assert!(survey.streams && survey.buffers && !survey.validates && !survey.eager);
        assert_eq!(survey.grown, ["Keeps.saved"]);
        assert_eq!(survey.stopped, Some(14));
    }
}
