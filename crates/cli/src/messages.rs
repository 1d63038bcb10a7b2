//! Words of our own: to stderr, as `error:`, `hint:` or plain lines.
//!
//! Nothing here can fail the command: where stderr is closed, nobody wanted to read it.

use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use nilometer_capture::{CreateError, JoinError, OpenError};

/// A failure of ours, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    hint: Option<String>,
    fault: Fault,
}

/// What was wrong with a file that could not be read; only programs ask for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is none.
    Missing,
    /// It is no capture, and no evidence of one.
    NotACapture,
    /// It was made by a newer nilometer.
    Newer,
    /// It is cut or damaged.
    Damaged,
    /// Anything else.
    #[default]
    Other,
}

impl Failure {
    pub(crate) fn new(what: impl Display) -> Self {
        Self { what: what.to_string(), hint: None, fault: Fault::Other }
    }

    pub(crate) fn hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    pub(crate) fn of(mut self, fault: Fault) -> Self {
        self.fault = fault;
        self
    }

    /// Its parts, for who says it otherwise than on stderr.
    pub(crate) fn into_parts(self) -> (Fault, String, Option<String>) {
        (self.fault, self.what, self.hint)
    }

    /// What failed.
    pub(crate) fn words(&self) -> &str {
        &self.what
    }

    /// Says it on stderr and gives back the exit code of a command that could not do its work.
    pub(crate) fn tell(&self) -> i32 {
        labelled("error", AnsiColor::Red, &self.what);
        if let Some(hint) = &self.hint {
            self::hint(hint);
        }
        2
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let fault = match error {
            OpenError::Missing { .. } => Fault::Missing,
            OpenError::IsFolder { .. } | OpenError::Empty { .. } | OpenError::NotACapture { .. } => {
                Fault::NotACapture
            }
            OpenError::Newer { .. } => Fault::Newer,
            OpenError::Truncated { .. } | OpenError::Damaged { .. } => Fault::Damaged,
            _ => Fault::Other,
        };
        Self::new(&error).hint(error.hint()).of(fault)
    }
}

impl From<CreateError> for Failure {
    fn from(error: CreateError) -> Self {
        Self::new(&error).hint(error.hint())
    }
}

impl From<JoinError> for Failure {
    fn from(error: JoinError) -> Self {
        Self::new(&error).hint(error.hint())
    }
}

/// `warning: ...`: the work goes on, but not as asked.
pub(crate) fn warning(what: impl Display) {
    labelled("warning", AnsiColor::Yellow, &what.to_string());
}

/// `hint: ...`: what to do next.
pub(crate) fn hint(what: impl Display) {
    labelled("hint", AnsiColor::Cyan, &what.to_string());
}

fn labelled(label: &str, color: AnsiColor, text: &str) {
    let style = Style::new().fg_color(Some(color.into())).bold();
    if use_color(&std::io::stderr()) {
        to_stderr(&format!("{style}{label}:{style:#} {text}\n"));
    } else {
        to_stderr(&format!("{label}: {text}\n"));
    }
}

/// Whether to colour what goes to this stream.
pub(crate) fn use_color(stream: &impl std::io::IsTerminal) -> bool {
    stream.is_terminal()
        && crate::env::get(crate::env::NO_COLOR).is_none()
        && crate::env::get(crate::env::TERM).is_none_or(|term| term != "dumb")
}

/// Whether stderr is a terminal.
pub(crate) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Text to stderr, in one piece.
pub(crate) fn to_stderr(text: &str) {
    let mut stream = std::io::stderr().lock();
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).unwrap_or_default();
}

/// Data to stdout. A reader that went away (`| head`) is no failure.
pub(crate) fn bytes_to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut stream = std::io::stdout().lock();
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(crate::words::system::cannot_print(&error))
        }
        _ => Ok(()),
    }
}
