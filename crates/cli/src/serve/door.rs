//! The door: requests from strangers, read by hyper, with a bound on each thing that a stranger could take.
//!
//! In: connections. Out: answers of the [`Site`]. What must not happen here: a connection, a buffer or a wait without a bound, or a
//! server that ends with one bad request. A connection brings one request, so none can hide another behind it.

use std::convert::Infallible;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::answer::{Answer, Body};
use super::stream::{self, MAX_BROWSERS};
use super::{Site, Turn};
use crate::words::serve as words;

/// Connections at the same time; who comes later waits in the kernel's queue.
const MAX_CONNECTIONS: usize = 64;
/// Threads that read captures: for requests, and one for each page that listens.
const MAX_THREADS: usize = 4 + MAX_BROWSERS;
/// A head may be so long, and take so long to come.
const MAX_HEAD_BYTES: usize = 16 << 10;
const MAX_HEADERS: usize = 64;
const MAX_HEAD_TIME: Duration = Duration::from_secs(5);
/// A request and its answer may take so long, where the answer is not a stream: a large page through a slow tunnel.
const MAX_TURN: Duration = Duration::from_mins(2);
/// After a failure to accept (no descriptors are left) it is not tried sooner.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers on this address until the process ends.
///
/// # Errors
/// If the kernel gives nothing to wait with.
pub(super) fn open(listener: TcpListener, site: Arc<Site>) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MAX_THREADS).build()?;
    let listener = {
        let _inside = runtime.enter();
        tokio::net::TcpListener::from_std(listener)?
    };
    let work = move |runtime: Runtime| runtime.block_on(answer_all(listener, site));
    std::thread::Builder::new().name("nilometer-serve".to_owned()).spawn(move || work(runtime)).map(drop)
}

async fn answer_all(listener: tokio::net::TcpListener, site: Arc<Site>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let site = Arc::clone(&site);
                drop(tokio::spawn(async move {
                    answer_one(stream, site).await;
                    drop(place);
                }));
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

async fn answer_one(stream: TcpStream, site: Arc<Site>) {
    let follows = AtomicBool::new(false);
    let service = service_fn(|request| answer(&site, request, &follows));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(MAX_HEAD_TIME)
            .max_buf_size(MAX_HEAD_BYTES)
            .max_headers(MAX_HEADERS)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service)
    );
    // Whoever went away or sent what is no request needs nothing more.
    if timeout(MAX_TURN, connection.as_mut()).await.is_err() && follows.load(Ordering::Relaxed) {
        connection.await.unwrap_or_default();
    }
}

/// The answer to one request; reading a capture takes a thread, so that others are answered meanwhile.
async fn answer(
    site: &Arc<Site>,
    request: Request<Incoming>,
    follows: &AtomicBool,
) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    if !body.is_end_stream() {
        return Ok(Answer::words(400, words::HAS_BODY).into_response());
    }
    let site = Arc::clone(site);
    let turn = tokio::task::spawn_blocking(move || site.take(&head)).await;
    let answer = match turn {
        Ok(Turn::Answered(answer)) => answer,
        Ok(Turn::Follows(room, place)) => {
            follows.store(true, Ordering::Relaxed);
            stream::events(room, place)
        }
        // Our own fault, which must end nothing but this request.
        Err(_) => Answer::words(500, words::OUR_FAULT),
    };
    Ok(answer.into_response())
}
