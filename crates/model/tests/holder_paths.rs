//! The table of cases that Python's side reads too (`tests/native/test_holder_paths.py`), and what holds for every text.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use nilometer_model::{HolderPath, Root, Step};

const TABLE: &str = include_str!("holder_paths.tsv");

fn told(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

fn kinds(path: HolderPath) -> String {
    let kinds = [
        ("slot", path.is_slot()),
        ("local", path.is_local()),
        ("global", path.global().is_some()),
        ("part", path.is_of_element()),
    ];
    kinds.iter().filter(|(_, is)| *is).map(|(word, _)| *word).collect::<Vec<_>>().join(",")
}

#[test]
fn each_path_is_read_as_the_table_says() {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut count = 0;
    for row in rows {
        let path = HolderPath::of(row.split('\t').next().unwrap());
        let read = [
            path.text(),
            path.function().unwrap_or_default(),
            path.around_last_name(),
            path.last_name(),
            path.container().text(),
            path.below(),
            path.name(),
            path.keys(),
            path.words(),
            &kinds(path),
        ];
        assert_eq!(read.map(told).join("\t"), row);
        count += 1;
    }
    assert!(count > 50, "the table was read");
}

#[test]
fn no_text_is_too_odd() {
    const PARTS: [&str; 13] = ["a", "é", ".", "[", "]", "'", "\\", "<", ">", " ", "[*]", "():", " local "];
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..4 {
        let longest: Vec<String> = texts.iter().skip(from).cloned().collect();
        from = texts.len();
        texts.extend(longest.iter().flat_map(|text| PARTS.map(|part| format!("{text}{part}"))));
    }
    for text in &texts {
        let path = HolderPath::of(text);
        let (container, below) = (path.container(), path.below());
        assert!(text.starts_with(container.text()) && path.plain().text().ends_with(below), "{text}");
        assert!(container.text().len() + below.len() <= text.len(), "{text}");
        assert!(container.text().ends_with(path.keys()), "{text}");
        assert!(text.ends_with(path.in_code()) && container.text().ends_with(path.words()), "{text}");
        assert!(text.contains(path.last_name()) && text.contains(path.around_last_name()), "{text}");
        assert!(path.is_within(path) && path.has_container_of(path) && !path.is_alias_of(path), "{text}");
        assert_eq!(path.is_slot(), path.outermost().is_none(), "{text}");
        let bytes: usize = path.steps().map(|step| step.to_string().len()).sum();
        assert!(bytes <= text.len() + 1, "{text}: one bracket may be missing");
        assert!(path.of_any_keys().ends_with("[*]"), "{text}");
        assert!(path.elements().is_none_or(|elements| elements.ends_with("[*]")), "{text}");
        assert!(path.all_slices().is_none_or(|slices| slices.contains("[*]")), "{text}");
        let _ = (path.global(), path.is_namespace(text), path.is_in_table(), path.without_elements());
    }
}

#[test]
fn what_is_written_is_read() {
    let roots = [
        Root::Function { name: "fit", variable: "callbacks" },
        Root::Function { name: "<lambda>", variable: "" },
        Root::on_stack("fit"),
        Root::ContextVariable("flask.app_ctx"),
        Root::Word("__main__"),
        Root::Word("<native code>"),
    ];
    let steps = [
        Step::Attribute("saved"),
        Step::Item("3"),
        Step::Item(r"('it\'s [a].b', 1)"),
        Step::Item("<Point>"),
        Step::Each,
        Step::Key,
        Step::LruCache,
        Step::ChildrenPerLabel,
        Step::Default("seen"),
        Step::Closure("hist"),
        Step::Suspended("rows"),
        Step::Type("Outer<int>"),
        Step::Frame,
        Step::Local("payload"),
    ];
    for root in roots {
        for (first, second) in steps.iter().flat_map(|first| steps.map(|second| (*first, second))) {
            let text = format!("{root}{first}{second}");
            // Where no variable is named, a blank begins one.
            let is_variable = text.starts_with("<lambda>(): ");
            let path = HolderPath::of(&text);
            if !is_variable {
                assert_eq!(
                    (path.root(), path.steps().collect::<Vec<_>>()),
                    (root, vec![first, second]),
                    "{text}"
                );
            }
        }
    }
}

fn of(text: &str) -> HolderPath<'_> {
    HolderPath::of(text)
}

#[test]
fn what_hangs_below_a_container() {
    for inner in ["a.saved[*]", "a.saved[*][*]", "a.saved[*].logs[*]", "a.saved['x'][*]", "a.saved"] {
        assert!(of(inner).is_within(of("a.saved[*]")), "{inner}");
    }
    for other in ["a.saved_too[*]", "a[*]", "b.saved[*]", "a.logs[*]"] {
        assert!(!of(other).is_within(of("a.saved[*]")), "{other}");
    }
    assert!(of("jobs[*].waiters[*]").is_part_of_each(of("jobs[*]")));
    assert!(of("jobs[*][0][*]").is_part_of_each(of("jobs[*].mask")));
    for other in ["jobs[*]", "jobs[*][*]", "jobs[0].waiters[*]", "jobs.waiters[*]"] {
        assert!(!of(other).is_part_of_each(of("jobs[*]")), "{other}");
    }
}

#[test]
fn elements_of_a_container_by_whatever_key() {
    const CACHE: &str = "f.<lru cache>[*]";
    for inner in
        [CACHE, "f.<lru cache>[(<tuple>,)]", "f.<lru cache>[('a]', 1)][*]", r"f.<lru cache>['it\'s'][*]"]
    {
        assert!(of(inner).is_element_of(of(CACHE)), "{inner}");
    }
    for other in ["f.<lru cache>[0].saved[*]", "f.<lru cache>.last", "f.saved[*]", r"f.<lru cache>['\''].a"] {
        assert!(!of(other).is_element_of(of(CACHE)), "{other}");
    }
    assert!(!of("f.<lru cache>[0]").is_element_of(of("f.<lru cache>")), "of one thing there are none");
}

#[test]
fn one_container_by_two_names() {
    const SELF: &str = "fit(): self.checkpoints[*]";
    assert!(of(SELF).is_alias_of(of("__main__.trainer.checkpoints[*]")));
    assert!(of("main(): run.trainer.checkpoints[*]").is_alias_of(of(SELF)));
    for (one, other) in [
        (SELF, "__main__.trainer.checkpoints_too[*]"),
        (SELF, "save(): self.checkpoints[*]"),
        ("main(): a.checkpoints[*]", "main(): b.checkpoints[*]"),
        (SELF, "__main__.checkpoints"),
    ] {
        assert!(!of(one).is_alias_of(of(other)), "{one} {other}");
    }
}

#[test]
fn entries_of_one_container_are_told_as_all_of_it() {
    for (path, of_any) in [
        ("m.acts['h1'][*]", "m.acts[*][*]"),
        ("m.acts['a[0]'][*]", "m.acts[*][*]"),
        ("m.acts['a]']", "m.acts[*]"),
        ("m.acts", "m.acts[*]"),
        ("m.acts[*].logs[*]", "m.acts[*].logs[*]"),
    ] {
        assert_eq!(of(path).of_any_keys(), of_any);
    }
}

#[test]
fn names_of_a_module_or_a_function_are_no_container() {
    for (path, file) in [
        ("__main__[*]", "/a/train.py"),
        ("fit():[*]", "/a/train.py"),
        ("jobs.state[*]", "/a/jobs/state.py"),
        ("jobs[*]", "/a/jobs/__init__.py"),
    ] {
        assert!(of(path).is_namespace(file), "{path}");
    }
    for (path, file) in [
        ("__main__.kept[*]", "/a/train.py"),
        ("fit(): kept[*]", "/a/train.py"),
        ("audit.audit[*]", "/a/audit.py"),
        ("__main__", "/a/train.py"),
        ("state.kept[*].mask", "/a/state.py"),
    ] {
        assert!(!of(path).is_namespace(file), "{path}");
    }
}
