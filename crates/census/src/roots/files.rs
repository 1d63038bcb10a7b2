//! Whose code a file is: the user's, a library's, ours.
//!
//! In: file names as Python knows them. Out: [`Whose`]. Pure.

/// Who wrote a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whose {
    User,
    #[default]
    Library,
    /// This tool.
    Ours,
}

/// Where the standard library and this tool are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The folder of `os.py`; empty if it is not known.
    pub(crate) standard: String,
    /// The folder of this package; empty if it is not loaded.
    pub(crate) ours: String,
}

impl Places {
    /// Who wrote a file. What was typed in or made from text is the user's, except what libraries generate.
    pub(crate) fn whose(&self, file: &str) -> Whose {
        let below = |folder: &str| {
            !folder.is_empty() && file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        if below(&self.ours) {
            return Whose::Ours;
        }
        let installed = ["/site-packages/", "/dist-packages/", "/lib/python3", "__autograph_generated_file"];
        let generated = ["<frozen", "<attrs", "<__array_function__", "<decorator-gen", "<class 'ctypes"];
        if below(&self.standard)
            || installed.iter().any(|part| file.contains(part))
            || generated.iter().any(|start| file.starts_with(start))
        {
            return Whose::Library;
        }
        Whose::User
    }
}

/// The folder of a file; empty without.
pub(crate) fn folder(file: &str) -> String {
    file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wrote_it() {
        let places = Places {
            standard: "/opt/py".to_owned(),
            ours: "/venv/lib/python3.11/site-packages/nilometer".to_owned(),
        };
        for (file, whose) in [
            ("/home/me/train.py", Whose::User),
            ("train.py", Whose::User),
            ("<stdin>", Whose::User),
            ("<ipython-input-3-abc>", Whose::User),
            ("/tmp/ipykernel_12/345.py", Whose::User),
            ("/opt/python_work/train.py", Whose::User),
            ("/opt/py/threading.py", Whose::Library),
            ("/venv/lib/python3.11/site-packages/keras/src/callbacks/callback.py", Whose::Library),
            ("/usr/lib/python3/dist-packages/numpy/core.py", Whose::Library),
            ("/tmp/__autograph_generated_file1x.py", Whose::Library),
            ("<frozen importlib._bootstrap>", Whose::Library),
            ("/venv/lib/python3.11/site-packages/nilometer/hooks/keras.py", Whose::Ours),
            ("/venv/lib/python3.11/site-packages/nilometer_else/a.py", Whose::Library),
        ] {
            assert_eq!(places.whose(file), whose, "{file}");
        }
        assert_eq!(Places::default().whose("/work/train.py"), Whose::User);
        assert_eq!((folder("/a/b.py").as_str(), folder("b.py").as_str()), ("/a", ""));
    }
}
