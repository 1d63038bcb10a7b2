//! The author of a file: the user, a library, or this tool.
//!
//! In: file names as Python gives them. Out: [`FileOwner`]. Pure.

/// Who wrote a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileOwner {
    User,
    #[default]
    Library,
    /// This tool.
    Ours,
}

/// The folders of the standard library and of this tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct CodeFolders {
    /// The folder of `os.py`; empty if unknown.
    pub(crate) standard: String,
    /// The folder of this package; empty if it is not loaded.
    pub(crate) ours: String,
}

impl CodeFolders {
    /// Who wrote a file. Code that was typed in or made from text is the user's, except for code that
    /// libraries generate.
    pub(crate) fn owner_of(&self, file: &str) -> FileOwner {
        let below = |folder: &str| {
            !folder.is_empty() && file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        if below(&self.ours) {
            return FileOwner::Ours;
        }
        let installed = ["/site-packages/", "/dist-packages/", "/lib/python3", "__autograph_generated_file"];
        let generated = ["<frozen", "<attrs", "<__array_function__", "<decorator-gen", "<class 'ctypes"];
        if below(&self.standard)
            || installed.iter().any(|part| file.contains(part))
            || generated.iter().any(|start| file.starts_with(start))
        {
            return FileOwner::Library;
        }
        FileOwner::User
    }
}

/// The folder of a file; empty if there is none.
pub(crate) fn folder(file: &str) -> String {
    file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wrote_it() {
        let folders = CodeFolders {
            standard: "/opt/py".to_owned(),
            ours: "/venv/lib/python3.11/site-packages/nilometer".to_owned(),
        };
        for (file, file_owner) in [
            ("/home/me/train.py", FileOwner::User),
            ("train.py", FileOwner::User),
            ("<stdin>", FileOwner::User),
            ("<ipython-input-3-abc>", FileOwner::User),
            ("/tmp/ipykernel_12/345.py", FileOwner::User),
            ("/opt/python_work/train.py", FileOwner::User),
            ("/opt/py/threading.py", FileOwner::Library),
            ("/venv/lib/python3.11/site-packages/keras/src/callbacks/callback.py", FileOwner::Library),
            ("/usr/lib/python3/dist-packages/numpy/core.py", FileOwner::Library),
            ("/tmp/__autograph_generated_file1x.py", FileOwner::Library),
            ("<frozen importlib._bootstrap>", FileOwner::Library),
            ("/venv/lib/python3.11/site-packages/nilometer/hooks/keras.py", FileOwner::Ours),
            ("/venv/lib/python3.11/site-packages/nilometer_else/a.py", FileOwner::Library),
        ] {
            assert_eq!(folders.owner_of(file), file_owner, "{file}");
        }
        assert_eq!(CodeFolders::default().owner_of("/work/train.py"), FileOwner::User);
        assert_eq!((folder("/a/b.py").as_str(), folder("b.py").as_str()), ("/a", ""));
    }
}
