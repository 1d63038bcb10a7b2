//! Interventions are told in one order where nothing else decides, and the command line knows each.
#![cfg(all(feature = "keras", feature = "tensorflow"))]

use nilometer_prove::Intervention;
use nilometer_prove::pack::Advice;

const ORDER: &str = "
    validation
    repeated-batch
    plain-pipeline
    purge-graphs
    fixed-shape
    tensor-scalars
    relaxed-shapes
    clear-session
    workers-0
    no-onednn
    graph
    eager
";

#[test]
fn interventions_have_an_order_and_a_name_that_is_known() {
    let mut all: Vec<&Advice> = nilometer_frameworks::PROVE.iter().flat_map(|pack| pack.advice).collect();
    all.sort_by_key(|advice| advice.rank);
    let names: Vec<&str> = all.iter().map(|advice| advice.name).collect();
    assert_eq!(names, ORDER.split_whitespace().collect::<Vec<_>>());
    assert!(all.is_sorted_by(|one, next| one.rank < next.rank), "no two have the same rank");
    assert!(names.iter().all(|name| name.parse::<Intervention>().is_ok()));
}
