//! `nilometer prove`: the program again and again, each time with one change, until its growth is explained.
//!
//! In: a program, or a capture of one. Out: a table, or JSON, and the captures of all runs. What must not happen here: a
//! write outside of the scratch folder and the folder of captures, or a process left behind.

mod cluster;
mod judged;
pub(crate) mod options;
pub(crate) mod program;
mod progress;
pub(crate) mod results;
pub(crate) mod scratch;
pub(crate) mod session;
mod steady;
mod tree;
pub(crate) mod trial;
pub(crate) mod watch;

use nilometer_prove::{Answer, Proof};

use self::cluster::Cluster;
use self::options::{ProveFormat, ProveOptions};
use self::program::Program;
use self::results::Folder;
use self::scratch::Scratch;
use self::session::Session;
use self::trial::Bench;
use self::watch::Watch;
use crate::args;
use crate::messages::{self, Failure};
use crate::report::{self, Read};
use crate::style;
use crate::supervisor::kernel;
use crate::words::program::misplaced;

pub(crate) fn prove(options: &ProveOptions, python: String, flags: Vec<String>) -> Result<i32, Failure> {
    kernel::fill_closed_streams();
    if let Some(word) = args::misplaced("prove", &options.program) {
        messages::hint(misplaced(word));
    }
    let program = Program::of(&options.program, options.with.as_deref())?;
    let mut watch = Watch::start()?;
    let cluster = Cluster::find(options.on, &python)?;
    let folder = Folder::make("prove", options.output.as_deref(), &program)?;
    let scratch = Scratch::prepare(&program, &python, options.yes, cluster.is_some())?;
    let mut bench = Bench::new(&program, &scratch, &folder, python, flags, options)?;
    bench.cluster = cluster;
    let proof = Session::new(options, bench, &folder).make(&mut watch);
    drop(scratch);
    let proof = proof?;
    match options.format {
        ProveFormat::Json => messages::bytes_to_stdout(nilometer_report::prove_json(&proof).as_bytes())?,
        ProveFormat::Terminal => {
            let text = nilometer_report::prove(&proof, &style::of(&std::io::stdout(), 1));
            messages::bytes_to_stdout(format!("\n{text}").as_bytes())?;
        }
    }
    if options.html {
        page(&folder, &proof)?;
    }
    if let Some(signal) = watch.interrupted() {
        return Ok(128 + signal);
    }
    Ok(match proof.answer {
        Answer::Cured | Answer::NothingToCure => 0,
        Answer::Reduced | Answer::Unexplained | Answer::Undecided => 1,
    })
}

/// The page: the report of the run that the others were compared with, and the proof.
fn page(folder: &Folder, proof: &Proof) -> Result<(), Failure> {
    let read = Read::of(&folder.path().join(&proof.baseline.capture), true)?;
    let page = nilometer_report::proved_html(&read.report, read.profile.as_ref(), proof);
    report::write(&folder.path().join("prove.html"), page.as_bytes())
}
