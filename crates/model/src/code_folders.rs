//! The one rule that says whose code a file is.
//!
//! In: where code lies in this process, the packages that `--own` names, a file's name as a code object carries it. Out: its
//! [`FileOwner`]. What must not happen here: a guess by a folder's bare name. A user may call a folder `keras`; only the folder that
//! `import keras` came from is a framework's.

use crate::package::{importable, installed, is_of};
use crate::{FRAMEWORKS, FileOwner};

/// Names that are no files, of code that a person typed: `<stdin>`, a notebook's cell, the prompt of Python 3.13.
const TYPED: [&str; 6] = ["<stdin", "<string>", "<ipython", "<python-input", "<console>", "<input>"];
/// TensorFlow rewrites functions into files like this; their lines are nobody's.
const AUTOGRAPH: &str = "__autograph_generated_file";
/// Code of this tool, where its folder is not known.
const OURS: [&str; 3] = ["/nilometer/hooks/", "/nilometer/frameworks/", "/nilometer/_"];
const OUR_PACKAGE: &str = "nilometer";

/// Where code lies that is not the user's, and what is the user's all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeFolders {
    /// The folder of `os.py`; empty if unknown.
    pub standard: String,
    /// The folder of this package; empty if unknown.
    pub ours: String,
    /// Packages that `--own` names, as in `import`.
    pub own: Vec<String>,
    /// Frameworks that lie outside of the folder for packages: their names and their folders.
    pub(crate) frameworks: Vec<(String, String)>,
}

impl CodeFolders {
    /// Whose code a file is.
    pub fn owner_of(&self, file: &str) -> FileOwner {
        if file.is_empty() {
            FileOwner::Unknown
        } else if file.starts_with('<') {
            let is_typed = TYPED.iter().any(|start| file.starts_with(start));
            if is_typed { FileOwner::User } else { FileOwner::Python }
        } else if self.is_ours(file) {
            FileOwner::Ours
        } else if file.contains(AUTOGRAPH) {
            FileOwner::Python
        } else if self.is_own(file) {
            FileOwner::User
        } else if installed(file).is_some() || self.framework(file).is_some() {
            FileOwner::Library
        } else if is_below(file, &self.standard) || is_standard(file) {
            FileOwner::Python
        } else {
            FileOwner::User
        }
    }

    /// Whether a file is known, and the user's.
    pub fn is_users(&self, file: &str) -> bool {
        self.owner_of(file) == FileOwner::User
    }

    /// Whose module it is: `file` is its `__file__`, empty if it has none.
    pub fn owner_of_module(&self, name: &str, file: &str) -> FileOwner {
        match file {
            _ if name == "__main__" => FileOwner::User,
            _ if name == OUR_PACKAGE || name.starts_with("nilometer.") => FileOwner::Ours,
            // Built in, or a folder without code.
            "" => FileOwner::Library,
            file => self.owner_of(file),
        }
    }

    /// The package that a library's file belongs to: `keras`, `tensorflow`.
    pub fn package<'a>(&'a self, file: &'a str) -> Option<&'a str> {
        let first = match installed(file) {
            Some(installed) => importable(installed).split('/').next()?,
            None => self.framework(file)?.0,
        };
        Some(first.strip_suffix(".py").unwrap_or(first))
    }

    /// Notes where a module was imported from. If it is a framework outside of the folder for packages, this gives its folder.
    pub fn learn(&mut self, module: &str, file: &str) -> Option<String> {
        FRAMEWORKS.binary_search(&module).ok().filter(|_| installed(file).is_none())?;
        let folder = file.strip_suffix("/__init__.py").or_else(|| file.strip_suffix("/__init__.pyc"))?;
        self.add(module, folder);
        Some(folder.to_owned())
    }

    /// Adds a framework that is known to lie in this folder.
    pub fn add(&mut self, framework: &str, folder: &str) {
        let known = self.frameworks.iter().any(|(name, there)| name == framework && there == folder);
        if !known && !folder.is_empty() {
            self.frameworks.push((framework.to_owned(), folder.to_owned()));
        }
    }

    /// The framework outside of the folder for packages that a file belongs to, and the file's path in it.
    fn framework<'a>(&'a self, file: &'a str) -> Option<(&'a str, &'a str)> {
        let inside = |(name, folder): &'a (String, String)| Some((name.as_str(), below(file, folder)?));
        self.frameworks.iter().find_map(inside)
    }

    fn is_own(&self, file: &str) -> bool {
        if self.own.is_empty() {
            return false;
        }
        let path = installed(file).map(|path| importable(path).to_owned());
        let path = path.or_else(|| self.framework(file).map(|(name, rest)| format!("{name}/{rest}")));
        path.is_some_and(|path| self.own.iter().any(|package| is_of(&path, package)))
    }

    fn is_ours(&self, file: &str) -> bool {
        if self.ours.is_empty() {
            OURS.iter().any(|part| file.contains(part))
        } else {
            is_below(file, &self.ours)
        }
    }
}

/// What stands behind a folder, if the file is in it.
fn below<'f>(file: &'f str, folder: &str) -> Option<&'f str> {
    if folder.is_empty() { None } else { file.strip_prefix(folder)?.strip_prefix('/') }
}

fn is_below(file: &str, folder: &str) -> bool {
    below(file, folder).is_some()
}

/// Whether the path is that of a standard library, wherever it lies: `/lib/python3.11/threading.py`, or in an archive.
fn is_standard(file: &str) -> bool {
    let Some(at) = file.rfind("/lib/python3").or_else(|| file.rfind("/lib64/python3")) else {
        return file.contains("/python3") && file.contains(".zip/");
    };
    let rest = file.get(at..).unwrap_or_default();
    rest.split('/').nth(2).is_some_and(|folder| folder.starts_with("python3."))
}
