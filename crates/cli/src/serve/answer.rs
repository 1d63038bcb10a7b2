//! An answer: what is sent back, and what its headers forbid.

use std::io::Cursor;

use nilometer_report::ServedPage;
use tiny_http::{Header, Response, StatusCode};

/// What is sent back.
#[derive(Debug, Default)]
pub(super) struct Answer {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
    policy: Option<String>,
    cookie: Option<String>,
    location: Option<String>,
}

impl Answer {
    pub(super) fn page(page: ServedPage) -> Self {
        let kind = "text/html; charset=utf-8";
        Self { status: 200, kind, body: page.text.into_bytes(), policy: Some(page.policy), ..Self::default() }
    }

    pub(super) fn json(text: String) -> Self {
        Self { status: 200, kind: "application/json", body: text.into_bytes(), ..Self::default() }
    }

    /// Words for people, with a status that says that this is not what they wanted.
    pub(super) fn words(status: u16, words: &str) -> Self {
        let body = format!("nilometer: {words}\n").into_bytes();
        Self { status, kind: "text/plain; charset=utf-8", body, ..Self::default() }
    }

    /// To another address of ours, with a cookie if the browser is to have one.
    pub(super) fn elsewhere(location: &str, cookie: Option<String>) -> Self {
        Self { cookie, location: Some(location.to_owned()), ..Self::words(303, "this way") }
    }

    pub(super) fn into_response(self) -> Response<Cursor<Vec<u8>>> {
        let mut response = Response::from_data(self.body).with_status_code(StatusCode(self.status));
        let mut add = |name: &str, value: &str| {
            if let Ok(header) = Header::from_bytes(name, value) {
                response.add_header(header);
            }
        };
        add("Content-Type", self.kind);
        let policy = self.policy.as_deref().unwrap_or("default-src 'none'");
        add("Content-Security-Policy", &format!("{policy}; frame-ancestors 'none'"));
        for (name, value) in FORBID {
            add(name, value);
        }
        for (name, value) in [("Set-Cookie", self.cookie), ("Location", self.location)] {
            if let Some(value) = value {
                add(name, &value);
            }
        }
        response
    }
}

/// What no page of another's may do with ours, and no cache keep.
pub(super) const FORBID: [(&str, &str); 6] = [
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
];
