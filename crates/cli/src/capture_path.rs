//! Where the capture goes: its name, the place asked for, and the place to fall back to.
//!
//! In: the program's words. Out: path templates, in which `{pid}` stands for the program's process id: the name is
//! needed in the program's environment before there is a pid.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Stands for the process id in a template.
const PID: &[u8] = b"{pid}";
/// File names may have 255 bytes; ours adds a prefix, a pid and an ending.
const MAX_NAME_BYTES: usize = 100;

/// Path templates of a capture, in the order in which they are tried; both absolute.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Templates {
    /// As asked for, or the current folder.
    pub(crate) first: PathBuf,
    /// The folder for temporary files.
    pub(crate) second: PathBuf,
}

impl Templates {
    pub(crate) fn new(output: Option<&Path>, program: &[OsString]) -> Self {
        let name = format!("nilometer-{}.{{pid}}.nilo", program_name(program));
        let first = output.map_or_else(|| PathBuf::from(&name), Path::to_path_buf);
        // Without a current folder (it was removed) the first try fails in its own words.
        let first = std::path::absolute(&first).unwrap_or(first);
        Self { first, second: std::env::temp_dir().join(name) }
    }
}

impl Templates {
    /// The same with a path of its own for each process: `x.nilo` becomes `x.{pid}.nilo`.
    pub(crate) fn telling_processes_apart(self) -> Self {
        Self { first: telling_apart(self.first), ..self }
    }
}

/// The template with a path of its own for each process.
pub(crate) fn telling_apart(mut template: PathBuf) -> PathBuf {
    let Some(name) = template.file_name().filter(|name| with_pid(Path::new(name), 0) == Path::new(name))
    else {
        return template;
    };
    let (stem, ending) = (Path::new(name).file_stem(), Path::new(name).extension());
    let mut apart = stem.unwrap_or(name).to_os_string();
    apart.push(".{pid}");
    if let Some(ending) = ending {
        apart.push(".");
        apart.push(ending);
    }
    template.set_file_name(apart);
    template
}

/// The pid for which the template's path is this one.
pub(crate) fn pid_of(template: &Path, path: &Path) -> Option<u32> {
    let template_name = template.file_name()?.as_bytes();
    let before = template_name.windows(PID.len()).position(|part| part == PID)?;
    let rest = path.file_name()?.as_bytes().get(before..)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let pid = std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()?;
    (with_pid(template, pid) == path).then_some(pid)
}

/// The path for a program with this pid.
pub(crate) fn with_pid(template: &Path, pid: u32) -> PathBuf {
    let pid = pid.to_string();
    let mut path = Vec::new();
    let mut rest = template.as_os_str().as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(PID) {
            path.extend_from_slice(pid.as_bytes());
            rest = after;
        } else {
            path.push(*first);
            rest = tail;
        }
    }
    PathBuf::from(OsString::from_vec(path))
}

/// What to call the program: the script's file name, the module, or `command`.
pub(crate) fn program_name(program: &[OsString]) -> String {
    let first = program.first().map(OsString::as_os_str).unwrap_or_default();
    let name = match first.as_bytes() {
        b"-m" => program.get(1).map(|module| module.to_string_lossy().into_owned()),
        [b'-', b'm', module @ ..] => Some(String::from_utf8_lossy(module).into_owned()),
        [b'-', b'c', ..] => Some("command".to_owned()),
        b"-" => Some("stdin".to_owned()),
        [b'-', ..] => None,
        _ => Path::new(first).file_name().map(|name| OsStr::to_string_lossy(name).into_owned()),
    };
    let plain: String = name
        .unwrap_or_default()
        .chars()
        .map(|letter| if letter.is_control() || letter == '/' { '_' } else { letter })
        .collect();
    let mut end = plain.len().min(MAX_NAME_BYTES);
    while !plain.is_char_boundary(end) {
        end -= 1;
    }
    match plain.get(..end) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => "program".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(words: &[&str]) -> String {
        program_name(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_program_is_called_by_its_script_or_module() {
        assert_eq!(name(&["jobs/train.py", "x"]), "train.py");
        assert_eq!(name(&["-m", "pkg.train"]), "pkg.train");
        assert_eq!(name(&["-mpkg"]), "pkg");
        assert_eq!(name(&["-c", "print(1)"]), "command");
        assert_eq!(name(&["-"]), "stdin");
        assert_eq!(name(&[".."]), "program");
        assert_eq!(name(&["-X", "dev", "a.py"]), "program");
        assert_eq!(name(&["-m"]), "program");
    }

    #[test]
    fn names_stay_short_and_printable() {
        assert_eq!(name(&["a\nb.py"]), "a_b.py");
        assert!(name(&["ü".repeat(200).as_str()]).len() <= MAX_NAME_BYTES);
    }

    #[test]
    fn the_pid_goes_where_it_is_asked_for() {
        assert_eq!(with_pid(Path::new("/t/{pid}/a-{pid}.nilo"), 47), Path::new("/t/47/a-47.nilo"));
        assert_eq!(with_pid(Path::new("/t/{pi"), 47), Path::new("/t/{pi"));
    }

    #[test]
    fn a_pid_is_read_back_from_a_path() {
        let template = Path::new("/t/a{pid}-{pid}.nilo");
        assert_eq!(pid_of(template, Path::new("/t/a47-47.nilo")), Some(47));
        for other in ["/t/a47-48.nilo", "/t/a-.nilo", "/t/a047-047.nilo", "/t/b", "/t/a99999999999-1.nilo"] {
            assert_eq!(pid_of(template, Path::new(other)), None, "{other}");
        }
        assert_eq!(pid_of(Path::new("/t/a.nilo"), Path::new("/t/a.nilo")), None);
    }

    #[test]
    fn each_process_gets_a_path_of_its_own() {
        let first = |output: &str| {
            Templates::new(Some(Path::new(output)), &["train.py".into()]).telling_processes_apart().first
        };
        assert_eq!(first("/t/x.nilo"), Path::new("/t/x.{pid}.nilo"));
        assert_eq!(first("/t/a.b/x"), Path::new("/t/a.b/x.{pid}"));
        assert_eq!(first("/t/x-{pid}.nilo"), Path::new("/t/x-{pid}.nilo"));
        // What a folder is called tells no file from another.
        assert_eq!(first("/t/{pid}/x.nilo"), Path::new("/t/{pid}/x.{pid}.nilo"));
    }

    #[test]
    fn templates_are_absolute() {
        let templates = Templates::new(Some(Path::new("x.nilo")), &["train.py".into()]);
        assert!(templates.first.is_absolute() && templates.second.is_absolute());
        assert!(templates.first.ends_with("x.nilo"));
        assert!(templates.second.ends_with("nilometer-train.py.{pid}.nilo"));
    }
}
