//! The line that puts elements into a holder, found in the source.
//!
//! In: a finding with its holder, the user's files on its stacks and that of the holder's owner. Out: a site `kept_at`, where
//! just one line of them, or of the owner's class, adds to what the holder is called by. What must not happen here: a guess; where several
//! lines would do, none is named.

use super::level;
use crate::lookup::Lookup;
use crate::report::{Finding, Site};
use crate::sampled::origin::{Origin, shown};

/// Lines of a file that are looked at.
const MOST_LINES: usize = 50_000;

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
/// Functions that add to the list that is their first argument.
const ADDERS: [&str; 4] = ["heappush(", "insort(", "insort_left(", "insort_right("];

/// Adds the line to each finding that has a holder.
pub(crate) fn add_kept_at(findings: &mut [Finding], folder: Option<&str>, lookup: &mut dyn Lookup) {
    for finding in findings {
        let Some(site) = kept_at(finding, folder, lookup) else { continue };
        let is_made_there = |made: &Site| made.file == site.file && made.line == site.line;
        if !finding.sites.iter().any(is_made_there) {
            finding.sites.insert(0, site);
        }
    }
}

/// Whether the code of this place adds to what a path calls.
pub(crate) fn adds_to(site: &Site, path: &str) -> bool {
    let text = site.text.as_deref().unwrap_or_default();
    attribute(path).is_some_and(|name| adds(text, name, keys(path)))
}

/// Whether the code of this place adds to something, and that is not what the path calls: it fills another container.
pub(crate) fn adds_elsewhere(site: &Site, path: &str) -> bool {
    let text = site.text.as_deref().unwrap_or_default();
    ADDS.iter().any(|add| text.contains(add)) && !adds_to(site, path)
}

/// Where a file is that the report names.
pub(super) fn in_folder(file: &str, folder: Option<&str>) -> String {
    match folder {
        Some(folder) if !file.starts_with(['/', '<']) => format!("{folder}/{file}"),
        _ => file.to_owned(),
    }
}

fn kept_at(finding: &Finding, folder: Option<&str>, lookup: &mut dyn Lookup) -> Option<Site> {
    let holder = finding.holder.as_ref()?;
    adding_to(attribute(&holder.path)?, finding, folder, lookup)
        .or_else(|| adding_to(around_queue(&holder.path)?, finding, folder, lookup))
}

/// The one line that adds to what is called so.
fn adding_to(name: &str, finding: &Finding, folder: Option<&str>, lookup: &mut dyn Lookup) -> Option<Site> {
    let holder = finding.holder.as_ref()?;
    let keys = keys(&holder.path);
    let made = finding.sites.iter().find(|s| s.role == "made_at" && s.line > 0).map(|s| s.file.as_str());
    let on_stack = finding.stack.iter().filter(|f| f.kind == "user").map(|f| f.file.as_str());
    let owners = holder.file.as_deref().filter(|file| Origin::of(file) == Origin::User);
    let mut files: Vec<String> = Vec::new();
    for file in made.into_iter().chain(on_stack).chain(owners.map(|file| shown(file, folder))) {
        if !files.iter().any(|known| known == file) {
            files.push(file.to_owned());
        }
    }
    let mut found: Vec<(String, usize, String)> = Vec::new();
    for file in files {
        let lines = lookup.lines(&in_folder(&file, folder));
        let mut adding: Vec<usize> = (0..lines.len().min(MOST_LINES))
            .filter(|at| lines.get(*at).is_some_and(|line| adds(line, name, keys)))
            .collect();
        if let (2.., Some(class)) = (adding.len(), class_of(&lines, &holder.owner)) {
            adding.retain(|at| class.contains(at));
        }
        found.extend(
            adding.into_iter().filter_map(|at| Some((file.clone(), at, lines.get(at)?.trim().to_owned()))),
        );
    }
    let [(file, at, text)] = found.as_slice() else { return None };
    Some(Site {
        role: "kept_at",
        file: file.clone(),
        line: u32::try_from(at + 1).unwrap_or(0),
        function: String::new(),
        bytes_per_cycle: finding.bytes_per_cycle.estimate,
        text: Some(text.clone()),
        inside: None,
    })
}

/// The lines of a class, if it is defined at the outermost level.
fn class_of(lines: &[String], name: &str) -> Option<std::ops::Range<usize>> {
    let begins = |line: &String| {
        let rest = line.strip_prefix("class ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(['(', ':']))
    };
    let first = lines.iter().position(begins).filter(|_| !name.is_empty())?;
    let is_outer = |line: &String| line.starts_with(|c: char| !c.is_whitespace() && c != '#' && c != ')');
    let length = lines.iter().skip(first + 1).position(is_outer);
    Some(first..length.map_or(lines.len(), |length| first + 1 + length))
}

/// What the container is called in the source.
pub(super) fn attribute(path: &str) -> Option<&str> {
    let name = level::name(path);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// What a queue is called whose elements are in a container of its own that is named `queue`.
fn around_queue(path: &str) -> Option<&str> {
    attribute(level::split(path).0.strip_suffix(".queue")?)
}

/// Whether this line adds something to what is called so, or to what it has under these keys.
pub(super) fn adds(line: &str, name: &str, keys: &str) -> bool {
    let code = line.split('#').next().unwrap_or(line);
    let mut rest = code;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + name.len()..];
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if !before.is_some_and(is_name) && !after.starts_with(is_name) {
            let after = after.trim_start();
            let adds = ADDS.iter().any(|add| after.starts_with(add)) || is_added_to(&rest[..at], after);
            if adds || assigns_item(after, keys) || lengthens(after, name) {
                return true;
            }
        }
        rest = after;
    }
    false
}

/// `heapq.heappush(self.` before and `, item)` after.
fn is_added_to(before: &str, after: &str) -> bool {
    let function = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    after.starts_with(',') && ADDERS.iter().any(|adder| function.ends_with(adder))
}

/// `= np.concatenate([logits, new])`, `= saved + [new]`.
fn lengthens(after: &str, name: &str) -> bool {
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
    let inner = code.strip_prefix('[')?;
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..at], &inner[at + c.len_utf8()..]));
        }
    }
    None
}

/// A text without its quotes, if it is a plain one.
fn quoted(text: &str) -> Option<&str> {
    let (first, last) = (text.chars().next()?, text.chars().next_back()?);
    (text.len() > 1 && first == last && matches!(first, '"' | '\'')).then(|| &text[1..text.len() - 1])
}

/// The indexes behind a container's name: `['train']['loss']`.
pub(super) fn keys(path: &str) -> &str {
    let container = level::split(path).0;
    let last = container.rsplit_once(['.', ' ']).map_or(container, |(_, last)| last);
    last.find('[').map_or("", |at| &last[at..])
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
            "bisect.insort(self.best.saved, x)",
            "self.saved.put(batch)",
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
        assert_eq!(keys("main(): engine.stats['train']['loss'][*]"), KEYS);
        assert_eq!(keys("main(): engine.stats[*]"), "");
    }

    #[test]
    fn the_lines_of_a_class() {
        let lines: Vec<String> = [
            "import x",
            "class A(B):",
            "    x = []",
            "",
            "    def f(self):",
            "        pass",
            "class AB:",
            "    y = 1",
        ]
        .map(str::to_owned)
        .to_vec();
        assert_eq!(class_of(&lines, "A"), Some(1..6));
        assert_eq!(class_of(&lines, "AB"), Some(6..8));
        assert_eq!(class_of(&lines, ""), None);
    }

    #[test]
    fn the_name_in_a_path() {
        assert_eq!(attribute("fit(): callbacks[0].saved[*]"), Some("saved"));
        assert_eq!(attribute("__main__.SAVED[*]"), Some("SAVED"));
        assert_eq!(attribute("train(): losses[*]"), Some("losses"));
        assert_eq!(attribute("f.<lru cache>[*]"), None);
        assert_eq!(around_queue("main(): loader.ready.queue[*]"), Some("ready"));
        assert_eq!(around_queue("__main__.READY.queue[*]"), Some("READY"));
        assert_eq!(around_queue("main(): queue[*]"), None);
        assert_eq!(around_queue("main(): loader.ready[*]"), None);
    }
}
