//! The table of cases that Python's side reads too: `tests/hooks/test_file_owners.py`.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use nilometer_model::{CodeFolders, FileOwner, packages};

const TABLE: &str = include_str!("file_owners.tsv");

fn owner(word: &str) -> FileOwner {
    match word {
        "user" => FileOwner::User,
        "library" => FileOwner::Library,
        "python" => FileOwner::Python,
        "ours" => FileOwner::Ours,
        "unknown" => FileOwner::Unknown,
        other => panic!("no owner is called {other}"),
    }
}

fn folders(own: &str, imported: &str, is_known: bool) -> CodeFolders {
    let mut folders = CodeFolders::default();
    folders.own.extend(packages(own));
    if is_known {
        "/opt/py".clone_into(&mut folders.standard);
        "/venv/lib/python3.11/site-packages/nilometer".clone_into(&mut folders.ours);
    }
    if let Some((module, folder)) = imported.split_once('=') {
        folders.learn(module, &format!("{folder}/__init__.py"));
    }
    folders
}

#[test]
fn each_file_has_the_owner_that_the_table_says() {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut count = 0;
    for row in rows {
        let [file, said, own, imported, known] = *row.split('\t').collect::<Vec<_>>() else {
            panic!("not five columns: {row}");
        };
        let folders = folders(own, imported, known == "known");
        assert_eq!(folders.owner_of(file), owner(said), "{row}");
        assert_eq!(folders.is_users(file), said == "user", "{row}");
        count += 1;
    }
    assert!(count > 40, "the table was read");
}

#[test]
fn a_module_is_the_users_by_its_name_or_by_its_file() {
    let folders = folders("acme_train", "-", true);
    for (name, file, owner) in [
        ("__main__", "/venv/lib/python3.11/site-packages/acme/cli.py", FileOwner::User),
        ("train", "/home/me/train.py", FileOwner::User),
        ("acme_train.loop", "/venv/lib/python3.11/site-packages/acme_train/loop.py", FileOwner::User),
        ("keras", "/venv/lib/python3.11/site-packages/keras/__init__.py", FileOwner::Library),
        ("sys", "", FileOwner::Library),
        ("nilometer.hooks", "/checkout/python/nilometer/hooks/__init__.py", FileOwner::Ours),
        ("nilometer_else", "/home/me/nilometer_else.py", FileOwner::User),
    ] {
        assert_eq!(folders.owner_of_module(name, file), owner, "{name}");
    }
}

#[test]
fn a_librarys_file_says_its_package() {
    let folders = folders("-", "keras=/opt/keras/keras", true);
    assert_eq!(folders.package("/v/lib/python3.11/site-packages/numpy/core.py"), Some("numpy"));
    assert_eq!(folders.package("/v/lib/python3.11/site-packages/six.py"), Some("six"));
    assert_eq!(folders.package("/opt/keras/keras/src/trainers/trainer.py"), Some("keras"));
    assert_eq!(folders.package("/home/me/train.py"), None);
}

#[test]
fn only_a_framework_outside_of_the_packages_folder_is_worth_noting() {
    let mut folders = CodeFolders::default();
    assert_eq!(folders.learn("keras", "/opt/keras/keras/__init__.py").as_deref(), Some("/opt/keras/keras"));
    assert_eq!(folders.learn("keras", "/v/lib/python3.11/site-packages/keras/__init__.py"), None);
    assert_eq!(folders.learn("acme_train", "/opt/acme/acme_train/__init__.py"), None);
    // A script of the user's that has a framework's name.
    assert_eq!(folders.learn("keras", "/home/me/keras.py"), None);
}
