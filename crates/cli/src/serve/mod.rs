//! `nilometer serve FILE|DIR`: the report's page in a browser, also while the program still runs.
//!
//! In: a capture, or a folder of them. Out: pages on an address of this machine. What must not happen here: a write to
//! anything, an answer to somebody who has not the link, or a page that is drawn by anything but the report's own script.

mod answer;
mod capture_cache;
pub(crate) mod capture_list;
mod door;
pub(crate) mod guard;
mod request;
mod stream;
mod summary;

use std::fs::File;
use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use hyper::header::{COOKIE, HOST};
use hyper::http::request::Parts;
use nilometer_report::{Served, served_data, served_diff, served_html, shelf_data, shelf_html};

use self::answer::Answer;
use self::capture_cache::{CachedCapture, CaptureCache, Look};
use self::capture_list::CaptureList;
use self::guard::{Admission, Guard};
use self::request::{RequestView, name};
use self::stream::{Listeners, Place};
use self::summary::Summaries;
use crate::messages::{self, Failure, bytes_to_stdout};
use crate::options::ServeOptions;
use crate::report::open;
use crate::supervisor::kernel::{self, Signals};
use crate::words::{serve as words, system};

const RANDOM: &str = "/dev/urandom";
const ENDS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// All that requests share.
struct Site {
    shelf: CaptureList,
    rooms: CaptureCache,
    summaries: Summaries,
    listeners: Listeners,
    guard: Guard,
}

/// What becomes of a request.
enum Turn {
    Answered(Answer),
    /// It listens to what comes of a capture.
    Follows(Arc<CachedCapture>, Place),
}

pub(crate) fn serve(options: &ServeOptions) -> Result<(), Failure> {
    let shelf = CaptureList::of(&options.what);
    if shelf.only().is_some() {
        open(&options.what)?; // says now what is wrong with it
    }
    // Before any other thread is there, so that none of them gets the signals.
    kernel::block(&ENDS);
    let mut signals = Signals::open(&ENDS).map_err(|error| system::cannot_watch_signals(&error))?;
    let (listener, address) = listen(SocketAddr::new(options.bind, options.port))?;
    let secrets = [secret()?, secret()?];
    let link = format!("http://{address}/?token={}", secrets[0]);
    let guard = Guard::new(secrets, address.ip(), address.port());
    let (rooms, summaries, listeners) = (CaptureCache::default(), Summaries::default(), Listeners::default());
    let site = Arc::new(Site { shelf, rooms, summaries, listeners, guard });
    door::open(listener, site).map_err(|error| words::cannot_listen(address, &error))?;
    if !options.bind.is_loopback() {
        messages::warning(words::OPEN_TO_OTHERS);
    }
    bytes_to_stdout(format!("{link}\n").as_bytes())?;
    messages::to_stderr(words::LINK);
    while signals.next().is_none() {
        signals.wait(Duration::from_mins(10));
    }
    Ok(())
}

fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), Failure> {
    let failed = |error: std::io::Error| words::port_taken(address, &error);
    let listener = TcpListener::bind(address).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// 128 bits that nobody can guess.
fn secret() -> Result<String, Failure> {
    let mut bytes = [0_u8; 16];
    File::open(RANDOM)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| system::cannot_read(RANDOM.as_ref(), &error))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

impl Site {
    /// Answers one request.
    fn take(&self, head: &Parts) -> Turn {
        // Two names, or one in the address itself as proxies are sent it, say that somebody wants us to choose.
        let names: Vec<_> = head.headers.get_all(HOST).iter().collect();
        let host = match names[..] {
            [name] if head.uri.authority().is_none() => name.to_str().ok(),
            _ => None,
        };
        let url = head.uri.path_and_query().map_or("", |url| url.as_str());
        let cookie = head.headers.get(COOKIE).and_then(|cookie| cookie.to_str().ok());
        let asked = RequestView { url, host, cookie };
        if !matches!(head.method, Method::GET | Method::HEAD) {
            return Turn::Answered(Answer::words(405, words::ONLY_READ));
        }
        Turn::Answered(match self.guard.admit(&asked) {
            Admission::Name => Answer::words(421, words::OTHER_NAME),
            Admission::Out => Answer::words(403, words::ONLY_BY_LINK),
            Admission::Cookie(cookie) => Answer::elsewhere("/", Some(cookie)),
            Admission::In => match asked.path()[..] {
                ["events", key] => return self.stream(key),
                ref path => self.answer(path),
            },
        })
    }

    fn answer(&self, path: &[&str]) -> Answer {
        let answer = match (path, self.shelf.only()) {
            ([], Some(only)) => Ok(Answer::elsewhere(&format!("/capture/{}", request::key(only)), None)),
            ([], None) => Ok(Answer::page(shelf_html(&self.shelf.listed()))),
            (["list"], _) => Ok(Answer::json(shelf_data(&self.shelf.listed()))),
            (["capture", key], _) => self.look(key).map(|look| {
                let Look { read, .. } = &look;
                Answer::page(served_html(&read.report, read.profile.as_ref(), &self.served(key, &look)))
            }),
            (["data", key], _) => self.look(key).map(|look| {
                let Look { read, .. } = &look;
                Answer::json(served_data(&read.report, read.profile.as_ref(), &self.served(key, &look)))
            }),
            (["summary", key], _) => {
                self.path(key).map(|path| Answer::json(self.summaries.of(&path).to_string()))
            }
            (["compare", a, b], _) => self.look(a).and_then(|a| Ok((a, self.look(b)?))).map(|(a, b)| {
                let diff = nilometer_diagnose::diff(a.read.side(), b.read.side());
                Answer::page(served_diff(&diff, &Served { home: self.home(), ..Served::default() }))
            }),
            _ => Err(Answer::words(404, words::NO_PAGE)),
        };
        answer.unwrap_or_else(|wrong| wrong)
    }

    fn path(&self, key: &str) -> Result<std::path::PathBuf, Answer> {
        let path = name(key).and_then(|name| self.shelf.path(&name));
        path.ok_or_else(|| Answer::words(404, words::NO_CAPTURE))
    }

    fn look(&self, key: &str) -> Result<Look, Answer> {
        let path = self.path(key)?;
        self.rooms.of(&path).look().map_err(|failure| Answer::words(500, failure.words()))
    }

    fn served(&self, key: &str, look: &Look) -> Served {
        Served {
            version: look.version,
            running: look.running,
            data: format!("/data/{key}"),
            events: format!("/events/{key}"),
            home: self.home(),
        }
    }

    fn home(&self) -> Option<String> {
        self.shelf.only().is_none().then(|| "/".to_owned())
    }

    fn stream(&self, key: &str) -> Turn {
        let path = match self.path(key) {
            Ok(path) => path,
            Err(answer) => return Turn::Answered(answer),
        };
        match self.listeners.take() {
            Some(place) => Turn::Follows(self.rooms.of(&path), place),
            None => Turn::Answered(Answer::words(503, words::TOO_MANY)),
        }
    }
}
