//! A scrape's request: the bytes up to the empty line, read strictly.
//!
//! In: bytes from anybody. Out: what is wanted, or why it is refused. Pure. What must not happen here: a guess at what a malformed
//! request may have meant.

use nilometer_report::Form;

use crate::serve::guard::is_no_foreign_name;

/// No request has a longer head; Prometheus' own has about 300 bytes.
pub(super) const MAX_HEAD_BYTES: usize = 4096;
const OPENMETRICS: &str = "application/openmetrics-text";

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestView {
    pub(super) form: Form,
    /// Only the head of the answer is wanted.
    pub(super) head_only: bool,
}

/// Why nothing is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Malformed,
    TooLong,
    TooSlow,
    Method,
    Path,
    /// It came under a name that is not this machine's: a page in a browser may have been led here.
    Name,
    Version,
}

impl Refusal {
    /// The line of the answer.
    pub(super) fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::TooLong => "431 Request Header Fields Too Large",
            Self::TooSlow => "408 Request Timeout",
            Self::Method => "405 Method Not Allowed",
            Self::Path => "404 Not Found",
            Self::Name => "421 Misdirected Request",
            Self::Version => "505 HTTP Version Not Supported",
        }
    }
}

/// Reads a whole head, its empty line included; `alone` says that only this machine can reach us.
pub(super) fn parse(head: &[u8], alone: bool) -> Result<RequestView, Refusal> {
    let text = std::str::from_utf8(head).ok().filter(|text| text.is_ascii());
    let text = text.and_then(|text| text.strip_suffix("\r\n\r\n")).ok_or(Refusal::Malformed)?;
    let mut lines = text.split("\r\n");
    let head_only = first_line(lines.next().unwrap_or_default())?;
    let (mut host, mut form) = (None, Form::Prometheus);
    for line in lines {
        let (name, value) = field(line).ok_or(Refusal::Malformed)?;
        match name.to_ascii_lowercase().as_str() {
            "host" if host.is_some() => return Err(Refusal::Malformed),
            "host" => host = Some(value),
            "accept" if value.to_ascii_lowercase().contains(OPENMETRICS) => form = Form::OpenMetrics,
            "content-length" if value != "0" => return Err(Refusal::Malformed),
            "transfer-encoding" => return Err(Refusal::Malformed),
            _ => {}
        }
    }
    let host = host.ok_or(Refusal::Malformed)?;
    // Behind an open address names are the network's own; who opens it lets the network read.
    if alone && !is_no_foreign_name(host, true) {
        return Err(Refusal::Name);
    }
    Ok(RequestView { form, head_only })
}

/// Whether only the head is wanted.
fn first_line(line: &str) -> Result<bool, Refusal> {
    let parts: Vec<&str> = line.split(' ').collect();
    let [method, target, version] = parts[..] else { return Err(Refusal::Malformed) };
    let visible = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic());
    if !visible(target) || method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(Refusal::Malformed);
    }
    match version {
        "HTTP/1.1" | "HTTP/1.0" => {}
        other if other.starts_with("HTTP/") && visible(other) => return Err(Refusal::Version),
        _ => return Err(Refusal::Malformed),
    }
    let head_only = match method {
        "GET" => false,
        "HEAD" => true,
        _ => return Err(Refusal::Method),
    };
    match target.split('?').next() {
        Some("/metrics") => Ok(head_only),
        _ => Err(Refusal::Path),
    }
}

/// The name and the value of a header.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let plain = |byte: u8| byte == b' ' || byte == b'\t' || byte.is_ascii_graphic();
    let is_good = !name.is_empty() && name.bytes().all(token) && value.bytes().all(plain);
    is_good.then(|| (name, value.trim_matches([' ', '\t'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &[&str]) -> Vec<u8> {
        (lines.join("\r\n") + "\r\n\r\n").into_bytes()
    }

    #[test]
    fn what_prometheus_sends_is_understood() {
        let accept = "Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1";
        let asked = parse(&head(&["GET /metrics HTTP/1.1", "Host: 127.0.0.1:9464", accept]), true);
        assert_eq!(asked, Ok(RequestView { form: Form::OpenMetrics, head_only: false }));
        let asked = parse(&head(&["HEAD /metrics?a=b HTTP/1.0", "host: localhost", "X-Empty:"]), true);
        assert_eq!(asked, Ok(RequestView { form: Form::Prometheus, head_only: true }));
        assert!(parse(&head(&["GET /metrics HTTP/1.1", "Host: node7.example:9464"]), false).is_ok());
    }

    #[test]
    fn all_else_is_refused() {
        let host = "Host: localhost";
        for (lines, refusal) in [
            (&["GET /metrics HTTP/1.1"][..], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1", host, host], Refusal::Malformed),
            (&["GET  /metrics HTTP/1.1", host], Refusal::Malformed),
            (&["get /metrics HTTP/1.1", host], Refusal::Malformed),
            (&["GET /metrics", host], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1", host, " folded"], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1", host, "A B: c"], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1", host, "A: \u{1}"], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1", "Host: \u{e9}"], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1", host, "Content-Length: 5"], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1", host, "Transfer-Encoding: chunked"], Refusal::Malformed),
            (&["GET /metrics HTTP/1.1\nA: b", host], Refusal::Malformed),
            (&["GET /metrics HTTP/2.0", host], Refusal::Version),
            (&["POST /metrics HTTP/1.1", host], Refusal::Method),
            (&["GET / HTTP/1.1", host], Refusal::Path),
            (&["GET /metrics/ HTTP/1.1", host], Refusal::Path),
            (&["GET /../metrics HTTP/1.1", host], Refusal::Path),
            (&["GET http://localhost/metrics HTTP/1.1", host], Refusal::Path),
            (&["GET /metrics HTTP/1.1", "Host: evil.example"], Refusal::Name),
        ] {
            assert_eq!(parse(&head(lines), true), Err(refusal), "{lines:?}");
        }
        assert_eq!(parse(b"", true), Err(Refusal::Malformed));
        assert_eq!(parse(b"\r\n\r\n", true), Err(Refusal::Malformed));
    }

    #[test]
    fn no_damage_to_a_good_request_makes_it_panic_or_tell_of_another_path() {
        let good = head(&["GET /metrics HTTP/1.1", "Host: localhost:9464", "Accept: */*"]);
        for at in 0..good.len() {
            for byte in [0, b'\n', b'\r', b' ', b':', b'/', 0x7f, 0xff] {
                let mut bad = good.clone();
                bad[at] = byte;
                let told = parse(&bad, true).is_ok();
                assert!(
                    !told || bad.starts_with(b"GET /metrics HTTP/1.1\r\n"),
                    "{:?}",
                    bad.escape_ascii().to_string()
                );
                let _cut = parse(good.get(..at).unwrap_or_default(), true);
            }
        }
    }
}
