//! Who may read: whoever opens the link that was printed, once, and the browser that did from then on.
//!
//! In: what a request says of itself. Out: whether it is answered. What must not happen here: an answer to a page of
//! somebody else's that a browser was led to (a name that is made to point here, a link without the token).

use std::net::IpAddr;
use std::sync::Mutex;

use crate::serve::request::RequestView;

/// The door.
pub(super) struct Guard {
    /// What the link has; none once it was used.
    token: Mutex<Option<String>>,
    /// What the browser says that used it.
    session: String,
    /// The name under which it says so: browsers keep no ports apart.
    cookie: String,
    /// Only this machine can reach us.
    alone: bool,
}

/// What becomes of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is answered.
    In,
    /// It brought the token: the browser gets this cookie and comes again without the token.
    Cookie(String),
    /// It came under a name that is not ours.
    Name,
    /// It has neither token nor cookie.
    Out,
}

impl Guard {
    /// Two secrets, each of hexadecimal digits.
    pub(super) fn new([token, session]: [String; 2], address: IpAddr, port: u16) -> Self {
        let cookie = format!("nilometer-{port}");
        Self { token: Mutex::new(Some(token)), session, cookie, alone: address.is_loopback() }
    }

    pub(super) fn admit(&self, asked: &RequestView) -> Admission {
        if !asked.host.is_some_and(|host| self.is_our_name(host)) {
            return Admission::Name;
        }
        let known = asked.cookies().any(|(name, value)| name == self.cookie && is_same(value, &self.session));
        if known {
            return Admission::In;
        }
        let mut token = self.token.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match (asked.query("token"), token.as_deref()) {
            (Some(said), Some(wanted)) if is_same(said, wanted) => {
                *token = None;
                // Lax: a link in a terminal that is itself a page, or in a mail, is followed with it.
                Admission::Cookie(format!("{}={}; Path=/; HttpOnly; SameSite=Lax", self.cookie, self.session))
            }
            _ => Admission::Out,
        }
    }

    /// The port may be another one, of a tunnel.
    fn is_our_name(&self, host: &str) -> bool {
        is_no_foreign_name(host, self.alone)
    }
}

/// `localhost`, or an address, which cannot be made to point elsewhere; this machine's own where only it can reach us (`alone`).
pub(crate) fn is_no_foreign_name(host: &str, alone: bool) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    match name.parse::<IpAddr>() {
        Ok(address) => !alone || address.is_loopback(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

/// Looks at every byte, so that the time tells nothing about the secret.
fn is_same(said: &str, wanted: &str) -> bool {
    let differ = said.bytes().zip(wanted.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    said.len() == wanted.len() && differ == 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn guard(address: &str) -> Guard {
        Guard::new(["aa".to_owned(), "bb".to_owned()], address.parse().unwrap(), 8000)
    }

    fn asked<'a>(host: &'a str, url: &'a str, cookie: Option<&'a str>) -> RequestView<'a> {
        RequestView { url, host: Some(host), cookie }
    }

    #[test]
    fn a_token_opens_once_and_the_cookie_from_then_on() {
        let guard = guard("127.0.0.1");
        assert_eq!(guard.admit(&asked("localhost:8000", "/", None)), Admission::Out);
        assert_eq!(guard.admit(&asked("localhost:8000", "/?token=ab", None)), Admission::Out);
        let first = guard.admit(&asked("localhost:8000", "/?token=aa", None));
        let wanted = "nilometer-8000=bb; Path=/; HttpOnly; SameSite=Lax";
        assert_eq!(first, Admission::Cookie(wanted.to_owned()));
        assert_eq!(guard.admit(&asked("localhost:8000", "/?token=aa", None)), Admission::Out);
        let cookie = Some("other=1; nilometer-8000=bb");
        assert_eq!(guard.admit(&asked("localhost:8000", "/", cookie)), Admission::In);
        for wrong in ["nilometer-8000=bc", "nilometer-8001=bb", "nilometer-8000=b", "nilometer-8000="] {
            assert_eq!(guard.admit(&asked("localhost:8000", "/", Some(wrong))), Admission::Out, "{wrong}");
        }
    }

    #[test]
    fn names_that_could_point_anywhere_are_refused() {
        let cookie = Some("nilometer-8000=bb");
        let alone = guard("127.0.0.1");
        for ours in
            ["localhost:8000", "LOCALHOST", "127.0.0.1:8000", "127.9.9.9", "[::1]:8000", "localhost:9999"]
        {
            assert_eq!(alone.admit(&asked(ours, "/", cookie)), Admission::In, "{ours}");
        }
        for other in [
            "evil.example:8000",
            "localhost.evil.example",
            "192.168.1.2:8000",
            "",
            "[::2]",
            "127.0.0.1.evil.example",
        ] {
            assert_eq!(alone.admit(&asked(other, "/", cookie)), Admission::Name, "{other}");
        }
        assert_eq!(alone.admit(&RequestView { url: "/", host: None, cookie }), Admission::Name);
        let open = guard("0.0.0.0");
        assert_eq!(open.admit(&asked("192.168.1.2:8000", "/", cookie)), Admission::In);
        assert_eq!(open.admit(&asked("evil.example:8000", "/", cookie)), Admission::Name);
    }
}
