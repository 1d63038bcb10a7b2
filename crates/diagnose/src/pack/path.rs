//! A holder's path as causes ask about it: what the user calls the thing that grows, and which part of its elements keeps the memory.
//!
//! In: `fit(): callbacks[0].saved[*]`. Out: the path, its last name, what is below. Pure.

use nilometer_model::HolderPath;

/// A path, and what it says of the container that grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<'a> {
    /// All of it.
    pub full: HolderPath<'a>,
    /// The name of what grows, without its indexes: `saved`; empty if there is none.
    pub name: &'a str,
    /// What of each of its elements keeps the memory, if that is an attribute: `.mask`; the holder's owner is that of an element
    /// then. Else empty.
    pub below: &'a str,
    /// Which part of each element keeps it, if elements are tuples, lists or dicts: `[2]`, `['frame']`; else empty.
    pub part: &'a str,
}

impl<'a> Path<'a> {
    /// A path as causes read it.
    pub fn of(full: HolderPath<'a>) -> Self {
        // The array that a slice was cut from is no attribute that somebody gave it.
        let kept = full.slices().unwrap_or(full);
        let rest = kept.below();
        let (below, part) = if kept.is_of_element() { (rest, "") } else { ("", rest) };
        Self { full, name: kept.name(), below, part }
    }

    /// How a person would call what grows: `Trainer.stats`; without an owner as its own code calls it.
    pub fn called(&self, owner: &str) -> String {
        let is_variable = self.full.is_local() || owner.is_empty() || owner.ends_with("()");
        match () {
            () if self.name.is_empty() || !self.below.is_empty() => self.full.words().to_owned(),
            () if is_variable => self.name.to_owned(),
            () => format!("{owner}.{}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_elements_are_told_from_what_elements_own() {
        for (path, name, below, part) in [
            ("fit(): callbacks[0].saved[*]", "saved", "", ""),
            ("run(): keeper._heap[*][2][2]", "_heap", "", "[2][2]"),
            ("__main__.jobs[*][0].mask", "jobs", "[0].mask", ""),
            ("__main__.jobs[*]['a.b']", "jobs", "", "['a.b']"),
            ("run(): self.batches[*].base", "batches", "", ""),
            ("run(): self.batch.base", "batch", "", ""),
        ] {
            let read = Path::of(HolderPath::of(path));
            assert_eq!((read.name, read.below, read.part), (name, below, part), "{path}");
        }
    }

    #[test]
    fn what_grows_is_called_as_people_call_it() {
        for (path, owner, called) in [
            ("main(): engine.stats['train'][*]", "Trainer", "Trainer.stats"),
            ("main(): losses[*]", "main", "losses"),
            ("__main__.SAVED[*]", "", "SAVED"),
            ("__main__.server.jobs[*].mask", "Job", "server.jobs"),
            ("__main__.features.<lru cache>[*]", "", "features.<lru cache>"),
        ] {
            assert_eq!(Path::of(HolderPath::of(path)).called(owner), called);
        }
    }
}
