//! An answer: what is sent back, and what its headers forbid.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Bytes, Frame, SizeHint};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use nilometer_report::ServedPage;
use tokio::sync::mpsc::Receiver;

/// What is sent back.
#[derive(Debug, Default)]
pub(super) struct Answer {
    status: u16,
    kind: &'static str,
    body: Body,
    /// Beside those that every answer has.
    headers: Vec<(&'static str, String)>,
}

/// The part behind the head.
#[derive(Debug)]
pub(super) enum Body {
    /// All of it; none once it was sent.
    Whole(Option<Bytes>),
    /// Pieces, as they come.
    Pieces(Receiver<Bytes>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Whole(None)
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Self::Whole(Some(Bytes::from(text)))
    }
}

impl Answer {
    pub(super) fn page(page: ServedPage) -> Self {
        let kind = "text/html; charset=utf-8";
        let headers = vec![(POLICY, policy(&page.policy))];
        Self { status: 200, kind, body: page.text.into(), headers }
    }

    pub(super) fn json(text: String) -> Self {
        Self { status: 200, kind: "application/json", body: text.into(), ..Self::default() }
    }

    /// Server-sent events, as they come.
    pub(super) fn events(pieces: Receiver<Bytes>) -> Self {
        Self { status: 200, kind: "text/event-stream", body: Body::Pieces(pieces), ..Self::default() }
    }

    /// Words for people, with a status that says that this is not what they wanted.
    pub(super) fn words(status: u16, words: &str) -> Self {
        let body = format!("nilometer: {words}\n").into();
        Self { status, kind: "text/plain; charset=utf-8", body, ..Self::default() }
    }

    /// To another address of ours, with a cookie if the browser is to have one.
    pub(super) fn elsewhere(location: &str, cookie: Option<String>) -> Self {
        let mut headers = vec![("location", location.to_owned())];
        headers.extend(cookie.map(|cookie| ("set-cookie", cookie)));
        Self { headers, ..Self::words(303, "this way") }
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or_default();
        let mut add = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(HeaderName::from_static(name), value);
            }
        };
        add("content-type", self.kind);
        add(POLICY, &policy("default-src 'none'"));
        for (name, value) in FORBID {
            add(name, value);
        }
        for (name, value) in self.headers {
            add(name, &value);
        }
        response
    }
}

const POLICY: &str = "content-security-policy";

/// What this page may do, and no other with it.
fn policy(own: &str) -> String {
    format!("{own}; frame-ancestors 'none'")
}

/// What no page of another's may do with ours, and no cache keep.
const FORBID: [(&str, &str); 6] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.get_mut() {
            Self::Whole(whole) => Poll::Ready(whole.take()),
            Self::Pieces(pieces) => pieces.poll_recv(context),
        };
        next.map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => SizeHint::with_exact(whole.as_ref().map_or(0, Bytes::len) as u64),
            Self::Pieces(_) => SizeHint::default(),
        }
    }
}
