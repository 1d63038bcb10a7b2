//! Which types of a scan are worth a line of the capture.
//!
//! In: the objects of each type that a scan counted. Out: those to be written down: a type that was once told is told again when
//! its count changes. What must not happen here: a list that grows with the program; TensorFlow alone has thousands of types.

use std::collections::HashMap;

/// Types that are told at the first scan, those with the most objects.
const MAX_TYPES_AT_FIRST: usize = 24;
/// Types that later scans add, those that became more by most.
const RISEN: usize = 8;
/// Types that are ever told.
const MAX_TYPES: usize = 96;

/// What was said of types so far.
#[derive(Default)]
pub(crate) struct Types {
    told: HashMap<String, u64>,
}

impl Types {
    /// What is new: from types by name, the objects of each and the change since the scan before.
    pub(crate) fn news(&mut self, types: &[(String, u64, i64)]) -> Vec<(String, u64)> {
        let is_first = self.told.is_empty();
        let mut news = Vec::new();
        let mut others = Vec::new();
        for (name, count, change) in types {
            match self.told.get_mut(name) {
                Some(last) if last == count => {}
                Some(last) => {
                    *last = *count;
                    news.push((name.clone(), *count));
                }
                None if *change > 0 => others.push((*change, name, *count)),
                None => {}
            }
        }
        // At first everything is a change.
        others.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(right.1)));
        let room =
            MAX_TYPES.saturating_sub(self.told.len()).min(if is_first { MAX_TYPES_AT_FIRST } else { RISEN });
        for (_, name, count) in others.into_iter().take(room) {
            self.told.insert(name.clone(), count);
            news.push((name.clone(), count));
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(counts: &[(&str, u64, i64)]) -> Vec<(String, u64, i64)> {
        counts.iter().map(|(name, count, change)| ((*name).to_owned(), *count, *change)).collect()
    }

    #[test]
    fn a_type_is_told_again_when_its_count_changes() {
        let mut types = Types::default();
        assert_eq!(types.news(&scan(&[("dict", 9, 9), ("list", 5, 5)])).len(), 2);
        assert_eq!(types.news(&scan(&[("dict", 9, 0), ("list", 5, 0)])), []);
        assert_eq!(types.news(&scan(&[("dict", 7, -2), ("list", 5, 0)])), [("dict".to_owned(), 7)]);
        assert_eq!(types.news(&scan(&[("dict", 0, -7), ("list", 5, 0)])), [("dict".to_owned(), 0)]);
    }

    #[test]
    fn of_new_types_those_that_became_more_are_told() {
        let mut types = Types::default();
        types.news(&scan(&[("dict", 9, 9)]));
        let news =
            types.news(&scan(&[("dict", 9, 0), ("Event", 400, 300), ("tuple", 7000, 0), ("cell", 3, -1)]));
        assert_eq!(news, [("Event".to_owned(), 400)]);
    }

    #[test]
    fn thousands_of_types_are_not_told() {
        let mut types = Types::default();
        let many =
            |change: i64| -> Vec<_> { (0..5000).map(|i| (format!("t{i}"), 100 + i, change)).collect() };
        let first = types.news(&many(1));
        assert_eq!(first.len(), MAX_TYPES_AT_FIRST);
        for _scan in 0..100 {
            types.news(&many(1));
        }
        assert_eq!(types.told.len(), MAX_TYPES);
    }
}
