//! The command line without the Python package around it: `supervise PYTHON run script.py ...`.
//!
//! For tests of the supervisor alone; `_NILOMETER_PACKAGE` unset means that nothing is recorded from inside.

fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os().skip(1);
    let python = args.next().unwrap_or_default().to_string_lossy().into_owned();
    let code = nilometer_cli::main(args.collect::<Vec<_>>(), python, Vec::new());
    std::process::ExitCode::from(u8::try_from(code & 0xff).unwrap_or(2))
}
