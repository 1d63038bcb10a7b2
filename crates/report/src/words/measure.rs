//! The help of measures that services scrape.

pub(crate) const LIVE: &str = "Bytes in use.";
pub(crate) const RETAINED: &str = "Free memory that the allocator keeps.";
pub(crate) const RESERVED: &str = "Memory that pools of tensors took and have not handed out.";
pub(crate) const FILE_BACKED: &str = "Mapped files that are resident.";
pub(crate) const ANONYMOUS: &str = "Anonymous resident memory.";
pub(crate) const PEAK: &str = "Most resident memory.";
pub(crate) const LIMIT: &str = "The limit that would be met first.";
pub(crate) const HEADROOM: &str = "What is left below the limit.";
pub(crate) const GROWTH: &str = "Growth of live memory per cycle, with its 95 % interval.";
pub(crate) const GROWTH_IF_KNOWN: &str =
    "Growth of live memory per cycle, with its 95 % interval; absent while undecided.";
pub(crate) const RUNS: &str = "What runs.";
pub(crate) const RAN: &str = "What ran.";
pub(crate) const IS_RUNNING: &str = "Whether the process runs: 1, or 0 after its end.";
pub(crate) const VERDICT: &str = "What is said about its memory.";
pub(crate) const CYCLES: &str = "Cycles that ended.";
pub(crate) const SECONDS: &str = "How long it has run.";
pub(crate) const LIMIT_IN: &str = "When the limit is reached at this rate.";
pub(crate) const LIMIT_IN_IF_LEAK: &str = "When the limit is reached at this rate; only of a leak.";
pub(crate) const FINDINGS: &str = "Growth per cycle by cause.";
pub(crate) const FINDINGS_IN_ORDER: &str = "Growth per cycle by cause, the biggest first.";
pub(crate) const COUNTS: &str = "A framework's own things.";
pub(crate) const BUILD: &str = "The nilometer that watches.";
pub(crate) const AGE: &str = "Seconds since the figures were made.";
pub(crate) const EVALUATIONS: &str = "Evaluations of the capture.";
pub(crate) const FAILURES: &str = "Evaluations that failed; the figures are the old ones.";
