//! Which level of a path grows.
//!
//! In: a path. Out: the container that grows, and what of each of its elements is meant. The census writes `[*]` for a level
//! that many of the samples pass through different elements of; the last such level is the one that grows. Pure.

/// `kept.samples` and nothing of `kept.samples[*][*]`; `server.jobs` and `.mask` of `server.jobs[*].mask`. A path without such a
/// level is a slot: it is its own container.
pub(crate) fn split(path: &str) -> (&str, &str) {
    let path = plain(path);
    match path.rfind("[*]") {
        Some(at) => (path[..at].trim_end_matches("[*]"), &path[at + 3..]),
        None => (path, ""),
    }
}

/// The path without the memory that an array shares with a tensor, for a person the array is all there is; and without the key of a dict,
/// which is as much an element of it as what stands under it. A table of pandas' is all there is of its parts.
pub(crate) fn plain(path: &str) -> &str {
    let path = path.split_once(PARTS_OF_TABLE).map_or(path, |(table, _)| table);
    [".base.obj", ".<key>"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path)
}

/// Whether the path leads into a table of pandas'.
pub(crate) fn is_in_table(path: &str) -> bool {
    path.contains(PARTS_OF_TABLE)
}

/// Whether what is behind a container's elements leads through an object's attribute, not only into tuples and dicts: who is told to
/// own the memory is that object then, else whoever has the container.
pub(crate) fn is_of_element(below: &str) -> bool {
    let mut quote = None;
    for letter in below.chars() {
        match (quote, letter) {
            (Some(end), _) if end == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '.' | '<' | ' ') => return true,
            _ => {}
        }
    }
    false
}

/// The path of all elements of the container, if one element's part is meant.
pub(crate) fn elements(path: &str) -> Option<String> {
    let (container, below) = split(path);
    (!below.is_empty()).then(|| format!("{container}[*]"))
}

/// The path to the slices, if what hangs below it is the array that they were cut from.
pub(crate) fn slices(path: &str) -> Option<&str> {
    plain(path).strip_suffix(BASE)
}

/// The same of the slices in all elements of the container.
pub(crate) fn all_slices(path: &str) -> Option<String> {
    let (container, below) = split(slices(path)?);
    Some(format!("{container}[*]{}{BASE}", if below.is_empty() { "" } else { "[*]" }))
}

/// How the census reaches the columns of a `DataFrame` that holds objects.
const PARTS_OF_TABLE: &str = "._mgr.<tuple>";
/// What the census calls the array that a slice was cut from.
const BASE: &str = ".base";

/// What a container is called by its last name: `saved` of `fit(): callbacks[0].saved[*]`; empty if it has none.
pub(crate) fn name(path: &str) -> &str {
    let (container, _) = split(path);
    let last = container.rsplit(['.', ':', ' ']).next().unwrap_or(container);
    // Words in angle brackets (`<lru cache>`) are ours, not the user's; but a variable stands in some (`<default seen>`).
    let mut parts = container.rsplit(".<").next().unwrap_or(container).splitn(2, ' ');
    if let (Some("default" | "closure" | "local"), Some(variable)) = (parts.next(), parts.next()) {
        let (name, inside) = variable.split_once('>').unwrap_or((variable, ""));
        if !inside.contains(['.', '<']) {
            return name;
        }
    }
    if last.ends_with('>') { "" } else { last.split(['[', '(', '<']).next().unwrap_or(last) }
}

/// A container as its own code calls it: `server.jobs` of `__main__.server.jobs[*].mask`, `self.callbacks` of `fit():
/// self.callbacks[*]`.
pub(crate) fn words(path: &str) -> &str {
    let (container, _) = split(path);
    let steps = container.split_once("(): ").map_or(container, |(_, steps)| steps);
    steps.strip_prefix("__main__.").unwrap_or(steps)
}

/// Whether the path means the names of a module or of a function, `__main__[*]` or `fit():[*]`: many variables of it lead to the memory,
/// and none is a container that grows. `file` is where the holder is written.
pub(crate) fn is_namespace(path: &str, file: &str) -> bool {
    let (container, below) = split(path);
    if !path.ends_with("[*]") || !below.is_empty() {
        return false;
    }
    let name = file.strip_suffix(".py").unwrap_or(file);
    let name = name.strip_suffix("/__init__").unwrap_or(name);
    let ends = name.strip_suffix(&container.replace('.', "/"));
    container == "__main__"
        || container.ends_with("():")
        || ends.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_module_or_a_function_are_no_container() {
        assert!(is_namespace("__main__[*]", "/a/train.py"));
        assert!(is_namespace("fit():[*]", "/a/train.py"));
        assert!(is_namespace("jobs.state[*]", "/a/jobs/state.py"));
        assert!(is_namespace("jobs[*]", "/a/jobs/__init__.py"));
        assert!(!is_namespace("__main__.kept[*]", "/a/train.py"));
        assert!(!is_namespace("fit(): kept[*]", "/a/train.py"));
        assert!(!is_namespace("audit.audit[*]", "/a/audit.py"));
        assert!(!is_namespace("__main__", "/a/train.py"));
        assert!(!is_namespace("state.kept[*].mask", "/a/state.py"));
    }

    #[test]
    fn parts_of_tuples_and_dicts_are_the_containers() {
        for below in ["", "[2][2]", "['frame']", "['a.b']"] {
            assert!(!is_of_element(below), "{below}");
        }
        for below in [".mask", "[0].mask", "['a'].mask", " frame local x"] {
            assert!(is_of_element(below), "{below}");
        }
    }

    #[test]
    fn the_last_level_of_many_grows() {
        for (path, container, below, called) in [
            ("fit(): callbacks[0].saved[*]", "fit(): callbacks[0].saved", "", "saved"),
            ("__main__.kept.samples[*][*]", "__main__.kept.samples", "", "samples"),
            ("__main__.server.jobs[*].mask", "__main__.server.jobs", ".mask", "jobs"),
            ("main(): taken[*][0]", "main(): taken", "[0]", "taken"),
            ("main(): calibrator.logits", "main(): calibrator.logits", "", "logits"),
            ("run(): self.batches[*].base.obj", "run(): self.batches", "", "batches"),
            ("train(): rows[*].<key>", "train(): rows", "", "rows"),
            ("__main__.table._mgr.<tuple>[2].<ndarray>[*][*]", "__main__.table", "", "table"),
            ("__main__.features.<lru cache>[*]", "__main__.features.<lru cache>", "", ""),
            ("jobs.cache.seen['a'][*]", "jobs.cache.seen['a']", "", "seen"),
            ("look.<default maps>[*]", "look.<default maps>", "", "maps"),
            ("look.<default maps>['a'][*]", "look.<default maps>['a']", "", "maps"),
            ("look.<default config>.rows[*]", "look.<default config>.rows", "", "rows"),
            ("m.f.<closure kept>[*]", "m.f.<closure kept>", "", "kept"),
        ] {
            assert_eq!((split(path), name(path)), ((container, below), called), "{path}");
        }
        assert_eq!(words("__main__.server.jobs[*].mask"), "server.jobs");
        assert_eq!(words("fit(): self.callbacks[*].losses"), "self.callbacks");
    }
}
