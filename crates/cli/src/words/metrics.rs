//! `nilometer run --metrics`, `--metrics-file` and `--otlp`: what keeps figures from where they were to go.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::Path;

use crate::messages::Failure;

pub(crate) fn no_prom(path: &Path) -> Failure {
    Failure::new(format!("{} does not end in .prom, so no collector would read it", path.display()))
        .hint("--metrics-file nilometer.prom")
}

/// A warning.
pub(crate) fn open_to_others(address: SocketAddr) -> String {
    format!("whoever reaches {address} can read the program's metrics")
}

/// A warning.
pub(crate) fn address_taken(address: SocketAddr, error: &dyn Display) -> String {
    format!("metrics cannot be served on {address} ({error}); {AGAIN}")
}

/// A warning.
pub(crate) fn file_refused(path: &Path, error: &dyn Display) -> String {
    format!("{}; {AGAIN}", super::system::not_written(path, error))
}

const AGAIN: &str = "nilometer tries again while the program runs";

/// Where a port of its own choice is.
pub(crate) fn served_at(address: SocketAddr) -> String {
    format!("nilometer  metrics: http://{address}/metrics\n")
}

/// A warning.
pub(crate) fn not_served(error: &dyn Display) -> String {
    format!("metrics cannot be served ({error})")
}

/// A warning: no thread.
pub(crate) fn not_made(error: &dyn Display) -> String {
    format!("the program's metrics cannot be made ({error})")
}

/// A warning; `why` is one of the sentences below.
pub(crate) fn not_sent(why: &str) -> String {
    format!("figures were not sent: {why}")
}

/// The collector may take them later, or not.
pub(crate) fn answered(host: &str, port: u16, status: u16, may_retry: bool) -> String {
    let end = if may_retry { "" } else { " and will not take it later" };
    format!("{host}:{port} answered {status}{end}")
}

pub(crate) fn unreachable(host: &str, port: u16, error: &dyn Display) -> String {
    format!("{host}:{port} cannot be reached ({error})")
}

pub(crate) const NO_HTTP: &str = "its answer is no HTTP";
