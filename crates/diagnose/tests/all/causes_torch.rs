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

/// Epochs whose graph one look meets in part, below a tensor if `held`; its nodes are made by another line, or so much by one of the
/// user's libraries.
fn nodes_beside(held: bool, node: &[&str]) -> Vec<Finding> {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 1);
    let tensors = w.stack(&[LINE, "at::softmax", "c10::alloc_cpu"]);
    let nodes = w.stack(node);
    let mut made = Vec::new();
    for epoch in 1..=15 {
        made.push(w.makes(tensors, 8 << 10, 40));
        w.makes(nodes, 8 << 10, 40);
        w.objects(100).cycle(Epoch);
        if epoch > 6 {
            if held {
                sees(&mut w, "__main__.meter.total", "Tensor", &made);
            }
            w.looked(true, &[]);
        }
    }
    w.ends(0);
    w.report_with_names().findings
}

#[test]
fn nodes_of_a_graph_are_told_with_it_whichever_line_makes_them() {
    let node = ["/job/train.py:42 main", "at::linear", "at::VariableType::addmm"];
    for held in [true, false] {
        let findings = nodes_beside(held, &node);
        let [finding] = findings.as_slice() else { panic!("{findings:#?}") };
        assert_eq!(finding.cause, "graphs-kept");
        assert_eq!(finding.holder.is_some(), held, "{finding:#?}");
        let lines: Vec<u32> = finding.sites.iter().map(|site| site.line).collect();
        assert!(lines.contains(&42) && lines.contains(&43), "{lines:?}");
    }
}

#[test]
fn memory_that_is_not_of_torch_is_no_part_of_its_graph() {
    for held in [true, false] {
        let findings = nodes_beside(held, &["/job/train.py:42 main", "user::loses"]);
        assert_eq!(findings.len(), 2, "{findings:#?}");
    }
}

/// Fifteen epochs that each make and keep modules, and by another line what nobody was seen to hold.
fn modules_beside(elements: &str, other: &[&str]) -> Vec<Finding> {
    let mut w = started();
    w.fact("cwd", "/job").records(16 << 10, 1);
    let linear = "/v/lib/python3.11/site-packages/torch/nn/modules/linear.py:100 Linear.__init__";
    let weights = w.stack(&["/job/train.py:17 begin", linear, "at::empty", "c10::alloc_cpu"]);
    let others = w.stack(other);
    for epoch in 1..=15 {
        let made = [w.makes(weights, 8 << 10, 60)];
        w.makes(others, 8 << 10, 60);
        w.objects(100).cycle(Epoch);
        if epoch > 6 {
            let holder = Holder {
                id: 1,
                path: "__main__.heads[*]".to_owned(),
                kind: "list".to_owned(),
                elements: elements.to_owned(),
                file: "/job/train.py".to_owned(),
                ..Holder::default()
            };
            w.say(&Record::Observation(Observation::Holder(holder)));
            let samples = made.iter().flat_map(|one| one.ids.iter().copied()).collect();
            w.say(&Record::Observation(Observation::Held { holder: 1, samples }));
            w.looked(true, &[]);
        }
    }
    w.ends(0);
    w.report_with_names().findings
}

#[test]
fn gradients_are_of_the_modules_that_are_kept_and_of_no_graph() {
    let engine = "/v/lib/python3.11/site-packages/torch/autograd/graph.py:800 _engine_run_backward";
    let backward = ["/job/train.py:38 learn", engine, "at::accumulate", "c10::alloc_cpu"];
    let findings = modules_beside("6 x Sequential", &backward);
    let [finding] = findings.as_slice() else { panic!("{findings:#?}") };
    assert_eq!(finding.cause, "models-kept");
    assert_eq!(finding.sentence, "heads keeps every module that was made, with its gradients");
    let lines: Vec<u32> = finding.sites.iter().map(|site| site.line).collect();
    assert!(lines.contains(&17) && lines.contains(&38), "{lines:?}");

    let built = "/v/lib/python3.11/site-packages/torch/nn/modules/linear.py:100 Linear.__init__";
    let findings =
        modules_beside("6 x Sequential", &["/job/train.py:39 begin", built, "at::empty", "c10::alloc_cpu"]);
    assert_eq!(findings.len(), 1, "parameters that no look met: {findings:#?}");

    let findings = modules_beside("6 x Head", &backward);
    assert!(findings.iter().all(|f| f.cause != "graphs-kept"), "{findings:#?}");
    let loses = ["/job/train.py:38 learn", "user::loses"];
    assert_eq!(modules_beside("6 x Sequential", &loses).len(), 2, "no gradients");
}

#[test]
fn the_state_of_an_optimizer_is_no_graph() {
    let cause = |file: &str| {
        let mut w = started();
        w.fact("cwd", "/job").records(16 << 10, 1);
        let step = format!("/v/lib/python3.11/site-packages/torch/{file}:405 LBFGS.step");
        let stack = w.stack(&[LINE, &step, "at::mul", "c10::alloc_cpu"]);
        for _ in 1..=15 {
            w.makes(stack, 8 << 10, 40);
            w.objects(100).cycle(Epoch).looked(true, &[]);
        }
        w.ends(0);
        w.report_with_names().findings[0].cause.clone()
    };
    assert_eq!(cause("optim/lbfgs.py"), "growth-at-site");
    assert_eq!(cause("nn/modules/linear.py"), "graphs-kept");
}
