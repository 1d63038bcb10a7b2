//! Figures to an OpenTelemetry collector: OTLP over HTTP, in JSON.
//!
//! In: documents. Out: a POST for each, as well as it can. What must not happen here: a wait beyond a few seconds, a queue without a
//! bound, or a word to the program. No TLS: a collector beside the program speaks it for us.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use crate::words::{metrics as words, values};

/// A connection, a request and its answer have so long together.
const MAX_TURN: Duration = Duration::from_secs(2);
/// Documents that wait for a collector; the oldest go first.
const MAX_WAITING: usize = 16;
const DEFAULT_PORT: u16 = 4318;
const DEFAULT_PATH: &str = "/v1/metrics";
/// Of an answer only the first line counts.
const MAX_ANSWER_BYTES: usize = 1024;

/// Where a collector listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    host: String,
    port: u16,
    path: String,
}

/// Reads `http://HOST[:PORT][/PATH]`.
pub(crate) fn endpoint(word: &str) -> Result<Endpoint, String> {
    let wrong = values::endpoint;
    if word.starts_with("https://") {
        return Err(values::no_tls());
    }
    let rest = word.strip_prefix("http://").ok_or_else(wrong)?;
    let (place, path) = rest.find(['/', '?', '#']).map_or((rest, ""), |at| rest.split_at(at));
    let (host, port) = match place.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')) {
        Some((host, port)) => (host, port.parse().map_err(|_no_number| wrong())?),
        None => (place, DEFAULT_PORT),
    };
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    if host.is_empty() || !host.bytes().all(letter) || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(wrong());
    }
    let path = match path.trim_end_matches('/') {
        "" => DEFAULT_PATH.to_owned(),
        path if path.starts_with('/') && path.ends_with(DEFAULT_PATH) => path.to_owned(),
        path if path.starts_with('/') && !path.contains(['?', '#']) => format!("{path}{DEFAULT_PATH}"),
        _ => return Err(wrong()),
    };
    Ok(Endpoint { host: host.to_owned(), port, path })
}

/// A collector, and what waits for it.
pub(super) struct Exporter {
    endpoint: Endpoint,
    waiting: VecDeque<String>,
}

impl Exporter {
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, waiting: VecDeque::new() }
    }

    /// Sends this, and before it what could not be sent.
    ///
    /// # Errors
    /// In words, if the collector cannot be reached or does not want it.
    pub(super) fn send(&mut self, document: String) -> Result<(), String> {
        self.waiting.push_back(document);
        while self.waiting.len() > MAX_WAITING {
            self.waiting.pop_front();
        }
        let until = Instant::now() + MAX_TURN;
        while let Some(document) = self.waiting.front() {
            let status = post(&self.endpoint, document, until);
            let Endpoint { host, port, .. } = &self.endpoint;
            match status {
                Ok(200..=299) => {}
                // It may take it later.
                Ok(status @ (408 | 429 | 500..)) => return Err(words::answered(host, *port, status, true)),
                Ok(status) => {
                    self.waiting.pop_front();
                    return Err(words::answered(host, *port, status, false));
                }
                Err(error) => return Err(words::unreachable(host, *port, &error)),
            }
            self.waiting.pop_front();
        }
        Ok(())
    }
}

/// The status of the answer.
fn post(endpoint: &Endpoint, document: &str, until: Instant) -> std::io::Result<u16> {
    let Endpoint { host, port, path } = endpoint;
    let left = || {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(std::io::Error::from(std::io::ErrorKind::TimedOut)) } else { Ok(left) }
    };
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let address = (name, *port).to_socket_addrs()?.next().ok_or(std::io::ErrorKind::AddrNotAvailable)?;
    let mut stream = TcpStream::connect_timeout(&address, left()?)?;
    stream.set_write_timeout(Some(left()?))?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         User-Agent: nilometer/{}\r\nConnection: close\r\n\r\n",
        document.len(),
        env!("CARGO_PKG_VERSION"),
    );
    stream.write_all((head + document).as_bytes())?;
    let mut answer = Vec::new();
    let mut piece = [0; 256];
    while !answer.contains(&b'\n') && answer.len() < MAX_ANSWER_BYTES {
        stream.set_read_timeout(Some(left()?))?;
        match stream.read(&mut piece)? {
            0 => break,
            count => answer.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
    }
    let first = answer.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(first).unwrap_or_default();
    let status = line.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1)?.trim().parse().ok());
    status.ok_or_else(|| std::io::Error::other(words::NO_HTTP))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, port: u16, path: &str) -> Endpoint {
        Endpoint { host: host.to_owned(), port, path: path.to_owned() }
    }

    #[test]
    fn endpoints_have_a_usual_port_and_path() {
        assert_eq!(endpoint("http://localhost:4318"), Ok(at("localhost", 4318, "/v1/metrics")));
        assert_eq!(endpoint("http://otel/"), Ok(at("otel", 4318, "/v1/metrics")));
        assert_eq!(endpoint("http://[::1]:99/a/"), Ok(at("[::1]", 99, "/a/v1/metrics")));
        assert_eq!(endpoint("http://[::1]/v1/metrics"), Ok(at("[::1]", 4318, "/v1/metrics")));
        for word in [
            "",
            "localhost:4318",
            "https://x",
            "http://",
            "http://x:y",
            "http://u@x",
            "http://x?a",
            "http://x/a b",
            "http://x\r\nA: b",
        ] {
            assert!(endpoint(word).is_err(), "{word}");
        }
    }

    #[test]
    fn what_waits_has_a_bound() {
        let mut exporter =
            Exporter::new(Endpoint { host: "127.0.0.1".to_owned(), port: 1, path: "/".to_owned() });
        for i in 0..50 {
            assert!(exporter.send(i.to_string()).is_err());
        }
        assert_eq!(
            (exporter.waiting.len(), exporter.waiting.back().map(String::as_str)),
            (MAX_WAITING, Some("49"))
        );
    }
}
