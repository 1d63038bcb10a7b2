//! The words of the command line: ours up to the program, then the program's.
//!
//! `run` has the grammar of `python`: the first word that is not an option of ours is the script, `-m` and `-c` stand in
//! its place, and from there on every word belongs to the program. The cut is made here, before clap sees anything, so
//! that clap can never take a word of the program for ours.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::attach::options::{AttachOptions, DetachOptions};
use crate::fix::options::FixOptions;
use crate::guard::options::GuardOptions;
use crate::metrics::options::MetricsOptions;
use crate::options::{CensusOptions, DiffOptions, ReportOptions, ServeOptions};
use crate::own;
use crate::plan::options::PlanOptions;
use crate::prove::options::ProveOptions;
use crate::quantity;
use crate::status::options::StatusOptions;
use crate::supervisor::keep::Keep;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

/// Watches the memory of a Keras or TensorFlow program and says whether it leaks.
#[derive(Debug, Parser)]
#[command(
    name = "nilometer",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "nilometer jupyter install adds a kernel to Jupyter whose memory is recorded (docs/jupyter.md)"
)]
struct Words {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a Python program and say at its end whether its memory leaks
    Run(RunOptions),
    /// Record a Python program that runs already, from now on
    Attach(AttachOptions),
    /// End the recording of a program that `attach` came to; the program goes on
    Detach(DetachOptions),
    /// Print the report of a capture, also while its program still runs
    Report(ReportOptions),
    /// Say what differs between two captures: what grew, shrank, appeared and went
    Diff(DiffOptions),
    /// Show a capture, or a folder of them, in a browser, also while programs still run
    Serve(ServeOptions),
    /// Tell of recorded processes in a row each: verdict, growth, what is left
    Status(StatusOptions),
    /// Run a program again and again with one change each time, to see what ends its growth
    Prove(ProveOptions),
    /// Write the patch for a leak whose change is mechanical, prove it, and show it with its proof
    Fix(FixOptions),
    /// Say how much memory a Keras training will take at its peak, before it trains
    Plan(PlanOptions),
    /// Run a Keras training, and save and end it before a memory limit does
    Guard(GuardOptions),
    /// Ask a running program who holds its memory
    Census(CensusOptions),
}

/// `nilometer run`.
#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
#[command(
    override_usage = "nilometer run [OPTIONS] SCRIPT [ARGS]...\n       nilometer run [OPTIONS] -m MODULE [ARGS]...\n       \
                      nilometer run [OPTIONS] -c CODE [ARGS]...",
    after_help = "Everything from SCRIPT, -m or -c on belongs to the program, as with `python`.\n\
                  Its output, exit code and signals are its own; nilometer writes to stderr only."
)]
pub(crate) struct RunOptions {
    /// The capture's name [default: nilometer-SCRIPT.PID.nilo in the current folder]; {pid} in it stands for the
    /// program's process id
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite the capture if it exists
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Mean bytes between two samples of allocated memory; smaller sees smaller leaks sooner
    #[arg(long, value_name = "SIZE", default_value = "512K", value_parser = quantity::sample)]
    pub(crate) sample: u64,
    /// Most of the program's time that sampling may take, in percent; it samples less where it would take more, and looks at who holds
    /// memory sooner where this is more than usual
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = quantity::overhead)]
    pub(crate) max_overhead: f64,
    /// Record all Python processes that the program starts, also by `subprocess` or `spawn`, each into a capture of its
    /// own; the program then sees nilometer's variables in its environment [default: those that it forks, unseen]
    #[arg(long)]
    pub(crate) children: bool,
    /// Record no process but the program itself; its children are measured from outside
    #[arg(long, conflicts_with = "children")]
    pub(crate) no_children: bool,
    /// Sample no allocations; marks and counters only
    #[arg(long, conflicts_with_all = ["sample", "max_overhead"])]
    pub(crate) no_recorder: bool,
    /// The longest that the program may be held up to look at who holds its memory, in milliseconds, and its exit four times
    /// as long; it is looked at only when its memory rises, or when somebody asks
    #[arg(long, value_name = "MS", default_value = "150", value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) max_pause: u32,
    /// Never look at who holds the memory by itself; only when asked
    #[arg(long, conflicts_with = "max_pause")]
    pub(crate) no_census: bool,
    /// What to count growth by: `epoch`, `request`, `call`, `line`, 'line:round *', `loop`, `window`, ...; found by itself if nothing is said
    #[arg(long, value_name = "UNIT")]
    pub(crate) cycle: Option<String>,
    /// A package of your own although it is installed, as `import` names it; can be given again. Its lines are then named as yours
    /// (docs/howto/installed-code.md)
    #[arg(long, value_name = "PACKAGE", value_parser = own::package)]
    pub(crate) own: Vec<String>,
    /// Write an event file while the program runs, into the folder `nilometer` in LOGDIR, for tensorboard --logdir LOGDIR
    #[arg(long, value_name = "LOGDIR")]
    pub(crate) tensorboard: Option<PathBuf>,
    /// Most disk space that the capture may take, and each child's: 4M to 1G, or `all`. Old readings are thinned for it [default: 64M once
    /// requests were served, else 256M]
    #[arg(long, value_name = "SIZE", value_parser = quantity::keep, default_value = "usual", hide_default_value = true)]
    pub(crate) keep: Keep,
    #[command(flatten)]
    pub(crate) metrics: MetricsOptions,
    /// No live line at the bottom of the terminal
    #[arg(long)]
    pub(crate) no_live: bool,
    /// Print no report at the end, only where the capture is
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The program: what `python` would get.
    #[arg(skip)]
    pub(crate) program: Vec<OsString>,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Parsed {
    Run(RunOptions),
    Prove(ProveOptions),
    Plan(PlanOptions),
    Fix(FixOptions),
    Guard(GuardOptions),
    Report(ReportOptions),
    Diff(DiffOptions),
    Serve(ServeOptions),
    Census(CensusOptions),
    Status(StatusOptions),
    Attach(AttachOptions),
    Detach(DetachOptions),
    /// Everything was said already (help, version, a mistake in the words); only the exit code is left.
    Said(i32),
}

/// Reads the words after the program's own name.
pub(crate) fn parse(mut args: Vec<OsString>) -> Parsed {
    if args.is_empty() {
        args.push("--help".into());
    }
    let program = match args.first() {
        Some(first) if ["run", "prove", "plan", "fix", "guard"].iter().any(|ours| first == ours) => {
            cut(&mut args)
        }
        _ => Vec::new(),
    };
    match Words::try_parse_from(std::iter::once(OsString::from("nilometer")).chain(args)) {
        Ok(Words { command: Command::Run(options) }) => Parsed::Run(RunOptions { program, ..options }),
        Ok(Words { command: Command::Report(options) }) => Parsed::Report(options),
        Ok(Words { command: Command::Diff(options) }) => Parsed::Diff(options),
        Ok(Words { command: Command::Serve(options) }) => Parsed::Serve(options),
        Ok(Words { command: Command::Prove(options) }) => Parsed::Prove(ProveOptions { program, ..options }),
        Ok(Words { command: Command::Plan(options) }) => Parsed::Plan(PlanOptions { program, ..options }),
        Ok(Words { command: Command::Fix(options) }) => Parsed::Fix(FixOptions { program, ..options }),
        Ok(Words { command: Command::Attach(options) }) => Parsed::Attach(options),
        Ok(Words { command: Command::Detach(options) }) => Parsed::Detach(options),
        Ok(Words { command: Command::Guard(options) }) => Parsed::Guard(GuardOptions { program, ..options }),
        Ok(Words { command: Command::Status(options) }) => Parsed::Status(options),
        Ok(Words { command: Command::Census(options) }) => Parsed::Census(options),
        Err(error) => {
            error.print().unwrap_or_default();
            Parsed::Said(error.exit_code())
        }
    }
}

/// Cuts the program off the words of `run`, `prove`, `plan`, `fix` or `guard`; a lone `--` between the two is dropped.
fn cut(args: &mut Vec<OsString>) -> Vec<OsString> {
    let ours = args.first().cloned().unwrap_or_default();
    let mut at = 1;
    while let Some(word) = args.get(at) {
        if word == "--" {
            let program = args.split_off(at + 1);
            args.truncate(at);
            return program;
        }
        if begins_program(word) {
            return args.split_off(at);
        }
        at += if takes_next(&ours, word) { 2 } else { 1 };
    }
    Vec::new()
}

/// A script, `-` (the script comes on stdin), `-m`, `-mname`, `-c`, `-ccode`.
fn begins_program(word: &OsStr) -> bool {
    let bytes = word.as_bytes();
    !bytes.starts_with(b"-") || bytes == b"-" || bytes.starts_with(b"-m") || bytes.starts_with(b"-c")
}

/// Whether this option of our command has its value in the next word.
fn takes_next(ours: &OsStr, word: &OsStr) -> bool {
    let takes_value = |arg: &clap::Arg| arg.get_action().takes_values();
    let Some(word) = word.to_str() else { return false };
    let command = Words::command();
    let Some(run) = command.find_subcommand(ours) else { return false };
    if let Some(long) = word.strip_prefix("--") {
        return run.get_arguments().any(|arg| longs(arg).contains(&long) && takes_value(arg));
    }
    // In a bundle such as `-fo`, only the last letter can have its value in the next word.
    let mut letters = word.chars().skip(1).peekable();
    while let Some(letter) = letters.next() {
        if run.get_arguments().any(|arg| arg.get_short() == Some(letter) && takes_value(arg)) {
            return letters.peek().is_none();
        }
    }
    false
}

/// All long names of an option.
fn longs(arg: &clap::Arg) -> Vec<&str> {
    arg.get_long_and_visible_aliases().unwrap_or_default()
}

/// An option of `ours`, a command, that stands right after the script, where it belongs to the program.
pub(crate) fn misplaced<'p>(ours: &str, program: &'p [OsString]) -> Option<&'p str> {
    let at = match program.first()?.to_str() {
        Some("-m" | "-c") => 2,
        _ => 1,
    };
    let word = program.get(at)?.to_str()?;
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let command = Words::command();
    let run = command.find_subcommand(ours)?;
    let ours = run.get_arguments().any(|arg| {
        name.strip_prefix("--").is_some_and(|long| longs(arg).contains(&long))
            || arg.get_short().is_some_and(|short| name.strip_prefix('-') == Some(short.to_string().as_str()))
    });
    (ours && name != "-h" && name != "--help").then_some(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn run(line: &str) -> RunOptions {
        match parse(words(line)) {
            Parsed::Run(options) => options,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn clap_finds_no_fault_in_the_commands() {
        Words::command().debug_assert();
    }

    #[test]
    fn help_reads_well() {
        // As wide as help is ever printed, whatever terminal the tests run in.
        let mut command = Words::command().term_width(100);
        command.build();
        insta::assert_snapshot!("help", command.render_help());
        for name in [
            "run", "report", "diff", "serve", "prove", "fix", "plan", "guard", "census", "attach", "detach",
            "status",
        ] {
            let subcommand = command.find_subcommand_mut(name).unwrap();
            insta::assert_snapshot!(format!("help_{name}"), subcommand.render_long_help());
        }
    }

    #[test]
    fn everything_after_the_script_is_the_programs() {
        let options = run("run -o out.nilo -f train.py -o other --no-live -- x");
        assert_eq!(options.output, Some("out.nilo".into()));
        assert!(options.force && !options.no_live);
        assert_eq!(options.program, words("train.py -o other --no-live -- x"));
    }

    #[test]
    fn modules_and_code_stand_in_the_scripts_place() {
        assert_eq!(run("run --no-live -m pkg.mod --quiet").program, words("-m pkg.mod --quiet"));
        assert_eq!(run("run -mpkg.mod -f").program, words("-mpkg.mod -f"));
        assert_eq!(run("run -c pass -f").program, words("-c pass -f"));
        assert_eq!(run("run -").program, words("-"));
    }

    #[test]
    fn the_recorders_options_have_their_values() {
        let options = run("run --sample 64K --max-overhead 0.5% --children x.py --sample 1");
        assert_eq!((options.sample, options.max_overhead, options.children), (65_536, 0.005, true));
        assert_eq!(options.program, words("x.py --sample 1"));
        let usual = run("run --no-recorder x.py");
        assert_eq!((usual.sample, usual.max_overhead, usual.no_recorder), (524_288, 0.02, true));
        for line in ["run --sample 1 x.py", "run --max-overhead=0 x.py", "run --no-recorder --sample 1M x.py"]
        {
            assert!(matches!(parse(words(line)), Parsed::Said(2)), "{line}");
        }
    }

    #[test]
    fn a_proof_has_the_grammar_of_a_run() {
        match parse(words("prove --without callback:Keeps --try gc -j 2 train.py --budget 1")) {
            Parsed::Prove(options) => {
                let tries: Vec<_> = options.tries.iter().map(ToString::to_string).collect();
                assert_eq!(tries, ["callback:Keeps", "gc"]);
                assert_eq!((options.jobs, options.budget.as_secs()), (2, 600));
                assert_eq!(options.program, words("train.py --budget 1"));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(parse(words("prove --try nothing train.py")), Parsed::Said(2)));
    }

    #[test]
    fn a_plan_has_the_grammar_of_a_run() {
        match parse(words("plan --batch 256 --limit 8G --static train.py --batch 1")) {
            Parsed::Plan(options) => {
                assert_eq!(
                    (options.batch, options.limit, options.only_exact),
                    (Some(256), Some(8 << 30), true)
                );
                assert_eq!(options.program, words("train.py --batch 1"));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(parse(words("plan --batch 0 train.py")), Parsed::Said(2)));
    }

    #[test]
    fn a_guard_has_the_grammar_of_a_run() {
        match parse(words("guard --limit 4G --restart 3 --resume saved -- train.py --limit 1")) {
            Parsed::Guard(options) => {
                assert_eq!((options.limit, options.restart, options.reserve.0), (Some(4 << 30), 3, None));
                assert_eq!(options.resume, Some("saved".into()));
                assert_eq!(options.program, words("train.py --limit 1"));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(parse(words("guard --dry-run x.nilo --restart 2")), Parsed::Said(2)));
    }

    #[test]
    fn a_double_dash_ends_our_options() {
        assert_eq!(run("run -f -- -X dev train.py").program, words("-X dev train.py"));
        assert_eq!(run("run -- --odd-name.py").program, words("--odd-name.py"));
    }

    #[test]
    fn values_of_ours_are_not_taken_for_the_script() {
        assert_eq!(run("run --output a.nilo x.py").program, words("x.py"));
        assert_eq!(run("run --output=a.nilo x.py").program, words("x.py"));
        assert_eq!(run("run -fo a.nilo x.py").program, words("x.py"));
        assert_eq!(run("run -oa.nilo x.py").program, words("x.py"));
    }

    #[test]
    fn our_options_behind_the_script_are_noticed() {
        assert_eq!(misplaced("run", &words("train.py --no-live")), Some("--no-live"));
        assert_eq!(misplaced("run", &words("train.py --output=x")), Some("--output"));
        assert_eq!(misplaced("run", &words("-m mod -f")), Some("-f"));
        assert_eq!(misplaced("run", &words("train.py x --no-live")), None);
        assert_eq!(misplaced("run", &words("train.py --epochs")), None);
        assert_eq!(misplaced("run", &words("train.py --help")), None);
        assert_eq!(misplaced("prove", &words("train.py --without gc")), Some("--without"));
    }
}
