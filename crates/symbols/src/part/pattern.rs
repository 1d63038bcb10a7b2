//! How a table entry matches a frame: consecutive names, with `*` at their ends.
//!
//! `ShuffleDatasetOpBase` matches every path that contains this name, `EagerContext::AddKernelToCache` both
//! names in a row, `^PyImport_*` a path that begins so.

/// Real paths have under twenty names; longer ones are forged and would only cost time.
const MAX_NAMES: usize = 64;

/// A parsed pattern: every name of a recording is compared with the whole table.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    anchored: bool,
    names: Vec<&'static str>,
}

impl Pattern {
    /// Parses an entry of the table.
    pub(crate) fn new(entry: &'static str) -> Self {
        let names = entry.strip_prefix('^').unwrap_or(entry);
        Self { anchored: names.len() < entry.len(), names: names.split("::").collect() }
    }

    pub(crate) fn matches(&self, path: &[String]) -> bool {
        let starts = if self.anchored { 1 } else { MAX_NAMES };
        let in_a_row = |row: &[String]| self.names.iter().zip(row).all(|(pattern, name)| is(pattern, name));
        path.windows(self.names.len()).take(starts).any(in_a_row)
    }
}

fn is(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(""), _) => true,
        (Some(end), None) => name.ends_with(end),
        (None, Some(beginning)) => name.starts_with(beginning),
        (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
        (None, None) => name == pattern,
    }
}
