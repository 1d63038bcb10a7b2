//! The line that puts elements into a holder, found in the source.
//!
//! In: a finding with its holder, the user's files on its stacks and that of the holder's owner. Out: a site `kept_at`, where
//! just one line of them, or of the owner's class, adds to what the holder is called by. What must not happen here: a guess; where several
//! lines would do, none is named.

use nilometer_model::{CodeFolders, FileOwner, HolderPath};

use super::adds::{adds, attribute};
use super::hooks::registers;
use crate::lookup::Lookup;
use crate::report::{Finding, Holder, Site};
use crate::source_files::shown;

/// Lines of a file that are looked at.
const MAX_LINES: usize = 50_000;

/// Adds the line to each finding that has a holder.
pub(crate) fn add_kept_at(
    findings: &mut [Finding],
    folders: &CodeFolders,
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
) {
    for finding in findings {
        let Some(site) = kept_at(finding, folders, folder, lookup) else { continue };
        let is_made_there = |made: &Site| made.file == site.file && made.line == site.line;
        if !finding.sites.iter().any(is_made_there) {
            finding.sites.insert(0, site);
        }
    }
}

/// Where a file is that the report names.
pub(super) fn in_folder(file: &str, folder: Option<&str>) -> String {
    match folder {
        Some(folder) if !file.starts_with(['/', '<']) => format!("{folder}/{file}"),
        _ => file.to_owned(),
    }
}

fn kept_at(
    finding: &Finding,
    folders: &CodeFolders,
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
) -> Option<Site> {
    let holder = finding.holder.as_ref()?;
    let files = sources(finding, holder, folders, folder, lookup);
    adding_to(attribute(&holder.path)?, finding, &files)
        .or_else(|| adding_to(around_queue(&holder.path)?, finding, &files))
}

/// The user's files in which a holder is filled, and their lines: those on the stacks of its finding, and that of its owner.
pub(super) fn sources(
    finding: &Finding,
    holder: &Holder,
    folders: &CodeFolders,
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
) -> Vec<(String, Vec<String>)> {
    let made = finding.sites.iter().find(|s| s.role == "made_at" && s.line > 0).map(|s| s.file.as_str());
    let on_stack = finding.stack.iter().filter(|f| f.kind == "user").map(|f| f.file.as_str());
    let owners = holder.file.as_deref().filter(|file| folders.is_users(file));
    let mut files: Vec<String> = Vec::new();
    for file in
        made.into_iter().chain(on_stack).chain(owners.map(|file| shown(file, FileOwner::User, folder)))
    {
        if !files.iter().any(|known| known == file) {
            files.push(file.to_owned());
        }
    }
    let mut read = |file: String| {
        let mut lines = lookup.lines(&in_folder(&file, folder));
        lines.truncate(MAX_LINES);
        (file, lines)
    };
    files.into_iter().map(&mut read).collect()
}

/// The one line that adds to what is called so.
fn adding_to(name: &str, finding: &Finding, read: &[(String, Vec<String>)]) -> Option<Site> {
    let holder = finding.holder.as_ref()?;
    let keys = HolderPath::of(&holder.path).keys();
    let mut found: Vec<(String, usize, String)> = Vec::new();
    for (file, lines) in read {
        let fills = |line: &String| adds(line, name, keys) || registers(line, name);
        let mut adding: Vec<usize> =
            (0..lines.len()).filter(|at| lines.get(*at).is_some_and(fills)).collect();
        if let (2.., Some(class)) = (adding.len(), class_of(lines, &holder.owner)) {
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
pub(super) fn class_of(lines: &[String], name: &str) -> Option<std::ops::Range<usize>> {
    let begins = |line: &String| {
        let rest = line.strip_prefix("class ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(['(', ':']))
    };
    let first = lines.iter().position(begins).filter(|_| !name.is_empty())?;
    let is_outer = |line: &String| line.starts_with(|c: char| !c.is_whitespace() && c != '#' && c != ')');
    let length = lines.iter().skip(first + 1).position(is_outer);
    Some(first..length.map_or(lines.len(), |length| first + 1 + length))
}

/// What a queue is called whose elements are in a container of its own that is named `queue`.
fn around_queue(path: &str) -> Option<&str> {
    attribute(HolderPath::of(path).owner_of("queue")?.text())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_a_queue_is_called() {
        assert_eq!(around_queue("main(): loader.ready.queue[*]"), Some("ready"));
        assert_eq!(around_queue("__main__.READY.queue[*]"), Some("READY"));
        assert_eq!(around_queue("main(): queue[*]"), None);
        assert_eq!(around_queue("main(): loader.ready[*]"), None);
    }
}
