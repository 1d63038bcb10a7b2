//! The line that puts elements into a holder, found in the source.
//!
//! In: a finding with its holder, the user's files on its stacks. Out: a site `kept_at`, where just one line of the user's
//! functions on those stacks adds to what the holder is called by. What must not happen here: a guess; where several
//! lines would do, none is named.

use crate::lookup::Lookup;
use crate::report::{Finding, Site};

/// Lines of a file that are looked at.
const MOST_LINES: usize = 50_000;

/// Ways to add to a container.
const ADDS: [&str; 9] =
    [".append(", ".appendleft(", ".extend(", ".add(", ".insert(", ".update(", ".setdefault(", ".push(", "+="];

/// Adds the line to each finding that has a holder.
pub(crate) fn add_kept_at(findings: &mut [Finding], folder: Option<&str>, lookup: &mut dyn Lookup) {
    for finding in findings {
        let Some(name) = finding.holder.as_ref().and_then(|h| attribute(&h.path)) else { continue };
        let Some(made) = finding.sites.iter().find(|s| s.role == "made_at" && s.line > 0) else { continue };
        let mut files: Vec<&str> = vec![&made.file];
        files.extend(finding.stack.iter().filter(|f| f.kind == "user").map(|f| f.file.as_str()));
        files.dedup();
        let mut found: Vec<Site> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for file in files {
            if seen.contains(&file) {
                continue;
            }
            seen.push(file);
            let path = match folder {
                Some(folder) if !file.starts_with(['/', '<']) => format!("{folder}/{file}"),
                _ => file.to_owned(),
            };
            for (at, line) in lookup.lines(&path).iter().take(MOST_LINES).enumerate() {
                if adds(line, name) {
                    found.push(Site {
                        role: "kept_at",
                        file: file.to_owned(),
                        line: u32::try_from(at + 1).unwrap_or(0),
                        function: String::new(),
                        bytes_per_cycle: made.bytes_per_cycle,
                        text: Some(line.trim().to_owned()),
                        inside: None,
                    });
                }
            }
        }
        if let [site] = found.as_slice()
            && !(site.file == made.file && site.line == made.line)
        {
            let site = site.clone();
            finding.sites.insert(0, site);
        }
    }
}

/// What the container is called in the source: the last name of its path.
fn attribute(path: &str) -> Option<&str> {
    let path = path.trim_end_matches("[*]");
    let last = path.rsplit(['.', ' ', ':']).next()?;
    let name = last.split(['[', '(']).next()?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// Whether this line adds something to what is called so.
fn adds(line: &str, name: &str) -> bool {
    let code = line.split('#').next().unwrap_or(line);
    let mut rest = code;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + name.len()..];
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if !before.is_some_and(is_name) && !after.starts_with(is_name) {
            let after = after.trim_start();
            if ADDS.iter().any(|add| after.starts_with(add)) || assigns_item(after) {
                return true;
            }
        }
        rest = after;
    }
    false
}

/// `[key] = value`, `[key].append(value)`.
fn assigns_item(after: &str) -> bool {
    let Some(inner) = after.strip_prefix('[') else { return false };
    let mut depth = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let rest = inner[at + c.len_utf8()..].trim_start();
            let assigns = rest.starts_with('=') && !rest.starts_with("==");
            return assigns || ADDS.iter().any(|add| rest.starts_with(add));
        }
    }
    false
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
        ] {
            assert!(adds(line, "saved"), "{line}");
        }
        for line in [
            "self.saved = []",
            "unsaved.append(x)",
            "saved_too.append(x)",
            "print(saved[0])",
            "if saved[0] == x:",
            "# saved.append(x)",
            "saved.clear()",
        ] {
            assert!(!adds(line, "saved"), "{line}");
        }
    }

    #[test]
    fn the_name_in_a_path() {
        assert_eq!(attribute("fit(): callbacks[0].saved[*]"), Some("saved"));
        assert_eq!(attribute("__main__.SAVED[*]"), Some("SAVED"));
        assert_eq!(attribute("train(): losses[*]"), Some("losses"));
        assert_eq!(attribute("f.<lru cache>[*]"), None);
    }
}
