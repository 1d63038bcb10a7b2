//! `nilometer serve`: what its command says, and its answers to requests that get no page.

use std::fmt::Display;
use std::net::SocketAddr;

use crate::messages::Failure;

pub(crate) fn cannot_listen(address: SocketAddr, error: &dyn Display) -> Failure {
    Failure::new(format!("nilometer cannot listen on {address} ({error})"))
}

/// The same where another port would do.
pub(crate) fn port_taken(address: SocketAddr, error: &dyn Display) -> Failure {
    cannot_listen(address, error).hint("--port 0 takes any free port")
}

/// A warning.
pub(crate) const OPEN_TO_OTHERS: &str =
    "other machines can reach this address, and nothing that is sent is encrypted";
/// Below the link.
pub(crate) const LINK: &str = "The link works once, in one browser. Ctrl-C ends it.\n";

pub(crate) const ONLY_READ: &str = "pages are only read";
pub(crate) const OTHER_NAME: &str = "this address is not served under that name";
pub(crate) const ONLY_BY_LINK: &str = "Only the link that `nilometer serve` printed opens this page, and it works once. \
     For another browser, start `nilometer serve` again.";
pub(crate) const NO_PAGE: &str = "there is no such page";
pub(crate) const NO_CAPTURE: &str = "there is no such capture";
pub(crate) const TOO_MANY: &str = "too many pages follow captures already";
pub(crate) const HAS_BODY: &str = "a request for a page has no body";
pub(crate) const OUR_FAULT: &str = "nilometer could not make this page";
