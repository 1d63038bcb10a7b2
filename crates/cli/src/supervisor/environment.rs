//! The program's environment: what leads the loader to the recorder, Python to our boot, and both to the capture.
//!
//! In: the environment that nilometer itself was given. Out: the same with ours in it, each in its old place: a program
//! may print its environment, and the order is part of that. The recorder and the boot take ours out again.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::recorder::Preload;
use crate::{capture_path, env};

/// Names and values, in order.
pub(crate) type Environment = Vec<(OsString, OsString)>;

/// What is to be led where.
pub(crate) struct Leads<'a> {
    /// The folder of the Python package, if the interpreter would listen to our boot.
    pub(crate) package: Option<&'a Path>,
    pub(crate) recorder: Option<&'a Preload>,
    /// The number of the run, if all children are recorded too.
    pub(crate) children: Option<u64>,
    /// The number of the run, if children that are forked record themselves; they inherit all that this needs.
    pub(crate) forks: Option<u64>,
    /// What the guard inside the program is to know, if there is to be one.
    pub(crate) guard: Option<&'a str>,
    /// Packages that are the user's own although they are installed.
    pub(crate) own: &'a [String],
}

impl Leads<'_> {
    /// The number of the run, if any children make captures.
    pub(crate) fn run(&self) -> Option<u64> {
        self.children.or(self.forks.filter(|_| self.package.is_some()))
    }
}

/// The environment of a program that is not recorded.
pub(crate) fn untouched() -> Environment {
    std::env::vars_os().filter(|(name, _)| name != env::PACKAGE).collect()
}

/// Whether `PYTHONPATH` can name this folder.
pub(crate) fn can_be_searched(folder: &Path) -> bool {
    !folder.as_os_str().as_bytes().contains(&b':')
}

/// The environment of a program that is recorded in the capture of this template.
pub(crate) fn recorded(mut given: Environment, leads: &Leads<'_>, template: &Path) -> Environment {
    let environment = &mut given;
    if let Some(preload) = leads.recorder {
        let old = get(environment, env::LD_PRELOAD);
        let settings = preload.settings(leads.children, leads.package.is_none(), old.as_deref());
        set(environment, env::LD_PRELOAD, preload.in_front_of(old.as_deref()));
        set(environment, env::RECORDER, settings);
    }
    if let Some(package) = leads.package {
        let old = get(environment, env::PYTHONPATH);
        let mut path = package.join("_boot").into_os_string();
        if let Some(old) = old.as_ref().filter(|old| !old.is_empty()) {
            path.push(":");
            path.push(old);
        }
        set(environment, env::PYTHONPATH, path);
        set(environment, env::OLD_PYTHONPATH_SET, if old.is_some() { "1" } else { "0" }.into());
        set(environment, env::OLD_PYTHONPATH, old.unwrap_or_default());
        if let Some(preload) = leads.recorder {
            set(environment, env::PRELOAD, preload.entry.clone());
        }
        if let Some(run) = leads.children {
            set(environment, env::CHILDREN, run.to_string().into());
        }
        if let Some(run) = leads.forks {
            let mut forks = OsString::from(format!("{run}:"));
            forks.push(capture_path::telling_apart(template.to_path_buf()));
            set(environment, env::FORKS, forks);
        }
        if let Some(guard) = leads.guard {
            set(environment, env::GUARD, guard.into());
        }
        if !leads.own.is_empty() {
            set(environment, env::OWN_TOLD, leads.own.join(",").into());
        }
    }
    if leads.package.is_some() || leads.recorder.is_some() {
        set(environment, env::CAPTURE, template.into());
    }
    given
}

fn get(environment: &Environment, name: &str) -> Option<OsString> {
    environment.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

fn set(environment: &mut Environment, name: &str, value: OsString) {
    match environment.iter_mut().find(|(key, _)| key == OsStr::new(name)) {
        Some(pair) => pair.1 = value,
        None => environment.push((name.into(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervisor::recorder::Wanted;

    fn value<'e>(environment: &'e Environment, name: &str) -> Option<&'e str> {
        environment.iter().find(|(key, _)| key == name).and_then(|(_, value)| value.to_str())
    }

    fn given(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    fn with(pairs: &[(&str, &str)]) -> Environment {
        let leads = Leads {
            package: Some(Path::new("/site/nilometer")),
            recorder: None,
            children: None,
            forks: None,
            guard: None,
            own: &[],
        };
        recorded(given(pairs), &leads, Path::new("/x/{pid}.nilo"))
    }

    fn preload() -> Preload {
        Preload::of("/site/nilometer/_recorder.so".into(), Wanted { sample: 1024, overhead: 0.5 })
    }

    #[test]
    fn the_boot_folder_goes_in_front_and_the_old_path_is_told() {
        let environment = with(&[("PYTHONPATH", "/mine:/yours"), ("A", "1"), ("B", "2")]);
        assert_eq!(environment[0].0, "PYTHONPATH");
        assert_eq!(environment[1].0, "A");
        assert_eq!(value(&environment, "PYTHONPATH"), Some("/site/nilometer/_boot:/mine:/yours"));
        assert_eq!(value(&environment, "_NILOMETER_PYTHONPATH"), Some("/mine:/yours"));
        assert_eq!(value(&environment, "_NILOMETER_PYTHONPATH_SET"), Some("1"));
        assert_eq!(value(&environment, "_NILOMETER_CAPTURE"), Some("/x/{pid}.nilo"));
        assert_eq!(value(&environment, "_NILOMETER_RECORDER"), None);
        assert_eq!(value(&environment, "LD_PRELOAD"), None);
        assert_eq!(value(&environment, "A"), Some("1"));
    }

    #[test]
    fn unset_and_empty_are_told_apart() {
        let unset = with(&[]);
        assert_eq!(value(&unset, "PYTHONPATH"), Some("/site/nilometer/_boot"));
        assert_eq!(value(&unset, "_NILOMETER_PYTHONPATH_SET"), Some("0"));
        let empty = with(&[("PYTHONPATH", "")]);
        assert_eq!(value(&empty, "PYTHONPATH"), Some("/site/nilometer/_boot"));
        assert_eq!(value(&empty, "_NILOMETER_PYTHONPATH_SET"), Some("1"));
    }

    #[test]
    fn the_recorder_goes_in_front_in_the_old_place() {
        let preload = preload();
        let leads = Leads {
            package: Some(Path::new("/site/nilometer")),
            recorder: Some(&preload),
            children: Some(9),
            forks: None,
            guard: None,
            own: &[],
        };
        let environment =
            recorded(given(&[("A", "1"), ("LD_PRELOAD", "mine.so"), ("B", "2")]), &leads, Path::new("/x"));
        assert_eq!(environment[1], ("LD_PRELOAD".into(), "/site/nilometer/_recorder.so:mine.so".into()));
        assert_eq!(
            value(&environment, "_NILOMETER_RECORDER"),
            Some("sample=1024,overhead=0.5,children=1,run=9,alone=0,preload=mine.so")
        );
        assert_eq!(value(&environment, "_NILOMETER_PRELOAD"), Some("/site/nilometer/_recorder.so"));
        assert_eq!(value(&environment, "_NILOMETER_CHILDREN"), Some("9"));
    }

    #[test]
    fn forked_children_get_names_beside_the_programs() {
        let preload = preload();
        let leads = Leads {
            package: Some(Path::new("/site/nilometer")),
            recorder: Some(&preload),
            children: None,
            forks: Some(9),
            guard: None,
            own: &[],
        };
        let environment = recorded(given(&[]), &leads, Path::new("/t/x.nilo"));
        assert_eq!(value(&environment, "_NILOMETER_CAPTURE"), Some("/t/x.nilo"));
        assert_eq!(value(&environment, "_NILOMETER_FORKS"), Some("9:/t/x.{pid}.nilo"));
        assert_eq!(value(&environment, "_NILOMETER_CHILDREN"), None);
    }

    #[test]
    fn the_boot_is_told_what_is_the_users_own() {
        let own = ["acme_train".to_owned(), "acme_data".to_owned()];
        let package = Some(Path::new("/site/nilometer"));
        let leads = Leads { package, recorder: None, children: None, forks: None, guard: None, own: &own };
        let environment = recorded(given(&[]), &leads, Path::new("/x"));
        assert_eq!(value(&environment, "_NILOMETER_OWN"), Some("acme_train,acme_data"));
        assert_eq!(value(&with(&[]), "_NILOMETER_OWN"), None);
    }

    #[test]
    fn where_python_does_not_listen_there_is_nothing_but_the_recorders() {
        let preload = preload();
        let leads = Leads {
            package: None,
            recorder: Some(&preload),
            children: None,
            forks: None,
            guard: None,
            own: &[],
        };
        let names: Vec<_> = recorded(given(&[("A", "1")]), &leads, Path::new("/x"))
            .into_iter()
            .filter_map(|(name, _)| name.into_string().ok())
            .collect();
        assert_eq!(names, ["A", "LD_PRELOAD", "_NILOMETER_RECORDER", "_NILOMETER_CAPTURE"]);
        let nothing =
            Leads { package: None, recorder: None, children: None, forks: None, guard: None, own: &[] };
        assert_eq!(recorded(given(&[("A", "1")]), &nothing, Path::new("/x")), given(&[("A", "1")]));
    }
}
