//! Remembers the names of one capture's machine code: several parts of a report ask for the same ones, and finding them
//! takes reading symbol tables of a gigabyte.

use std::collections::HashMap;

use nilometer_diagnose::pack::Packs;
use nilometer_diagnose::{Lookup, Name, Object, Part};

/// A lookup that asks each address once. For one capture only: in another, the same address is something else.
pub(crate) struct NameCache<Inner> {
    inner: Inner,
    /// What was found; none where nothing was.
    names: HashMap<u64, Option<Name>>,
}

impl<Inner: Lookup> NameCache<Inner> {
    pub(crate) fn new(inner: Inner) -> Self {
        Self { inner, names: HashMap::new() }
    }
}

impl<Inner: Lookup> Lookup for NameCache<Inner> {
    fn packs(&self) -> Packs {
        self.inner.packs()
    }

    fn names(&mut self, objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
        let new: Vec<u64> = addresses.iter().copied().filter(|a| !self.names.contains_key(a)).collect();
        if !new.is_empty() {
            let mut found = self.inner.names(objects, &new);
            self.names.extend(new.into_iter().map(|address| (address, found.remove(&address))));
        }
        let known = |address: &u64| Some((*address, self.names.get(address)?.clone()?));
        addresses.iter().filter_map(known).collect()
    }

    fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        self.inner.part(frames)
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        self.inner.line(file, line)
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        self.inner.lines(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows even addresses, and counts what it is asked.
    #[derive(Default)]
    struct Counting(Vec<u64>);

    impl Lookup for Counting {
        fn names(&mut self, _objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
            self.0.extend(addresses);
            let name = |a: &u64| Name { full: format!("f{a}"), short: format!("f{a}"), plumbing: false };
            addresses.iter().filter(|a| *a % 2 == 0).map(|a| (*a, name(a))).collect()
        }

        fn part(&mut self, _frames: &[(&str, &str)]) -> Option<Part> {
            None
        }

        fn line(&mut self, _file: &str, line: u32) -> Option<String> {
            Some(line.to_string())
        }

        fn lines(&mut self, _file: &str) -> Vec<String> {
            vec!["only".to_owned()]
        }
    }

    #[test]
    fn each_address_is_asked_once_also_if_it_has_no_name() {
        let mut lookup = NameCache::new(Counting::default());
        let first = lookup.names(&[], &[1, 2]);
        let second = lookup.names(&[], &[1, 2, 4]);
        assert_eq!(lookup.inner.0, [1, 2, 4]);
        assert_eq!(first.len(), 1);
        assert_eq!((second.len(), second[&2].full.as_str(), second[&4].short.as_str()), (2, "f2", "f4"));
        assert_eq!((lookup.line("", 7).as_deref(), lookup.lines("").len()), (Some("7"), 1));
    }
}
