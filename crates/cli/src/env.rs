//! Every environment variable the command line reads or sets, in one place.

use std::ffi::OsString;

/// Set to anything but `0`: no live line, and no word while a report takes long.
pub(crate) const NO_PROGRESS: &str = "NILOMETER_NO_PROGRESS";
/// Set to anything: no colour (<https://no-color.org>).
pub(crate) const NO_COLOR: &str = "NO_COLOR";
/// Packages that are your own although they are installed, with commas between them; as `--own`, which adds to them.
pub(crate) const OWN: &str = "NILOMETER_OWN";
/// The width to print for, in columns, where no terminal says it.
pub(crate) const COLUMNS: &str = "COLUMNS";
/// The kind of terminal; `dumb` gets no live line.
pub(crate) const TERM: &str = "TERM";

/// GitHub's own: the file that a step of a workflow adds its summary to.
pub(crate) const GITHUB_STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Private, from the Python entry: the absolute folder of the `nilometer` package. Not passed on.
pub(crate) const PACKAGE: &str = "_NILOMETER_PACKAGE";
/// Private, to the program: the capture's absolute path, in which `{pid}` stands for the program's pid.
pub(crate) const CAPTURE: &str = "_NILOMETER_CAPTURE";
/// Python's own: where it looks for modules. Our boot folder goes in front and is taken out again by the boot.
pub(crate) const PYTHONPATH: &str = "PYTHONPATH";
/// Private, to the program: the `PYTHONPATH` it would have had.
pub(crate) const OLD_PYTHONPATH: &str = "_NILOMETER_PYTHONPATH";
/// Private, to the program: `1` if it would have had a `PYTHONPATH` at all, else `0`.
pub(crate) const OLD_PYTHONPATH_SET: &str = "_NILOMETER_PYTHONPATH_SET";
/// The dynamic loader's own: libraries to put in front of all others. The recorder takes itself out again.
pub(crate) const LD_PRELOAD: &str = "LD_PRELOAD";
/// Private, to the recorder: its settings, and the `LD_PRELOAD` the program would have had.
pub(crate) const RECORDER: &str = "_NILOMETER_RECORDER";
/// Private, to the boot: the recorder as `LD_PRELOAD` names it, for a program that replaces itself.
pub(crate) const PRELOAD: &str = "_NILOMETER_PRELOAD";
/// Private, to the boot: what an experiment changes in the program.
pub(crate) const TRIAL: &str = "_NILOMETER_TRIAL";
/// Private, to the boot: the packages that are the user's own, with commas between them.
pub(crate) const OWN_TOLD: &str = "_NILOMETER_OWN";
/// Private, to the boot: what the guard needs to know, as JSON.
pub(crate) const GUARD: &str = "_NILOMETER_GUARD";
/// TensorFlow's own: the processes that train together.
pub(crate) const TF_CONFIG: &str = "TF_CONFIG";
/// What launchers set for each of the processes that train together.
pub(crate) const WORKERS: [&str; 4] = [TF_CONFIG, "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "HOROVOD_SIZE"];
/// Private, to the boot: the number of the run and the template of children, with a colon between them, if children that the program
/// forks are to record themselves. Not passed on.
pub(crate) const FORKS: &str = "_NILOMETER_FORKS";
/// Private, to the boot: the number of the run, if all children are recorded too.
pub(crate) const CHILDREN: &str = "_NILOMETER_CHILDREN";

/// The variable, unless it is unset or empty.
pub(crate) fn get(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Whether the variable switches something on.
pub(crate) fn is_on(name: &str) -> bool {
    get(name).is_some_and(|value| value != "0")
}
