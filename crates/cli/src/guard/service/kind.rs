//! Which program that serves with workers this is, and how one of its workers is asked to end.
//!
//! In: the words of the command. Out: a [`Kind`], or why the guard can do nothing for it. Pure but for one variable that uvicorn reads.
//! What must not happen here: a program taken for a service that only has such a word among its arguments.

use std::ffi::OsString;
use std::path::Path;

use crate::env;
use crate::messages::Failure;
use crate::words::guard_service as words;

/// A program whose workers finish what they are at, end, and are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `SIGTERM` to a worker.
    Gunicorn,
    /// The same, where it has several workers; our hook in the worker answers what it has accepted first.
    Uvicorn,
    /// A file that our hook in the worker looks for between two tasks: a signal would lose the task.
    Celery,
}

/// uvicorn's number of workers, where no option says it.
const UVICORN_WORKERS: &str = "WEB_CONCURRENCY";

impl Kind {
    /// What the program is; none where it is no service that we know.
    ///
    /// # Errors
    /// If nobody would replace its workers.
    pub(crate) fn of(program: &[OsString]) -> Result<Option<Self>, Failure> {
        let words: Vec<&str> = program.iter().filter_map(|word| word.to_str()).collect();
        let (name, arguments) = match words.as_slice() {
            ["-m", module, rest @ ..] => (*module, rest),
            [script, rest @ ..] => {
                (Path::new(script).file_name().and_then(|name| name.to_str()).unwrap_or_default(), rest)
            }
            [] => return Ok(None),
        };
        match name {
            "gunicorn" => Ok(Some(Self::Gunicorn)),
            "uvicorn" if has_workers(arguments) => Ok(Some(Self::Uvicorn)),
            "uvicorn" => Err(words::one_process()),
            "celery" if arguments.contains(&"worker") => match value(arguments, &["-P", "--pool"]) {
                None | Some("prefork" | "processes") => Ok(Some(Self::Celery)),
                Some(pool) => Err(words::other_pool(pool)),
            },
            _ => Ok(None),
        }
    }

    /// What its workers serve.
    pub(crate) fn noun(self) -> &'static str {
        if self == Self::Celery { words::TASK } else { words::REQUEST }
    }
}

fn has_workers(arguments: &[&str]) -> bool {
    let said = value(arguments, &["--workers"]).map(str::to_owned);
    let said = said.or_else(|| env::get(UVICORN_WORKERS).and_then(|value| value.into_string().ok()));
    said.and_then(|count| count.trim().parse::<u32>().ok()).is_some_and(|count| count > 1)
}

/// The value of an option: `--workers 2`, `--workers=2`, `-P solo`.
fn value<'a>(arguments: &[&'a str], names: &[&str]) -> Option<&'a str> {
    let apart = arguments.windows(2).find_map(|pair| match pair {
        [name, value] if names.contains(name) => Some(*value),
        _ => None,
    });
    apart.or_else(|| {
        arguments
            .iter()
            .find_map(|word| names.iter().find_map(|name| word.strip_prefix(name)?.strip_prefix('=')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> Result<Option<Kind>, String> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Kind::of(&words).map_err(|failure| failure.words().to_owned())
    }

    #[test]
    fn services_with_workers_are_known() {
        for (line, expected) in [
            ("-m gunicorn app:app", Some(Kind::Gunicorn)),
            ("/venv/bin/gunicorn --workers 2 app:app", Some(Kind::Gunicorn)),
            ("-m uvicorn --workers 2 app:app", Some(Kind::Uvicorn)),
            ("uvicorn app:app --workers=4", Some(Kind::Uvicorn)),
            ("/venv/bin/celery -A tasks worker -c 2", Some(Kind::Celery)),
            ("-m celery -A tasks worker -P prefork", Some(Kind::Celery)),
            ("/venv/bin/celery -A tasks beat", None),
            ("train.py gunicorn", None),
            ("-m trainer", None),
            ("", None),
        ] {
            assert_eq!(kind(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_nobody_would_replace_is_refused() {
        for line in ["-m uvicorn app:app", "uvicorn --workers 1 app:app", "-m celery worker --pool=threads"] {
            assert!(kind(line).is_err(), "{line}");
        }
    }
}
