//! The scratch folder: each run gets a fresh copy of the program's folder and a folder for temporary files.
//!
//! In: a program. Out: for each run a place, with the program's words led there. What must not happen here: anything
//! left behind, or a run that meets what an earlier one wrote.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::program::Program;
use super::tree::{self, How, NoCopy};
use crate::messages::Failure;
use crate::words::{prove, system};

/// A folder of ours, removed in the end.
pub(crate) struct Scratch {
    path: PathBuf,
    how: How,
}

/// A file of the program, and the file to have in its place.
pub(crate) type Patch = (PathBuf, PathBuf);

/// Where one run takes place.
pub(crate) struct Place {
    /// Where it starts.
    pub(crate) folder: PathBuf,
    pub(crate) temporary: PathBuf,
    pub(crate) words: Vec<OsString>,
    /// Where it may write.
    pub(crate) own: PathBuf,
    /// Folders of the program, and where their copies are.
    pub(crate) pairs: Vec<(PathBuf, PathBuf)>,
}

impl Scratch {
    /// `all`: folders of any size. `travels`: what is copied goes to another machine, where no link leads back.
    pub(crate) fn prepare(
        program: &Program,
        python: &str,
        all: bool,
        travels: bool,
    ) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("nilometer-prove-{}", std::process::id()));
        let failed = |error: std::io::Error| system::cannot_make(&path, &error);
        fs::DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        let path = path.canonicalize().unwrap_or(path);
        // With --yes there is no fence, and what is written through a link is written.
        let scratch = Self { path, how: How { links: !all && !travels && has_landlock(python), all } };
        scratch.place(program, 0, &[]).map(|_| ())?;
        Ok(scratch)
    }

    /// A fresh place; `slot` tells runs apart that run at once. Two runs in one slot see the same paths.
    pub(crate) fn place(&self, program: &Program, slot: usize, patches: &[Patch]) -> Result<Place, Failure> {
        let own = self.path.join(format!("{slot}"));
        let failed = |error: std::io::Error| system::cannot_make(&own, &error);
        if own.exists() {
            fs::remove_dir_all(&own).map_err(failed)?;
        }
        let temporary = own.join("tmp");
        fs::create_dir_all(&temporary).map_err(failed)?;
        let folder = self.copy(&program.folder, &own.join("tree"))?;
        let mut pairs = vec![(program.folder.clone(), folder.clone())];
        let mut script = program.script.as_ref().and_then(|script| below(script, &pairs));
        if let (Some(from), None) = (&program.script, &script) {
            let parent = from.parent().map(Path::to_path_buf).unwrap_or_default();
            let to = self.copy(&parent, &own.join("script"))?;
            pairs.push((parent, to));
            script = below(from, &pairs);
        }
        for (file, patched) in patches {
            let copy = below(file, &pairs).ok_or_else(|| prove::not_the_programs(file))?;
            // Folders that are links lead to what is the user's own.
            let real = copy.parent().and_then(|parent| parent.canonicalize().ok());
            if !real.is_some_and(|real| real.starts_with(&self.path)) {
                return Err(prove::not_copied(file));
            }
            // Nor through the file, should it be one.
            fs::remove_file(&copy).unwrap_or_default();
            fs::copy(patched, &copy).map_err(failed)?;
        }
        let words = program.words.iter().enumerate().map(|(at, word)| match (&script, at) {
            (Some(script), 0) if Path::new(word).is_absolute() || !script.starts_with(&folder) => {
                script.into()
            }
            _ if Path::new(word).is_absolute() => {
                below(Path::new(word), &pairs).map_or_else(|| word.clone(), Into::into)
            }
            _ => word.clone(),
        });
        Ok(Place { words: words.collect(), folder, temporary, own: own.clone(), pairs })
    }

    /// A file beside the copies.
    pub(crate) fn keep(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        fs::write(&path, text).map_err(|error| system::cannot_write(&path, &error))?;
        Ok(path)
    }

    fn copy(&self, from: &Path, root: &Path) -> Result<PathBuf, Failure> {
        let except = [self.path.as_path()];
        let failed = |error| NoCopy::Failed(from.to_path_buf(), error);
        let to = tree::with_neighbours(from, root, self.how).map_err(failed);
        to.and_then(|to| tree::copy(from, &to, &except, self.how).map(|()| to)).map_err(|error| match error {
            NoCopy::TooMuch => prove::too_much(from),
            NoCopy::Failed(path, error) => system::cannot_copy(&path, &error),
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.path).unwrap_or_default();
    }
}

/// Where a path below one of the copied folders is in its copy.
fn below(path: &Path, pairs: &[(PathBuf, PathBuf)]) -> Option<PathBuf> {
    let tried = |path: &Path| {
        pairs.iter().find_map(|(from, to)| path.strip_prefix(from).ok().map(|rest| to.join(rest)))
    };
    // Also where the folder is known by another name, or the path leads over `..`.
    tried(path).filter(|_| !path.components().any(|part| part == std::path::Component::ParentDir)).or_else(
        || {
            let real = path.canonicalize().ok()?;
            let pairs: Vec<_> =
                pairs.iter().filter_map(|(from, to)| Some((from.canonicalize().ok()?, to.clone()))).collect();
            pairs.iter().find_map(|(from, to)| real.strip_prefix(from).ok().map(|rest| to.join(rest)))
        },
    )
}

/// Whether the kernel can keep a process from writing outside of its folder; Python asks as the experiments will.
fn has_landlock(python: &str) -> bool {
    let ask = "import ctypes; raise SystemExit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)";
    let mut command = Command::new(python);
    command.args(["-I", "-c", ask]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
