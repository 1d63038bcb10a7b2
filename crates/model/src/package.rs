//! The package that a file belongs to, by its path and by names that people write.
//!
//! In: paths of installed files, names as in `import`. Out: the path below the packages' folder; names.

/// Folders that packages are installed in.
const PACKAGE_FOLDERS: [&str; 2] = ["/site-packages/", "/dist-packages/"];

/// What stands behind the folder that packages are installed in: `keras/src/trainer.py`.
pub fn installed(file: &str) -> Option<&str> {
    let behind = |folder: &&str| file.rfind(*folder).and_then(|at| file.get(at + folder.len()..));
    PACKAGE_FOLDERS.iter().filter_map(behind).min_by_key(|rest| rest.len())
}

/// The path as `import` sees it: an egg is a folder around its package.
pub(crate) fn importable(installed: &str) -> &str {
    match installed.split_once('/') {
        Some((egg, rest)) if egg.rsplit_once('.').is_some_and(|(_, ending)| ending == "egg") => rest,
        _ => installed,
    }
}

/// Whether this is a name as in `import`: `acme_train`, `acme.train`.
pub fn is_package(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c == '_' || c.is_alphabetic())
            && word.chars().all(|c| c == '_' || c.is_alphanumeric())
    };
    name.split('.').all(is_word)
}

/// The names in a list with commas, spaces or colons between them; what is no name is left out. A name as `pip` has it counts, too:
/// `acme-train` is imported as `acme_train`.
pub fn packages(list: &str) -> impl Iterator<Item = String> {
    let words = list.split([',', ' ', ':']).map(|word| word.replace('-', "_"));
    words.filter(|word| is_package(word))
}

/// Whether a file of the path `module` (`acme/train/loop.py`) belongs to the package.
pub(crate) fn is_of(module: &str, package: &str) -> bool {
    let mut path = module.split('/');
    let mut parts = package.split('.').peekable();
    while let Some(part) = parts.next() {
        let Some(there) = path.next() else { return false };
        let is_file = parts.peek().is_none() && there.strip_suffix(".py") == Some(part);
        if there != part && !is_file {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_the_packages_folder() {
        assert_eq!(installed("/v/lib/python3.11/site-packages/keras/src/a.py"), Some("keras/src/a.py"));
        assert_eq!(installed("/usr/lib/python3/dist-packages/six.py"), Some("six.py"));
        assert_eq!(installed("/v/site-packages/a/site-packages/b.py"), Some("b.py"));
        assert_eq!(installed("/home/me/site-packages.py"), None);
        assert_eq!(importable("acme-1.0-py3.11.egg/acme/a.py"), "acme/a.py");
        assert_eq!(importable("acme/a.py"), "acme/a.py");
    }

    #[test]
    fn a_package_is_all_below_it_and_no_other_whose_name_begins_so() {
        for (module, package, is) in [
            ("acme_train/loop.py", "acme_train", true),
            ("acme_train.py", "acme_train", true),
            ("acme/train/loop.py", "acme.train", true),
            ("acme/train.py", "acme.train", true),
            ("acme/data/a.py", "acme.train", false),
            ("acme/__init__.py", "acme.train", false),
            ("acme_training/loop.py", "acme_train", false),
            ("acme.py/train/a.py", "acme.train", false),
            ("acme", "acme.train", false),
        ] {
            assert_eq!(is_of(module, package), is, "{module} of {package}");
        }
    }

    #[test]
    fn names_as_people_write_them() {
        let read = |list: &str| packages(list).collect::<Vec<_>>();
        assert_eq!(read("acme_train"), ["acme_train"]);
        assert_eq!(read("acme-train, acme.data:b"), ["acme_train", "acme.data", "b"]);
        assert!(read(" , ../x, 1a, a..b, a/b").is_empty());
    }
}
