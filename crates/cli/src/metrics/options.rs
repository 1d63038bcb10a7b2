//! The options of `nilometer run` that send figures elsewhere.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::otlp::{Endpoint, endpoint};
use crate::words::values;

/// Where figures go while the program runs.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MetricsOptions {
    /// Answer Prometheus at /metrics of this address while the program runs; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) metrics: Option<SocketAddr>,
    /// Keep a file for the node exporter's textfile collector up to date; it ends in .prom
    #[arg(long, value_name = "PATH")]
    pub(crate) metrics_file: Option<PathBuf>,
    /// Send figures to an OpenTelemetry collector, as OTLP/HTTP in JSON
    #[arg(long, value_name = "URL", value_parser = endpoint)]
    pub(crate) otlp: Option<Endpoint>,
}

impl MetricsOptions {
    pub(crate) fn is_none(&self) -> bool {
        self.metrics.is_none() && self.metrics_file.is_none() && self.otlp.is_none()
    }
}

fn address(word: &str) -> Result<SocketAddr, String> {
    let word =
        word.strip_prefix("localhost:").map_or_else(|| word.to_owned(), |port| format!("127.0.0.1:{port}"));
    word.parse().map_err(|_no_address| values::address())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_port_and_no_name() {
        assert_eq!(address("localhost:9464"), address("127.0.0.1:9464"));
        assert!(address("[::1]:0").is_ok());
        for word in ["", "9464", ":9464", "example.org:80", "127.0.0.1", "127.0.0.1:99999"] {
            assert!(address(word).is_err(), "{word}");
        }
    }
}
