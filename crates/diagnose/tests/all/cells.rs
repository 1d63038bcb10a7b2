//! Cells of a notebook: growth is told per cell only of one that ran again and again.

use crate::world::{KIB, MIB, World};
use nilometer_capture::CycleUnit::{Cell, Epoch, Predict};
use nilometer_diagnose::{Report, Verdict};

/// A notebook's kernel, in which so many cells ran.
struct Notebook {
    world: World,
    number: u64,
}

impl Notebook {
    fn new() -> Self {
        let mut world = World::new();
        world.takes(40 * MIB).objects(5000);
        Self { world, number: 0 }
    }

    /// A cell of this stretch runs.
    fn runs(&mut self, stretch: u64, inside: impl FnOnce(&mut World)) -> &mut Self {
        self.number += 1;
        let said = format!(r#"{{"stretch": {stretch}, "file": "/tmp/ipykernel_7/{stretch}77.py"}}"#);
        self.world.fact(&format!("cell.{}", self.number), &said);
        self.world.phase(&format!("In [{}]", self.number), inside);
        self.world.cycle(Cell);
        self
    }

    /// The same cell runs so often, and leaves so much each time.
    fn repeats(&mut self, stretch: u64, times: u64, bytes: i64) -> &mut Self {
        for _ in 0..times {
            self.runs(stretch, |w| {
                w.takes(bytes).objects(3);
            });
        }
        self
    }

    fn report(&mut self) -> Report {
        self.world.ends(0).report()
    }
}

#[test]
fn cells_that_differ_are_not_compared() {
    let mut notebook = Notebook::new();
    for stretch in 1..=40 {
        notebook.repeats(stretch, 1, 3 * MIB);
    }
    let report = notebook.report();
    assert_eq!((report.verdict, report.growth, report.findings.len()), (Verdict::Undecided, None, 0));
    assert!(report.reason.contains("one cell that ran 8 times"), "{}", report.reason);
    // Six of them one by one, and one row for all others.
    let cells =
        report.components.iter().filter(|one| one.phase.as_deref().is_some_and(|p| p.starts_with("In [")));
    assert!(cells.count() <= 7);
    assert!(
        report.components.iter().any(|one| one.phase.as_deref().is_some_and(|p| p.ends_with("other cells")))
    );
}

#[test]
fn a_cell_that_runs_again_is_judged_by_its_runs_alone() {
    for (each, verdict) in [(2 * MIB, Verdict::Leak), (0, Verdict::NoLeak)] {
        let mut notebook = Notebook::new();
        for stretch in 1..=5 {
            notebook.repeats(stretch, 1, 30 * MIB);
        }
        let report = notebook.repeats(6, 12, each).report();
        assert_eq!(
            (report.verdict, report.cycles.count, report.cycles.kind),
            (verdict, 12, "cell"),
            "{}",
            report.reason
        );
        assert_eq!(report.cycles.found_by.as_deref(), Some("the runs of In [17]"));
        let growth = report.growth.unwrap().bytes_per_cycle;
        assert!((growth.estimate - each).abs() < 32 * KIB, "{growth:?}");
    }
}

#[test]
fn the_last_cell_that_ran_often_is_judged() {
    let mut notebook = Notebook::new();
    // Mended: other source, other stretch. What comes after it ran too seldom to be judged.
    let report = notebook.repeats(1, 12, 2 * MIB).repeats(2, 12, 0).repeats(3, 2, 5 * MIB).report();
    assert_eq!((report.verdict, report.cycles.count), (Verdict::NoLeak, 12), "{}", report.reason);
}

#[test]
fn what_repeats_inside_of_a_cell_is_judged_there() {
    for (each, verdict) in [(2 * MIB, Verdict::Leak), (0, Verdict::NoLeak)] {
        let mut notebook = Notebook::new();
        notebook.repeats(1, 1, 50 * MIB);
        notebook.runs(2, |w| {
            for _ in 0..20 {
                w.takes(each).objects(3).cycle(Epoch);
            }
        });
        let report = notebook.report();
        assert_eq!(
            (report.verdict, report.cycles.unit, report.cycles.count),
            (verdict, "epoch", 20),
            "{}",
            report.reason
        );
    }
}

#[test]
fn calls_in_cells_that_differ_are_not_compared() {
    let mut notebook = Notebook::new();
    for stretch in 1..=20 {
        notebook.runs(stretch, |w| {
            w.takes(3 * MIB).cycle(Predict);
        });
    }
    let report = notebook.report();
    assert_eq!((report.verdict, report.findings.len()), (Verdict::Undecided, 0), "{}", report.reason);
}

#[test]
fn what_comes_after_too_many_cells_is_of_no_stretch() {
    let mut notebook = Notebook::new();
    notebook.repeats(1, 12, 0);
    notebook.world.fact("cell.0", r#"{"stretch": 0}"#);
    for _ in 0..20 {
        notebook.world.takes(5 * MIB).cycle(Epoch);
    }
    let report = notebook.report();
    assert_eq!((report.verdict, report.cycles.count), (Verdict::NoLeak, 12), "{}", report.reason);
}
