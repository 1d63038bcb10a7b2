//! Thinning: what is promised to be kept is kept, whatever the records are, and a second thinning takes nothing away.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use nilometer_capture::observation::{CensusCounts, Grown};
use nilometer_capture::thin::{MAX_HARSHNESS, thinned};
use nilometer_capture::*;
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;
const DAY: u64 = 24 * HOUR;

fn birth(id: u64) -> Record {
    let birth =
        Birth { id, stack: 1, size: 4096, mean: 4096, address: 64 * id, thread: 1, source: Source::Malloc };
    Record::Sampling(Sampling::Birth(birth))
}

fn death(id: u64) -> Record {
    Record::Sampling(Sampling::Death { id })
}

fn tick(bytes: u64) -> Record {
    let counters = Counters { heap_in_use: Some(bytes), ..Counters::default() };
    Record::Reading { moment: Moment::Tick, counters: Box::new(counters) }
}

fn at(at_ns: u64, record: Record) -> Stamped {
    Stamped { at_ns, pid: 7, record }
}

/// Records of a program of up to five days: readings, samples that die or not, phases, facts, scans.
fn records() -> impl Strategy<Value = Vec<Stamped>> {
    let one = (0..5 * DAY, 0..8 * HOUR, any::<bool>(), 0_u8..7);
    proptest::collection::vec(one, 0..300).prop_map(|all| {
        let mut out = Vec::new();
        for (id, (began, lasts, ends, kind)) in (1..).zip(all) {
            let end = began + lasts / (1 + u64::from(kind) * 997);
            let thread = id % 3;
            let phase = |edge| Record::Phase { name: format!("p{}", id % 4), edge, thread };
            let holder = id % 5;
            match kind {
                0 | 1 => {
                    out.push(at(began, birth(id)));
                    if ends {
                        out.push(at(end, death(id)));
                    }
                }
                2 => {
                    out.push(at(began, phase(Edge::Begin)));
                    out.push(at(end, phase(Edge::End)));
                }
                3 => out.push(at(began, Record::Fact { key: format!("k{}", id % 9), value: id.to_string() })),
                4 => {
                    let grown = Grown { holder, bytes: id, new: 1, ..Grown::default() };
                    out.push(at(began, Record::Observation(Observation::Grown(grown))));
                    let depth = Some(1 + id % 2);
                    let counts = CensusCounts { depth, ..CensusCounts::default() };
                    out.push(at(began + 1, Record::Observation(Observation::Census(counts))));
                }
                5 => {
                    out.push(at(began, Record::Observation(Observation::Held { holder, samples: vec![id] })));
                }
                _ => out.push(at(began, tick(id))),
            }
        }
        out.sort_by_key(|stamped| stamped.at_ns);
        out
    })
}

fn alive(records: &[Stamped]) -> BTreeSet<u64> {
    let mut alive = BTreeSet::new();
    for stamped in records {
        if let Record::Sampling(Sampling::Birth(birth)) = &stamped.record {
            alive.insert(birth.id);
        }
    }
    for stamped in records {
        if let Record::Sampling(Sampling::Death { id }) = &stamped.record {
            alive.remove(id);
        }
    }
    alive
}

fn facts(records: &[Stamped]) -> BTreeMap<&str, &str> {
    let fact = |stamped| match stamped {
        &Stamped { record: Record::Fact { ref key, ref value }, .. } => Some((key.as_str(), value.as_str())),
        _ => None,
    };
    records.iter().filter_map(fact).collect()
}

fn bytes_grown(records: &[Stamped]) -> u64 {
    let bytes = |stamped: &Stamped| match &stamped.record {
        Record::Observation(Observation::Grown(grown)) => grown.bytes,
        _ => 0,
    };
    records.iter().map(bytes).sum()
}

fn edges(records: &[Stamped]) -> (usize, usize) {
    let count = |wanted| {
        records.iter().filter(|s| matches!(&s.record, Record::Phase { edge, .. } if *edge == wanted)).count()
    };
    (count(Edge::Begin), count(Edge::End))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_promised_is_kept(records in records(), harshness in 0..=MAX_HARSHNESS) {
        let now = 5 * DAY;
        let kept = thinned(&records, now, harshness);
        prop_assert_eq!(alive(&kept), alive(&records), "who lives");
        prop_assert_eq!(facts(&kept), facts(&records), "the last of each fact");
        prop_assert_eq!(bytes_grown(&kept), bytes_grown(&records), "what containers grew by");
        let (begins, ends) = edges(&kept);
        prop_assert_eq!(begins, ends, "no edge alone");
        let whole = now - (HOUR >> harshness);
        let young = |records: &[Stamped]| records.iter().filter(|s| s.at_ns >= whole).cloned().collect::<Vec<_>>();
        prop_assert_eq!(young(&kept), young(&records), "the last hour");
    }

    #[test]
    fn a_second_thinning_takes_nothing_away(records in records(), harshness in 0..=MAX_HARSHNESS) {
        let once = thinned(&records, 5 * DAY, harshness);
        prop_assert_eq!(&thinned(&once, 5 * DAY, harshness), &once);
    }

    #[test]
    fn thinning_in_steps_keeps_what_one_thinning_keeps(records in records()) {
        let early: Vec<Stamped> = records.iter().filter(|s| s.at_ns < 3 * DAY).cloned().collect();
        let mut both = thinned(&early, 3 * DAY, 0);
        both.extend(records.iter().filter(|s| s.at_ns >= 3 * DAY).cloned());
        let stepwise = thinned(&both, 5 * DAY, 0);
        prop_assert_eq!(alive(&stepwise), alive(&records));
        prop_assert_eq!(bytes_grown(&stepwise), bytes_grown(&records));
        let ticks = |records: &[Stamped]| -> Vec<Stamped> {
            records.iter().filter(|s| matches!(s.record, Record::Reading { .. })).cloned().collect()
        };
        prop_assert_eq!(ticks(&stepwise), ticks(&thinned(&records, 5 * DAY, 0)));
    }
}

#[test]
fn a_day_of_readings_becomes_one_each_ten_seconds() {
    let readings: Vec<Stamped> = (0..24 * 3600 * 4).map(|n| at(n * SECOND / 4, tick(n))).collect();
    let kept = thinned(&readings, DAY, 0);
    let hour = kept.iter().filter(|s| s.at_ns >= 23 * HOUR).count();
    assert_eq!(hour, 3600 * 4);
    let beginning = kept.iter().filter(|s| s.at_ns < 120 * SECOND).count();
    assert_eq!(beginning, 480);
    assert_eq!(kept.len() - hour - beginning, 23 * 360 - 12);
}

#[test]
fn samples_of_a_process_that_replaced_itself_go() {
    let start = || Record::Sampling(Sampling::Start { sample: 1 });
    let records = [at(0, start()), at(200 * SECOND, birth(1)), at(HOUR, start()), at(HOUR + 1, birth(1))];
    let kept = thinned(&records, 5 * HOUR, 0);
    let births: Vec<u64> = kept
        .iter()
        .filter(|s| matches!(s.record, Record::Sampling(Sampling::Birth(_))))
        .map(|s| s.at_ns)
        .collect();
    assert_eq!(births, [HOUR + 1]);
}
