//! Whether a program with a change prints what it printed.
//!
//! In: what two runs without the change and one with it wrote to stdout. Out: the same, or the first line that is not.
//! What differs between the two without it (times, paths) may differ with it too. Pure.

/// The comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// All of so many lines.
    Same(usize),
    /// The first that differs: as it was, and with the change.
    Other(String, String),
    /// It prints another number of lines each time, so nothing can be said.
    Unsteady,
}

/// Compares; `again` is only asked for if the first two differ.
pub(crate) fn compare<E>(
    before: &[u8],
    after: &[u8],
    again: impl FnOnce() -> Result<Vec<u8>, E>,
) -> Result<Printed, E> {
    let (before, after) = (lines(before), lines(after));
    if before == after {
        return Ok(Printed::Same(before.len()));
    }
    let again = again()?;
    let again = lines(&again);
    if before.len() != again.len() {
        return Ok(Printed::Unsteady);
    }
    for (at, old) in before.iter().enumerate() {
        let new = after.get(at).map_or("", String::as_str);
        if !is_same(old, new, again.get(at).map_or("", String::as_str)) {
            return Ok(Printed::Other(old.clone(), new.to_owned()));
        }
    }
    Ok(match after.get(before.len()) {
        Some(more) => Printed::Other(String::new(), more.clone()),
        None => Printed::Same(before.len()),
    })
}

fn lines(text: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(text)
        .split('\n')
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Word by word, without those that differ anyway.
fn is_same(old: &str, new: &str, again: &str) -> bool {
    let words = |line: &'_ str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (old, new, again) = (words(old), words(new), words(again));
    if old.len() != again.len() {
        return true;
    }
    old.len() == new.len()
        && old.iter().zip(&new).zip(&again).all(|((old, new), again)| old == new || old != again)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn compared(before: &str, after: &str, again: &str) -> Printed {
        compare::<()>(before.as_bytes(), after.as_bytes(), || Ok(again.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn what_differs_anyway_may_differ() {
        assert_eq!(compared("a\nb\n", "a\nb\n", ""), Printed::Same(2));
        assert_eq!(compared("loss 1 in 3 s", "loss 1 in 5 s", "loss 1 in 4 s"), Printed::Same(1));
        let other = Printed::Other("loss 1 in 3 s".to_owned(), "loss 2 in 5 s".to_owned());
        assert_eq!(compared("loss 1 in 3 s", "loss 2 in 5 s", "loss 1 in 4 s"), other);
    }

    #[test]
    fn lines_more_or_less_are_other_lines() {
        assert_eq!(compared("a\n", "a\nb\n", "a\n"), Printed::Other(String::new(), "b".to_owned()));
        assert_eq!(compared("a\nb\n", "a\n", "a\nb\n"), Printed::Other("b".to_owned(), String::new()));
        assert_eq!(compared("a\nb\n", "a\n", "a\n"), Printed::Unsteady);
    }
}
