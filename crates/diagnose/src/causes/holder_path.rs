//! A holder's path, read: where it begins, and what the user calls the thing that grows.
//!
//! In: `fit(): callbacks[0].saved[*]`. Out: the function it begins in, its steps, its last name. Pure.

use crate::holders::container_path;

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root<'a> {
    /// A running function's variable: `fit(): ...`.
    Function(&'a str),
    /// A module's global: `__main__.SAVED`, `jobs.cache.SEEN`; the name of the global.
    Module(&'a str),
}

/// A path, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub(crate) root: Root<'a>,
    pub(crate) full: &'a str,
    /// The name of what grows, without its indexes: `saved`; empty if there is none.
    pub(crate) name: &'a str,
    /// What of each of its elements keeps the memory, if that is an attribute: `.mask`; the holder's owner is that of an element
    /// then. Else empty.
    pub(crate) below: &'a str,
    /// Which part of each element keeps it, if elements are tuples, lists or dicts: `[2]`, `['frame']`; else empty.
    pub(crate) part: &'a str,
}

impl<'a> Path<'a> {
    pub(crate) fn of(full: &'a str) -> Self {
        let root = match full.split_once("(): ") {
            Some((function, _)) => Root::Function(function),
            None => Root::Module(full.split(['[', ' ']).next().unwrap_or(full)),
        };
        // The array that a slice was cut from is no attribute that somebody gave it.
        let steps = container_path::slices(full).unwrap_or(full);
        let rest = container_path::split(steps).1;
        let (below, part) = if container_path::is_of_element(rest) { (rest, "") } else { ("", rest) };
        Self { root, full, name: container_path::name(steps), below, part }
    }

    /// The steps behind the function or the module.
    pub(crate) fn steps(&self) -> &'a str {
        self.full.split_once("(): ").map_or(self.full, |(_, steps)| steps)
    }

    /// How a person would call what grows: `Trainer.stats`; without an owner as its own code calls it.
    pub(crate) fn called(&self, owner: &str) -> String {
        let is_variable = self.is_local() || owner.is_empty() || owner.ends_with("()");
        match () {
            () if self.name.is_empty() || !self.below.is_empty() => {
                container_path::words(self.full).to_owned()
            }
            () if is_variable => self.name.to_owned(),
            () => format!("{owner}.{}", self.name),
        }
    }

    /// Whether the first step of a function's path is all there is: a plain variable of it.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.root, Root::Function(_)) && !container_path::words(self.full).contains(['.', '[', '<'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read() {
        let path = Path::of("fit(): callbacks[0].saved[*]");
        assert_eq!(
            (path.root, path.name, path.steps()),
            (Root::Function("fit"), "saved", "callbacks[0].saved[*]")
        );
        assert!(!path.is_local());
        let path = Path::of("train(): losses[*]");
        assert_eq!((path.root, path.name, path.is_local()), (Root::Function("train"), "losses", true));
        let path = Path::of("__main__.SAVED[*]");
        assert_eq!((path.root, path.name), (Root::Module("__main__.SAVED"), "SAVED"));
        let path = Path::of("jobs.cache.seen['a'][*]");
        assert_eq!((path.root, path.name), (Root::Module("jobs.cache.seen"), "seen"));
        assert_eq!(Path::of("__main__.features.<lru cache>[*]").name, "");
        let path = Path::of("run(): keeper._heap[*][2][2]");
        assert_eq!((path.name, path.below, path.part), ("_heap", "", "[2][2]"));
        let path = Path::of("__main__.jobs[*][0].mask");
        assert_eq!((path.below, path.part), ("[0].mask", ""));
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
            assert_eq!(Path::of(path).called(owner), called);
        }
    }
}
