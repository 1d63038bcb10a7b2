//! How an entry of the table knows a frame: names in a row, with `*` at their ends.
//!
//! `ShuffleDatasetOpBase` knows every path with that name in it, `EagerContext::AddKernelToCache` one with both in a
//! row, `^PyImport_*` one that begins so.

/// Real paths have under twenty names; forged ones would only cost time.
const MAX_NAMES: usize = 64;

/// A pattern as it stands in the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern(pub(crate) &'static str);

impl Pattern {
    pub(crate) fn matches(self, path: &[String]) -> bool {
        let (anchored, names) = match self.0.strip_prefix('^') {
            Some(names) => (true, names),
            None => (false, self.0),
        };
        let starts = if anchored { 1 } else { MAX_NAMES };
        (0..starts.min(path.len())).any(|start| {
            let mut rest = path.iter().skip(start);
            names.split("::").all(|pattern| rest.next().is_some_and(|name| is(pattern, name)))
        })
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
