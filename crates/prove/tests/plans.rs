//! Plans against made-up programs with known leaks: each leak has parts, and each part its cure.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use nilometer_diagnose::{Bytes, Verdict};
use nilometer_prove::{
    Answer, Baseline, Effect, Experiment, Intervention, Measured, Plan, Proof, SCHEMA, compare,
};

const LEAK: Bytes = Bytes { estimate: 1000 << 10, low: 990 << 10, high: 1010 << 10 };

fn one(text: &str) -> Intervention {
    text.parse().unwrap()
}

/// A program: parts of its growth in percent, and the cure of each.
struct World(Vec<(i64, &'static str)>);

impl World {
    fn run(&self, set: &[Intervention]) -> Experiment {
        let is_ended = |cure: &str| set.iter().any(|change| change.covers(&one(cure)));
        let left: i64 = self
            .0
            .iter()
            .filter(|(_, cure)| !is_ended(cure))
            .map(|(part, _)| part * LEAK.estimate / 100)
            .sum();
        let growth = Bytes { estimate: left, low: left - 5000, high: left + 5000 };
        let verdict = if left > 0 { Verdict::Leak } else { Verdict::NoLeak };
        let with = Measured { verdict, growth: Some(growth), unit: "epoch", cycles: 16 };
        let compared = compare(LEAK, "epoch", &with);
        Experiment {
            intervention: Experiment::words(set),
            set: set.to_vec(),
            verdict: compared.effect,
            growth: with.growth,
            removed: compared.removed,
            cycles: 16,
            seconds: 1.0,
            exit_code: Some(0),
            note: None,
            capture: None,
        }
    }

    fn prove(&self, list: &[&str]) -> Proof {
        let plan = Plan::new(list.iter().map(|text| one(text)).collect());
        let mut done = Vec::new();
        while let Some(set) = plan.next(&done, &[]) {
            assert!(done.len() < 50, "it goes on for ever");
            done.push(self.run(&set));
        }
        let leak = Measured { verdict: Verdict::Leak, growth: Some(LEAK), unit: "epoch", cycles: 16 };
        proof(leak, done)
    }
}

fn proof(baseline: Measured, interventions: Vec<Experiment>) -> Proof {
    Proof {
        schema: SCHEMA,
        program: vec!["train.py".to_owned()],
        answer: Answer::Undecided,
        sentence: String::new(),
        device: None,
        unit: "epoch",
        baseline: Baseline {
            verdict: baseline.verdict,
            reason: "live memory does not grow".to_owned(),
            growth: baseline.growth,
            cycles: 16,
            seconds: 1.0,
            capture: "1.nilo".to_owned(),
        },
        interventions,
        cure: None,
        not_tried: Vec::new(),
        warnings: Vec::new(),
        seconds: 2.0,
        folder: ".".to_owned(),
    }
    .conclude(&baseline)
}

fn cure(proof: &Proof) -> Vec<String> {
    proof.cure.iter().flat_map(|cure| cure.set.iter().map(ToString::to_string)).collect()
}

#[test]
fn the_first_cure_ends_it() {
    let proof = World(vec![(100, "validation")]).prove(&["gc", "validation", "eager"]);
    assert_eq!(proof.interventions.len(), 2);
    assert_eq!((proof.answer, cure(&proof)), (Answer::Cured, vec!["validation".to_owned()]));
    assert!(
        proof.sentence.starts_with("without validation removes 100 % of the growth (95 %: 100 to 100)"),
        "{}",
        proof.sentence
    );
}

#[test]
fn two_leaks_end_with_the_pair_that_cures_as_soon_as_both_are_known() {
    let world = World(vec![(70, "callback:A"), (30, "repeated-batch")]);
    let proof = world.prove(&["callback:A", "gc", "repeated-batch", "validation", "eager"]);
    assert_eq!(cure(&proof), ["callback:A", "repeated-batch"]);
    assert_eq!(proof.interventions.len(), 4, "two parts and one that does nothing, then the pair");
    assert!(proof.sentence.contains("together remove 100 %"), "{}", proof.sentence);
}

#[test]
fn three_parts_need_three() {
    let world = World(vec![(40, "callback:A"), (35, "validation"), (25, "purge-graphs")]);
    let proof = world.prove(&["callback:A", "validation", "purge-graphs"]);
    assert_eq!(cure(&proof), ["callback:A", "validation", "purge-graphs"]);
}

#[test]
fn what_covers_another_makes_no_set_with_it() {
    let world = World(vec![(60, "callback:A"), (40, "validation")]);
    let proof = world.prove(&["callback:A", "callbacks", "validation"]);
    assert_eq!(cure(&proof).len(), 2);
    let both = |set: &[Intervention]| set.contains(&one("callbacks")) && set.contains(&one("callback:A"));
    assert!(proof.interventions.iter().all(|experiment| !both(&experiment.set)));
}

#[test]
fn changes_that_cure_the_same_are_not_tried_together_again_and_again() {
    // Each of the two takes the same sixty percent; the rest has its own cure, at the end of the list.
    let world = World(vec![(60, "callback:A"), (40, "gc")]);
    let same = |done: &mut Vec<Experiment>, name: &str| {
        let mut row = world.run(&[one("callback:A")]);
        row.set = vec![one(name)];
        done.push(row);
    };
    let mut done = Vec::new();
    same(&mut done, "validation");
    same(&mut done, "eager");
    let plan = Plan::new(vec![one("gc")]);
    let mut both = world.run(&[one("callback:A")]);
    both.set = plan.next(&done, &[]).unwrap();
    assert_eq!(both.set, [one("validation"), one("eager")]);
    done.push(both);
    assert_eq!(plan.next(&done, &[]), Some(vec![one("gc")]));
}

#[test]
fn a_part_alone_is_said_to_be_a_part() {
    let proof = World(vec![(60, "callback:A"), (40, "cpu-only")]).prove(&["callback:A", "gc"]);
    assert_eq!(proof.answer, Answer::Reduced);
    assert!(proof.sentence.starts_with("without callback:A removes 60 %"), "{}", proof.sentence);
    assert_eq!(proof.interventions[0].verdict, Effect::Reduces);
    assert_eq!(proof.interventions[1].verdict, Effect::NoEffect);
}

#[test]
fn what_nothing_ends_is_said_to_be_unexplained() {
    let proof = World(vec![(100, "cpu-only")]).prove(&["gc", "eager"]);
    assert_eq!((proof.answer, proof.cure), (Answer::Unexplained, None));
}

#[test]
fn an_innocent_program_has_nothing_to_cure() {
    let innocent = Measured {
        verdict: Verdict::NoLeak,
        growth: Some(Bytes { estimate: 0, low: -5, high: 5 }),
        unit: "epoch",
        cycles: 16,
    };
    let proof = proof(innocent, Vec::new());
    assert_eq!(
        (proof.answer, proof.sentence.as_str()),
        (Answer::NothingToCure, "nothing to cure: live memory does not grow")
    );
}

#[test]
fn experiments_that_run_are_not_started_again() {
    let plan = Plan::new(vec![one("gc"), one("eager")]);
    let started = vec![vec![one("gc")]];
    assert_eq!(plan.next(&[], &started), Some(vec![one("eager")]));
    assert_eq!(plan.next(&[], &[vec![one("gc")], vec![one("eager")]]), None);
    assert_eq!(plan.left(&[]).len(), 2);
}
