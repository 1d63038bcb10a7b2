//! The door that Prometheus comes to: one answer to one kind of request, and nothing else.
//!
//! In: connections from anybody. Out: the last figures, or a status line that says no. What must not happen here: a panic, a wait
//! without an end, more memory than a few small buffers, a word of the request in the answer, or a stop of the program.
//!
//! Written by hand, and not on the `hyper` that `serve` uses. `serve` speaks with browsers, which need HTTP; a scrape is one line and a
//! few headers. This door stands open for weeks, in the process beside a program in production: two hundred lines that refuse a
//! second request, a body, a name twice and a slow head, and say so, are less to trust than a library and its runtime.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use nilometer_report::Form;

use super::board::Board;
use super::request::{MAX_HEAD_BYTES, Refusal, RequestView, parse};

/// Requests at the same time; who comes later waits in the kernel's queue.
const DOORS: usize = 3;
/// A request and its answer have so long, each.
const MAX_TURN: Duration = Duration::from_secs(2);
/// What a refused client still sends is read for so long, else it would see a broken connection and no answer.
const MAX_REST: Duration = Duration::from_millis(200);
const MAX_REST_BYTES: usize = 64 << 10;
/// Between two tries to get an address that another process has.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// After a failure to accept (no descriptors are left) it is not tried sooner.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const STACK_BYTES: usize = 128 << 10;

/// Answers on this address from now on, or from when it is free.
pub(super) fn open(
    listener: Option<TcpListener>,
    address: SocketAddr,
    board: &Arc<Board>,
) -> std::io::Result<()> {
    let board = Arc::clone(board);
    let wait = move || {
        let listener = Arc::new(listener.unwrap_or_else(|| bound(address)));
        let alone = address.ip().is_loopback();
        for _ in 1..DOORS {
            let (listener, board) = (Arc::clone(&listener), Arc::clone(&board));
            // With fewer threads it is only slower.
            let _thread = thread(move || answer_all(&listener, &board, alone));
        }
        answer_all(&listener, &board, alone);
    };
    thread(wait)
}

fn thread(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    Builder::new().name("nilometer-metrics".to_owned()).stack_size(STACK_BYTES).spawn(work).map(drop)
}

fn bound(address: SocketAddr) -> TcpListener {
    loop {
        if let Ok(listener) = TcpListener::bind(address) {
            return listener;
        }
        sleep(RETRY_INTERVAL);
    }
}

fn answer_all(listener: &TcpListener, board: &Board, alone: bool) {
    loop {
        match listener.accept() {
            // Whoever went away needs no answer.
            Ok((stream, _)) => answer(stream, board, alone).unwrap_or_default(),
            Err(_) => sleep(ACCEPT_PAUSE),
        }
    }
}

fn answer(mut stream: TcpStream, board: &Board, alone: bool) -> std::io::Result<()> {
    let asked = head(&mut stream)?.and_then(|head| parse(&head, alone));
    let (answer, body) = match asked {
        Ok(RequestView { form, head_only }) => {
            let body = board.text(form);
            let head = told("200 OK", form.content_type(), body.len());
            (head, if head_only { String::new() } else { body })
        }
        Err(refusal) => {
            let body = format!("{}\n", refusal.status());
            let kind = Form::Prometheus.content_type().split(';').next().unwrap_or_default();
            (told(refusal.status(), kind, body.len()), body)
        }
    };
    send(&mut stream, (answer + &body).as_bytes())?;
    stream.shutdown(std::net::Shutdown::Write)?;
    if asked.is_err() { read_rest(&mut stream) } else { Ok(()) }
}

/// The bytes up to the empty line.
fn head(stream: &mut TcpStream) -> std::io::Result<Result<Vec<u8>, Refusal>> {
    let until = Instant::now() + MAX_TURN;
    let mut head = Vec::with_capacity(512);
    let mut piece = [0; 512];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Err(Refusal::TooSlow));
        }
        stream.set_read_timeout(Some(left))?;
        let count = match stream.read(&mut piece) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(Err(Refusal::TooSlow));
            }
            Err(error) => return Err(error),
        };
        let Some(new) = piece.get(..count).filter(|new| !new.is_empty()) else {
            return Ok(Err(Refusal::Malformed));
        };
        head.extend_from_slice(new);
        if let Some(at) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            // What stands behind would be a body, or another request: neither is wanted.
            return Ok(if at + 4 == head.len() { Ok(head) } else { Err(Refusal::Malformed) });
        }
        if head.len() >= MAX_HEAD_BYTES {
            return Ok(Err(Refusal::TooLong));
        }
    }
}

fn told(status: &str, kind: &str, length: usize) -> String {
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}X-Content-Type-Options: nosniff\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
}

/// Writes within the turn; a client that does not read is left.
fn send(stream: &mut TcpStream, mut bytes: &[u8]) -> std::io::Result<()> {
    let until = Instant::now() + MAX_TURN;
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn read_rest(stream: &mut TcpStream) -> std::io::Result<()> {
    let until = Instant::now() + MAX_REST;
    let (mut piece, mut seen) = ([0; 512], 0);
    while seen < MAX_REST_BYTES {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece)? {
            0 => break,
            count => seen += count,
        }
    }
    Ok(())
}
