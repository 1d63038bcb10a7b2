//! The function that a line is in, by its source: does it add to a container?
//!
//! In: a site, the path of a container. Out: yes or no. What must not happen here: code outside of functions taken for one.

use std::ops::Range;

use nilometer_model::HolderPath;

use super::adds::{adds, adds_to, attribute};
use super::kept_at::in_folder;
use crate::lookup::Lookup;
use crate::report::Site;

/// Whether this place, or the function that it is in, adds to what a path calls.
pub(super) fn function_adds_to(
    site: &Site,
    path: &str,
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
) -> bool {
    let lines = lookup.lines(&in_folder(&site.file, folder));
    let function = (site.line as usize).checked_sub(1).and_then(|at| around(&lines, at));
    let lines = function.and_then(|function| lines.get(function)).unwrap_or_default();
    let name = attribute(path);
    let keys = HolderPath::of(path).keys();
    adds_to(site, path) || name.is_some_and(|name| lines.iter().any(|line| adds(line, name, keys)))
}

/// The lines of the innermost function that a line is in.
fn around(lines: &[String], at: usize) -> Option<Range<usize>> {
    let depth = |line: &String| line.len() - line.trim_start().len();
    let is_def = |line: &String| {
        let code = line.trim_start();
        code.starts_with("def ") || code.starts_with("async def ")
    };
    let mut inner = depth(lines.get(at)?);
    for first in (0..at).rev() {
        let line = lines.get(first).filter(|line| !line.trim().is_empty() && depth(line) < inner);
        let Some(line) = line else { continue };
        inner = depth(line);
        if is_def(line) {
            let body = lines.iter().skip(first + 1);
            let length = body.take_while(|line| line.trim().is_empty() || depth(line) > inner).count();
            return Some(first..first + 1 + length);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_ends_where_its_indentation_does() {
        let lines: Vec<String> = [
            "film = []",
            "class View:",
            "    def render(self, model):",
            "        for k in range(8):",
            "            def tile(o):",
            "                return o",
            "",
            "            sheet = tile(k)",
            "        self.film.append(sheet)",
            "",
            "    def close(self):",
            "        pass",
            "render()",
        ]
        .map(String::from)
        .to_vec();
        let found = |at| around(&lines, at);
        assert_eq!(found(7), Some(2..10), "not the function inside of it");
        assert_eq!(found(5), Some(4..7));
        assert_eq!(found(11), Some(10..12));
        assert_eq!((found(0), found(12), found(1), found(99)), (None, None, None, None));
    }
}
