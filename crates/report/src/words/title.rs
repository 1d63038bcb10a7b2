//! Titles of lists on a terminal.

/// What is no leak, beneath a verdict that there is none, and else.
pub(crate) fn components(no_leak: bool) -> &'static str {
    if no_leak { "WHAT THE MEMORY IS" } else { "NOT A LEAK" }
}

pub(crate) const NOT_SEEN: &str = "NOT SEEN";
pub(crate) const CHILDREN: &str = "CHILD PROCESSES";
pub(crate) const DEVICES: &str = "GPU MEMORY";
pub(crate) const HOLDERS: &str = "HELD AT THE END";

/// Lists of a difference.
pub(crate) const LIVE_BY_HOLDER: &str = "LIVE AT THE END BY HOLDER";
pub(crate) const LIVE_BY_SITE: &str = "LIVE AT THE END BY SITE";
pub(crate) const LIVE_BY_PHASE: &str = "LIVE AT THE END BY PHASE";
pub(crate) const KINDS: &str = "KINDS OF MEMORY";
