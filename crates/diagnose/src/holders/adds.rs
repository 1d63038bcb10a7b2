//! Whether a line of source adds to what is called so.
//!
//! In: lines, and the path of a holder. Out: yes or no. What must not happen here: a file that is read.

use nilometer_model::HolderPath;

use super::source::words::{bracketed, code, is_name, mentions};
use crate::report::Site;

/// Ways to add to a container.
const ADDS: [&str; 11] = [
    ".append(",
    ".appendleft(",
    ".extend(",
    ".add(",
    ".insert(",
    ".update(",
    ".setdefault(",
    ".push(",
    ".put(",
    ".put_nowait(",
    "+=",
];
/// Ways to write to a buffer or a file in memory.
const WRITES: [&str; 3] = [".write(", ".writelines(", ".frombytes("];
/// Functions that add to the list that is their first argument, or write to the file that is.
const ADDERS: [&str; 8] = [
    "heappush(",
    "insort(",
    "insort_left(",
    "insort_right(",
    "np.save(",
    "savez(",
    "savez_compressed(",
    "savefig(",
];
/// `pickle.dump(thing, file)` and its like write to their second argument.
const DUMPS: &str = "dump(";

/// Whether the code of this place adds to what a path calls.
pub(crate) fn adds_to(site: &Site, path: &str) -> bool {
    let text = site.text.as_deref().unwrap_or_default();
    attribute(path).is_some_and(|name| adds(text, name, HolderPath::of(path).keys()))
}

/// Whether the code of this place adds to something, and that is not what the path calls: it fills another container.
pub(crate) fn adds_elsewhere(site: &Site, path: &str) -> bool {
    let text = site.text.as_deref().unwrap_or_default();
    ADDS.iter().any(|add| text.contains(add)) && !adds_to(site, path)
}

/// What the container is called in the source.
pub(super) fn attribute(path: &str) -> Option<&str> {
    let name = HolderPath::of(path).name();
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// Whether this line adds something to what is called so, or to what it has under these keys.
pub(super) fn adds(line: &str, name: &str, keys: &str) -> bool {
    mentions(code(line), name).any(|(before, after)| {
        let after = after.trim_start();
        lengthens(before, after, name) || assigns_item(after, keys)
    })
}

fn lengthens(before: &str, after: &str, name: &str) -> bool {
    ADDS.iter().chain(&WRITES).any(|add| after.starts_with(add))
        || is_added_to(before, after)
        || is_joined(after, name)
}

/// `heapq.heappush(self.` before and `, item)` after; `print(loss, file=self.` and `pickle.dump(thing, ` before.
fn is_added_to(before: &str, after: &str) -> bool {
    let call = before.trim_end_matches(|c: char| is_name(c) || c == '.');
    let is_first = || ADDERS.iter().any(|adder| call.ends_with(adder));
    let is_second = || call.trim_end().ends_with(',') && call.contains(DUMPS);
    after.starts_with(',') && is_first()
        || after.starts_with([',', ')']) && (call.ends_with("file=") || is_second())
}

/// `= np.concatenate([logits, new])`, `= saved + [new]`.
fn is_joined(after: &str, name: &str) -> bool {
    const JOINS: [&str; 6] = ["concat", "append(", "stack(", "+", "union(", "merge("];
    let Some(value) = after.strip_prefix('=').filter(|value| !value.starts_with('=')) else { return false };
    value.contains(name) && JOINS.iter().any(|join| value.contains(join))
}

/// `[key] = value`, `[key].append(value)`, `["a"]["b"].append(value)`; none of other keys than those that the path has.
fn assigns_item(after: &str, keys: &str) -> bool {
    let (mut rest, mut keys) = (after, keys);
    while let Some((key, behind)) = subscript(rest) {
        let known = subscript(keys);
        if let (Some(key), Some(known)) = (quoted(key), known.and_then(|(known, _)| quoted(known)))
            && key != known
        {
            return false;
        }
        keys = known.map_or("", |(_, keys)| keys);
        rest = behind.trim_start();
        let assigns = rest.starts_with('=') && !rest.starts_with("==");
        if assigns || ADDS.iter().any(|add| rest.starts_with(add)) {
            return true;
        }
    }
    false
}

/// What stands in brackets, and what behind them.
fn subscript(code: &str) -> Option<(&str, &str)> {
    bracketed(code).filter(|_| code.starts_with('['))
}

/// A text without its quotes, if it is a plain one.
fn quoted(text: &str) -> Option<&str> {
    let (first, last) = (text.chars().next()?, text.chars().next_back()?);
    (text.len() > 1 && first == last && matches!(first, '"' | '\'')).then(|| &text[1..text.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_add_to_a_name() {
        for line in [
            "self.saved.append(preds)",
            "        saved.extend(x)  # all",
            "self.saved[epoch] = preds",
            "saved[f(a[0])] = 1",
            "self.saved += [x]",
            "saved[key].append(x)",
            "self.saved = np.concatenate([self.saved, preds])",
            "saved = saved + [x]",
            "heapq.heappush(self.saved, (score, weights))",
            "heappush(saved, x)",
            "saved_heap = heapq.heappush(self.saved, x)",
            "bisect.insort(self.best.saved, x)",
            "self.saved.put(batch)",
            "self.saved.write(line)",
            "print(epoch, loss, file=self.saved)",
            "np.save(self.saved, weights)",
            "pickle.dump(history.history, self.saved)",
        ] {
            assert!(adds(line, "saved", ""), "{line}");
        }
        for line in [
            "self.saved = []",
            "unsaved.append(x)",
            "saved_too.append(x)",
            "print(saved[0])",
            "if saved[0] == x:",
            "# saved.append(x)",
            "saved.clear()",
            "saved = saved[-10:]",
            "saved = np.concatenate(parts)",
            "heapq.heappushpop(saved, x)",
            "heapq.heappush(unsaved, x)",
            "heapq.heappush(other, saved)",
            "print(saved, file=log)",
            "np.save(path, saved)",
            "pickle.dump(saved, file)",
            "show(a, saved)",
        ] {
            assert!(!adds(line, "saved", ""), "{line}");
        }
    }

    #[test]
    fn lines_that_add_under_a_key() {
        const KEYS: &str = "['train']['loss']";
        for line in [
            "self.stats[\"train\"][\"loss\"].append(x)",
            "self.stats[mode][name].append(x)",
            "self.stats['train'].setdefault('loss', []).append(x)",
        ] {
            assert!(adds(line, "stats", KEYS), "{line}");
        }
        for line in ["self.stats['eval']['loss'].append(x)", "self.stats[\"train\"][\"worst\"].append(x)"] {
            assert!(!adds(line, "stats", KEYS), "{line}");
        }
    }

    #[test]
    fn a_key_may_look_like_steps() {
        let path = HolderPath::of("main(): engine.stats['eval.loss'][*]");
        assert!(adds("self.stats['eval.loss'].append(x)", path.name(), path.keys()));
        assert!(!adds("self.stats['eval.cost'].append(x)", path.name(), path.keys()));
    }

    #[test]
    fn a_name_that_is_in_the_functions_too() {
        assert!(adds("heapq.heappush(self.heap, entry)", "heap", ""));
    }

    #[test]
    fn the_name_in_a_path() {
        assert_eq!(attribute("fit(): callbacks[0].saved[*]"), Some("saved"));
        assert_eq!(attribute("__main__.SAVED[*]"), Some("SAVED"));
        assert_eq!(attribute("train(): losses[*]"), Some("losses"));
        assert_eq!(attribute("f.<lru cache>[*]"), None);
    }
}
