//! Every number that a verdict rests on: unit, meaning, origin.
//!
//! In: nothing. Out: constants, and the table of `docs/design/verdict.md`. What must not happen here: a number of one file only, two numbers
//! of one meaning. A file that needs a number gives it a name of its own there, and its value from here. A test compares the table.

/// One row of the table.
#[cfg_attr(not(test), expect(dead_code, reason = "the table is for the docs, which a test compares"))]
pub(crate) struct Number {
    pub(crate) name: &'static str,
    pub(crate) value: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) origin: &'static str,
}

macro_rules! numbers {
    ($($name:ident: $kind:ty = $value:expr, $unit:literal, $meaning:literal, $origin:literal;)*) => {
        $(#[doc = $meaning] pub(crate) const $name: $kind = $value;)*

        /// All of them, in the order of the table.
        #[cfg(test)]
        pub(crate) const NUMBERS: &[Number] = &[$(Number {
            name: stringify!($name),
            value: stringify!($value),
            unit: $unit,
            meaning: $meaning,
            origin: $origin,
        }),*];
    };
}

const KIB: f64 = 1024.0;

numbers! {
    LONG_FLOOR_BYTES: f64 = 16.0 * KIB, "bytes per epoch, fit, trial",
        "The floor of a long cycle: a framework keeps less of each, and nobody needs to hear of it.",
        "Healthy Keras epochs keep 1 to 4 KiB, most of it `History`.";
    REQUEST_FLOOR_BYTES: f64 = 2.0 * KIB, "bytes per request, predict, task",
        "The floor of a cycle of which there are many to the hour.",
        "Eight calls: a request makes several.";
    REQUESTS_RISE_BYTES: f64 = 16.0 * 1024.0 * KIB, "bytes in a run",
        "A rise over many requests that is worth hearing of, however little each keeps: their floor shrinks to it, and to that of a call.",
        "A healthy server kept at most 0 B per request over 65,055 requests. With a fixed floor 500 B of each request were forgiven for ever.";
    CALL_FLOOR_BYTES: f64 = 256.0, "bytes per call, step",
        "The floor of the shortest cycles.",
        "Healthy calls keep tens of bytes.";
    CHECKED_FLOOR_BYTES: f64 = 64.0, "bytes per checked call",
        "The floor of a call that `nilometer.check` repeats.",
        "A full collection goes before each reading: healthy functions read 0, with threads 28.";
    FLOOR_BYTES_PER_SECOND: f64 = 4.0 * KIB, "bytes per second",
        "The floor of a stretch of time, and of a found cycle by its duration.",
        "An epoch of 4 s has the floor of an epoch then.";
    TOLERANCE_RATIO: f64 = 0.0005, "of live memory per long cycle",
        "Growth that cannot matter: live memory doubles in 2,000 cycles by it.",
        "A job of 2,000 epochs needs twice the memory at its end, and no leak is slower than that.";
    MIN_RISE_BYTES: f64 = 256.0 * KIB, "bytes in a run",
        "A rise below this in all is within what any process breathes.",
        "The interpreter's free lists alone take 320 KiB before a full collection empties them.";
    MIN_CHECKED_RISE_BYTES: f64 = 4.0 * KIB, "bytes in a check",
        "A rise below this in all checked calls is within what a collected process breathes.",
        "Fourteen healthy functions breathed 3.3 KiB at most in 40 calls.";
    MIN_FILLING_BYTES: f64 = 1024.0 * KIB, "bytes",
        "A rise that ended is worth telling from this on.",
        "One line of the report is worth a MiB.";
    SMALL_BYTES: f64 = 256.0 * 1024.0 * KIB, "bytes",
        "What fills and ends may take so much more, however long it takes.",
        "A thirty-second of a machine of 8 GiB.";
    HEAVY_BYTES: f64 = 1024.0, "bytes per object",
        "What hangs on one object: garbage weighs less, data that is kept weighs more.",
        "Garbage of TensorFlow weighs 200 to 300 bytes per object; a noted loss takes 32.";
    MIN_GARBAGE_OBJECT_BYTES: f64 = 200.0, "bytes per object",
        "An object that the collection at exit freed weighs at least so much.",
        "Measured on TensorFlow 2.21, with all that it keeps.";
    MAX_GARBAGE_OBJECT_BYTES: f64 = 320.0, "bytes per object",
        "The same at most, if collections within the run were seen to free as much.",
        "The same measurement.";
    MIN_POINTS: usize = 6, "cycles after start-up",
        "Fewer say nothing about growth.",
        "`cargo run --release -p nilometer-stats --example calibrate`: 1.6 % false alarms on slow levels with 4, 0.4 % with 6.";
    AGAIN: usize = 2, "times",
        "Once may be chance: start-up takes as many cycles, old memory lived through as many.",
        "Keras keeps the iterator of an epoch into the next one.";
    SEVERAL: u64 = 3, "times",
        "What many cycles do, at least three do.",
        "Two steps may be a cache that doubled.";
    MAX_NEEDED_RATIO: u64 = 10, "times the run",
        "Nobody is told to run for longer.",
        "A run of a night is a week then.";
    FAR_RATIO: f64 = 20.0, "times the run",
        "A bound further away than that is none.",
        "A replay memory for a million steps in a run of a thousand grows to its end.";
    COUNT_ERROR_RATIO: f64 = 0.01, "share",
        "So much wider is the interval of a leak at each end: an allocator rounds up, and a cycle keeps something of its own.",
        "Of 68 leaks of known size the interval missed 9 by 0.02 to 0.8 %.";
    LITTLE: f64 = 0.05, "share",
        "A twentieth: left of a rise that has ended; the chance of an error.",
        "The customary level of a test.";
    TENTH: f64 = 0.1, "share",
        "Cycles that may be odd: one-time events at the ends, those that nobody read.",
        "The customary share of a trimmed mean.";
    ALIKE: f64 = 0.2, "share",
        "Two instruments agree within a fifth.",
        "A scan weighs some of a container's new elements, not all.";
    PART: f64 = 0.25, "share",
        "From a quarter on a part counts.",
        "Samples find a line of the user's that keeps a quarter of the floor.";
    THIRD: f64 = 1.0 / 3.0, "share",
        "The first or last part of a run; a share that one of three would have.",
        "Thirds are the least parts that show early, middle and late.";
    HALF: f64 = 0.5, "share",
        "From a half on nothing else carries more.",
        "By definition.";
    MOST: f64 = 2.0 / 3.0, "share",
        "Twice what the rest is.",
        "Sampling errs by a third with nine samples.";
    NEARLY_ALL: f64 = 0.8, "share",
        "All, within what two instruments agree by.",
        "One less ALIKE.";
    EXCESS: f64 = 1.5, "times",
        "More than half as much again is something else.",
        "The inverse of MOST.";
    TWICE: f64 = 2.0, "times",
        "Early and late thirds of one growth differ by less.",
        "A cache that fills brings more than twice as much early.";
    EVEN_RATIO: f64 = 1.75, "times",
        "The same of a site that speaks for itself.",
        "With 1.5 one of 20 simulated leaks of 8 KiB per epoch is missed; with 2 a site that slows by 1.9 is a leak.";
    EVEN_FLOOR_RATIO: f64 = 0.4, "of the floor",
        "A container that gets as many heavy elements with each cycle counts from here on.",
        "One array of 8 kB per epoch counts. With a third, an innocent program with 5.4 KiB per epoch was accused.";
    LONGER_RATIO: f64 = 2.5, "times",
        "A level that lasts so much longer than any before it is the last.",
        "A table that doubles is level twice as long each time.";
    CYCLES_IN_USE: f64 = 1.5, "cycles",
        "Garbage of so many cycles is in use when a collection looks, and is left.",
        "The running cycle's, and often the model of the one before.";
    DEVIATIONS: f64 = 2.0, "standard deviations",
        "By so much sampling may have erred.",
        "One in 40, to one side.";
    MANY_DEVIATIONS: f64 = 3.0, "standard deviations",
        "The same of few cycles that a container of the user's own keeps.",
        "Of 58 lines 8 were lost by 2.";
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the page and the sources are compared")]
    use super::*;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design/verdict.md");
    /// Folders whose files rest verdicts on numbers.
    const FOLDERS: [&str; 3] = ["claims", "reconcile", "decide"];

    fn table() -> String {
        let mut out = "| number | value | unit | meaning | origin |\n|---|---|---|---|---|\n".to_owned();
        for Number { name, value, unit, meaning, origin } in NUMBERS {
            out.push_str(&format!(
                "| `{name}` | {} | {unit} | {meaning} | {origin} |\n",
                value.replace("KIB", "KiB")
            ));
        }
        out
    }

    #[test]
    fn the_page_has_the_table() {
        let page = std::fs::read_to_string(PAGE).unwrap_or_default();
        assert!(
            page.contains(&table()),
            "docs/design/verdict.md has another table; this is the one:\n\n{}",
            table()
        );
    }

    /// A third of those that the rules had when each stage had its own.
    const MAX_NUMBERS: usize = 113 / 3;

    #[test]
    fn there_are_few() {
        assert!(
            NUMBERS.len() <= MAX_NUMBERS,
            "{} numbers: does one of them mean what another one means?",
            NUMBERS.len()
        );
    }

    #[test]
    fn no_file_has_a_number_of_its_own() {
        for folder in FOLDERS {
            let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder)];
            while let Some(folder) = folders.pop() {
                for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                    let path = entry.path();
                    if path.is_dir() {
                        folders.push(path);
                        continue;
                    }
                    let source = std::fs::read_to_string(&path).unwrap_or_default();
                    let rules = source.split("#[cfg(test)]").next().unwrap_or_default();
                    for line in rules.lines().filter(|line| line.trim_start().contains("const ")) {
                        let Some((_, value)) = line.split_once(" = ") else { continue };
                        let own = value.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
                        let is_own = |word: &str| {
                            word.starts_with(|c: char| c.is_ascii_digit())
                                && !["1", "1.0", "2", "2.0"].contains(&word)
                        };
                        assert!(!own.clone().any(is_own), "{}: {line}", path.display());
                    }
                }
            }
        }
    }
}
