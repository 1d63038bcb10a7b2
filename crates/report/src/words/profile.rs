//! Names of stacks and of tests, in the forms of other tools.

/// What lives at the end; the same in the order of its birth.
pub(crate) const LIVE: &str = "live at the end";
pub(crate) const LIVE_BY_BIRTH: &str = "live at the end, by birth";
/// The stack of a finding.
pub(crate) const MOSTLY_MADE: &str = "where most of it was made";
/// The test case that fails where memory leaks.
pub(crate) const TEST_CASE: &str = "memory does not leak";

/// The last lines of a report in Markdown; the command is a line of shell.
pub(crate) fn again(command: &str) -> String {
    format!("To see it again:\n\n```sh\n{command}\n```\n")
}
