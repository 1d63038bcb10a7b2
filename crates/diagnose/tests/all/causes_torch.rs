//! Memory of `PyTorch`'s that an autograd graph keeps: who is named, though a look does not come to the end of a long graph.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Holder, Observation, Record};
use nilometer_diagnose::Finding;

use crate::world::recorder::Made;
use crate::world::{World, started};

const LINE: &str = "/job/train.py:43 main";
const CELL: &str = "/v/lib/python3.11/site-packages/torch/nn/modules/rnn.py:1450 GRUCell.forward";
/// What a cell computes with, each by a stack of its own.
const OPERATIONS: [&str; 4] = ["at::addmm", "at::sigmoid", "at::tanh", "at::mul"];

fn sees(w: &mut World, path: &str, kind: &str, made: &[Made]) {
    let id = 1;
    w.say(&Record::Observation(Observation::Holder(Holder {
        id,
        path: path.to_owned(),
        kind: kind.to_owned(),
        file: "/job/train.py".to_owned(),
        ..Holder::default()
    })));
    let samples = made.iter().flat_map(|one| one.ids.iter().copied()).collect();
    w.say(&Record::Observation(Observation::Held { holder: id, samples }));
}

/// Fifteen epochs whose hidden state goes on; each look sees a few of many blocks below something of this kind.
fn carries_on(path: &str, kind: &str, cut: bool) -> Finding {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 1);
    let stacks: Vec<u64> =
        OPERATIONS.iter().map(|one| w.stack(&[LINE, CELL, one, "c10::alloc_cpu"])).collect();
    let mut made = Vec::new();
    for epoch in 1..=15 {
        for stack in &stacks {
            made.push(w.makes(*stack, 8 << 10, 20));
        }
        w.objects(100).cycle(Epoch);
        if epoch > 6 {
            if !kind.is_empty() {
                sees(&mut w, path, kind, &made[16..made.len().min(32)]);
            }
            w.looked(cut, &[]);
        }
    }
    w.ends(0);
    let mut report = w.report_with_names();
    assert_eq!(report.findings.len(), 1, "{:#?}", report.findings);
    report.findings.remove(0)
}

#[test]
fn a_tensor_keeps_the_graph_that_a_look_did_not_come_to_the_end_of() {
    let finding = carries_on("__main__.watcher.state", "Tensor", true);
    assert_eq!(finding.cause, "graphs-kept", "{finding:#?}");
    assert_eq!(finding.sentence, "watcher.state keeps the autograd graph of every epoch");
    let change = finding.change.as_ref().unwrap();
    assert!(change.contains("`watcher.state = watcher.state.detach()`"), "{change}");
    assert!(change.contains("`torch.no_grad()`"), "{change}");
    assert_eq!(finding.confidence, "likely");
    assert!(finding.sites.iter().any(|site| site.line == 43), "{finding:#?}");
}

#[test]
fn what_a_whole_look_did_not_meet_is_of_no_tensor() {
    // A look that went to its end found most of it nowhere.
    let finding = carries_on("__main__.watcher.state", "Tensor", false);
    assert_eq!(finding.holder, None, "{finding:#?}");
    // A list is no graph: what else it holds, a look would have come to.
    let finding = carries_on("__main__.seen[*]", "list", true);
    assert_eq!(finding.holder, None, "{finding:#?}");
}

#[test]
fn tensors_that_no_look_met_may_be_in_a_graph_whichever_operation_made_them() {
    let finding = carries_on("", "", true);
    assert_eq!(finding.cause, "graphs-kept", "{finding:#?}");
    assert!(finding.sentence.contains("no look met their holder"), "{}", finding.sentence);
}
