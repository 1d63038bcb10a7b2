//! Packages that are the user's own although they are installed, or although a framework is called so.
//!
//! In: words of `--own`, and `NILOMETER_OWN`. Out: names as in `import`. What must not happen here: a name that no package can have,
//! taken in silence.

use nilometer_model::{is_package, packages};

use crate::env;
use crate::words::values;

/// One package, as `--own` takes it.
pub(crate) fn package(word: &str) -> Result<String, String> {
    let name = word.replace('-', "_");
    is_package(&name).then_some(name).ok_or_else(values::package)
}

/// What was asked for, and what the environment names.
pub(crate) fn with_environment(asked: &[String]) -> Vec<String> {
    with(asked, &env::get(env::OWN).unwrap_or_default().to_string_lossy())
}

fn with(asked: &[String], list: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in asked.iter().cloned().chain(packages(list)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_named_as_it_is_imported() {
        assert_eq!(package("acme_train").as_deref(), Ok("acme_train"));
        assert_eq!(package("acme-train").as_deref(), Ok("acme_train"));
        assert_eq!(package("acme.train").as_deref(), Ok("acme.train"));
        for word in ["", "acme/train", "../acme", "train.py,", "1x", "acme."] {
            assert!(package(word).is_err(), "{word}");
        }
    }

    #[test]
    fn the_environment_adds_to_what_was_asked_for() {
        assert_eq!(with(&["a".to_owned()], "b, a:c"), ["a", "b", "c"]);
        assert!(with(&[], "").is_empty());
    }
}
