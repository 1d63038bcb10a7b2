//! A holder's path, read: where it begins, and what the user calls the thing that grows.
//!
//! In: `fit(): callbacks[0].saved[*]`. Out: the function it begins in, its steps, its last name. Pure.

use crate::held::level;

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
    /// What of each of its elements keeps the memory: `.mask`; the holder's owner is that of an element then. Else empty.
    pub(crate) below: &'a str,
}

impl<'a> Path<'a> {
    pub(crate) fn of(full: &'a str) -> Self {
        let root = match full.split_once("(): ") {
            Some((function, _)) => Root::Function(function),
            None => Root::Module(full.split(['[', ' ']).next().unwrap_or(full)),
        };
        Self { root, full, name: level::name(full), below: level::split(full).1 }
    }

    /// The steps behind the function or the module.
    pub(crate) fn steps(&self) -> &'a str {
        self.full.split_once("(): ").map_or(self.full, |(_, steps)| steps)
    }

    /// Whether the first step of a function's path is all there is: a plain variable of it.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.root, Root::Function(_)) && !level::words(self.full).contains(['.', '[', '<'])
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
    }
}
