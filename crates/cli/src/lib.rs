//! The command line: one file per command.
//!
//! In: the words after the program's name, the Python interpreter and its flags. Out: an exit code, and for `run` the
//! program's own end, also by signal. What must not happen here: a word on stdout that was not asked for, or anything
//! that the program under `run` could tell from running without us, beyond what `docs/design/supervisor.md` admits.

mod args;
mod attach;
mod capture_path;
mod census;
mod diff;
mod env;
mod events;
mod fix;
mod format;
pub mod guard;
mod judged_children;
mod live;
mod lookup;
mod machine;
mod messages;
mod metrics;
mod name_cache;
mod options;
mod own;
mod plan;
mod progress;
mod prove;
mod python_options;
mod quantity;
mod read;
mod report;
mod run;
mod serve;
mod status;
mod style;
mod supervisor;
mod told_children;
mod words;

use std::ffi::OsString;

use args::Parsed;
pub use machine::{process_reading, surroundings};
pub use read::{Reading, Refusal, page, read};

/// Runs the command line; gives back the exit code.
///
/// `args` are the words after the program's own name, `python` the interpreter to run programs with (its
/// `sys.executable`), `flags` the flags that interpreter was started with and that programs are to be started with too.
pub fn main<Word: Into<OsString>>(args: Vec<Word>, python: String, flags: Vec<String>) -> i32 {
    let args = args.into_iter().map(Into::into).collect();
    let done = match args::parse(args) {
        Parsed::Run(options) => run::run(&options, python, flags),
        Parsed::Report(options) => report::report(&options).map(|()| 0),
        Parsed::Diff(options) => diff::diff(&options),
        Parsed::Serve(options) => serve::serve(&options).map(|()| 0),
        Parsed::Prove(options) => prove::prove(&options, python, flags),
        Parsed::Plan(options) => plan::plan(&options, python, flags),
        Parsed::Guard(options) => guard::guard(&options, python, flags),
        Parsed::Fix(options) => fix::fix(&options, python, flags),
        Parsed::Status(options) => status::status(&options),
        Parsed::Census(options) => census::census(&options).map(|()| 0),
        Parsed::Attach(options) => attach::attach(&options),
        Parsed::Detach(options) => attach::detach(&options),
        Parsed::Said(code) => Ok(code),
    };
    done.unwrap_or_else(|failure| failure.tell())
}
