//! Whose code a Python file is, and how it is called on the screen.
//!
//! In: file names as code objects carry them. Out: the user's, a library's, Python's own, or ours.

/// Whose code it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Origin {
    /// The user's own.
    User,
    /// An installed package.
    Library,
    /// Python's standard library, or code that was made at run time.
    Standard,
    /// Nilometer's hooks: never told.
    Ours,
}

impl Origin {
    pub(crate) fn of(file: &str) -> Self {
        if is_ours(file) {
            Self::Ours
        } else if installed(file).is_some() {
            Self::Library
        } else if is_standard(file) {
            Self::Standard
        } else {
            Self::User
        }
    }

    /// Whether a file is known, and the user's.
    pub(crate) fn is_users(file: &str) -> bool {
        !file.is_empty() && Self::of(file) == Self::User
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Library => "library",
            Self::Standard | Self::Ours => "standard",
        }
    }
}

fn is_ours(file: &str) -> bool {
    ["/nilometer/hooks/", "/nilometer/_"].iter().any(|part| file.contains(part))
}

/// What stands behind the folder that packages are installed in.
fn installed(file: &str) -> Option<&str> {
    ["/site-packages/", "/dist-packages/"]
        .iter()
        .filter_map(|folder| file.rfind(folder).and_then(|at| file.get(at + folder.len()..)))
        .min_by_key(|rest| rest.len())
}

fn is_standard(file: &str) -> bool {
    // `<stdin>`, `<string>` and notebook cells are the user's; what Python and libraries make up is not.
    if let Some(name) = file.strip_prefix('<') {
        return !["stdin>", "string>", "ipython"].iter().any(|own| name.starts_with(own));
    }
    // TensorFlow rewrites functions into files like this; their lines are nobody's.
    if file.contains("__autograph_generated_file") {
        return true;
    }
    let Some(at) = file.rfind("/lib/python3").or_else(|| file.rfind("/lib64/python3")) else {
        return file.contains("/python3") && file.contains(".zip/");
    };
    // `/lib/python3.11/threading.py`: a version, then a file.
    let rest = file.get(at..).unwrap_or_default();
    rest.split('/').nth(2).is_some_and(|folder| folder.starts_with("python3."))
}

/// The package a library's file belongs to: `keras`, `tensorflow`.
pub(crate) fn package(file: &str) -> Option<&str> {
    let first = installed(file)?.split('/').next()?;
    Some(first.strip_suffix(".py").unwrap_or(first))
}

/// The file as one would type it: from the folder the program was started in, or from the packages' folder.
pub(crate) fn shown<'a>(file: &'a str, cwd: Option<&str>) -> &'a str {
    if let Some(rest) = installed(file) {
        return rest;
    }
    let inside = cwd.and_then(|cwd| file.strip_prefix(cwd.trim_end_matches('/'))?.strip_prefix('/'));
    inside.unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_code_it_is() {
        let cases = [
            ("/home/me/train.py", Origin::User),
            ("train.py", Origin::User),
            ("<stdin>", Origin::User),
            ("<string>", Origin::User),
            ("/tmp/ipykernel_12/1234.py", Origin::User),
            ("<ipython-input-3-abc>", Origin::User),
            ("/venv/lib/python3.11/site-packages/keras/src/trainers/trainer.py", Origin::Library),
            ("/usr/lib/python3/dist-packages/numpy/core.py", Origin::Library),
            ("/home/me/.local/lib/python3.12/site-packages/mine.py", Origin::Library),
            ("/usr/lib/python3.11/threading.py", Origin::Standard),
            ("/opt/conda/lib/python3.10/json/decoder.py", Origin::Standard),
            ("<frozen importlib._bootstrap>", Origin::Standard),
            ("<__array_function__ internals>", Origin::Standard),
            ("/tmp/__autograph_generated_fileab12.py", Origin::Standard),
            ("/venv/lib/python3.11/site-packages/nilometer/hooks/keras3.py", Origin::Ours),
            ("", Origin::User),
        ];
        for (file, origin) in cases {
            assert_eq!(Origin::of(file), origin, "{file}");
        }
    }

    #[test]
    fn files_are_shown_as_one_would_type_them() {
        assert_eq!(shown("/home/me/job/train.py", Some("/home/me/job")), "train.py");
        assert_eq!(shown("/home/me/jobs/train.py", Some("/home/me/job")), "/home/me/jobs/train.py");
        assert_eq!(shown("/v/lib/python3.11/site-packages/keras/src/a.py", None), "keras/src/a.py");
        assert_eq!(package("/v/lib/python3.11/site-packages/keras/src/a.py"), Some("keras"));
        assert_eq!(package("/home/me/train.py"), None);
    }
}
