//! Causes that the holder tells: whose it is, what it is, what it holds.

use crate::world::{KIB, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Holder;
use nilometer_diagnose::{Finding, Verdict};

/// Who holds it: path, owner, role, kind, elements.
type Who = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// The finding for fifteen epochs in which this holder keeps 300 KiB each.
fn told(who: Who) -> Finding {
    let (path, owner, role, kind, elements) = who;
    let mut w = started();
    w.fact("cwd", "/job").fact("argv", r#"["train.py"]"#);
    for epoch in 1..=15 {
        w.takes(300 * KIB).objects(100).cycle(Epoch);
        if epoch >= 7 {
            let holder = Holder {
                id: 1,
                path: path.to_owned(),
                owner: owner.to_owned(),
                role: role.to_owned(),
                kind: kind.to_owned(),
                elements: elements.to_owned(),
                file: "/job/train.py".to_owned(),
                ..Holder::default()
            };
            w.scans_holder(holder, epoch, epoch, 300 << 10, false);
        }
    }
    w.ends(0);
    let mut report = w.report_with_names();
    assert_eq!((report.verdict, report.findings.len()), (Verdict::Leak, 1), "{:#?}", report.findings);
    report.findings.remove(0)
}

#[test]
fn an_array_that_shares_its_memory_with_a_tensor_is_the_array() {
    let who =
        ("run(): self.rows[*].base.obj", "Telemetry", "thread", "list", "5 x ndarray (200, 64) float32");
    let finding = told(who);
    assert_eq!(
        (finding.cause.as_str(), finding.holder.unwrap().path),
        ("object-keeps", "run(): self.rows[*]".into())
    );
    assert_eq!(finding.sentence, "Telemetry.rows keeps arrays of every epoch");
}

#[test]
fn slices_that_a_callback_keeps_are_proven_by_leaving_it_out() {
    let finding =
        told(("fit(): callbacks[0].rows[*].base", "Keep", "callback", "list", "9 x ndarray (9,) int64"));
    assert_eq!(
        finding.sentence,
        "Keep.rows keeps slices, and each slice keeps the whole array it was cut from"
    );
    assert!(finding.prove.as_ref().unwrap().contains("--try callback:Keep "), "{finding:#?}");
}

#[test]
fn slices_that_only_a_scan_saw_keep_their_arrays_too() {
    let of = |elements| told(("fit(): callbacks[0].rows[*]", "Keep", "callback", "list", elements)).cause;
    assert_eq!(of("50 x slice (400,) of ndarray (2000, 400) float32"), "view-keeps-array");
    let two = "40 x slice (400,) of ndarray (2000, 400) float32, 9 x slice (4,) of ndarray (9, 9) int8";
    assert_eq!(of(two), "view-keeps-array");
    let some = "40 x slice (400,) of ndarray (2000, 400) float32, 9 x ndarray (9, 9) int8";
    assert_eq!(
        (of(some), of("50 x ndarray (400,) float32")),
        ("callback-keeps".into(), "callback-keeps".into())
    );
}

#[test]
fn slices_of_tensors_are_to_be_cloned() {
    let of = |elements| told(("main(): figure.rows[*]", "Figure", "", "list", elements));
    let finding = of("30 x slice (4, 300) of Tensor (240000,) float32");
    assert_eq!(finding.cause, "view-keeps-array", "{finding:#?}");
    assert_eq!(
        finding.sentence,
        "Figure.rows keeps slices, and each slice keeps the whole tensor it was cut from"
    );
    assert!(finding.change.as_ref().unwrap().contains("add `.clone()` to the slice"), "{finding:#?}");
    assert_eq!(of("30 x Tensor (4, 300) float32").cause, "object-keeps");
}

#[test]
fn one_array_that_is_made_anew_and_longer_each_time() {
    let finding = told(("main(): noise", "main", "", "ndarray", "ndarray (54500, 12) float64"));
    assert_eq!(finding.cause, "array-grows");
    assert_eq!(finding.sentence, "noise is one ndarray that is longer with every epoch");
}

#[test]
fn a_text_to_which_more_is_added() {
    let finding = told(("fit(): callbacks[0].text", "Report", "callback", "str", "str"));
    assert_eq!(finding.cause, "array-grows", "{finding:#?}");
    assert_eq!(finding.sentence, "callbacks[0].text is one text that is longer with every epoch");
    assert!(finding.change.as_ref().unwrap().contains("file.write"), "{finding:#?}");
}

#[test]
fn a_buffer_to_which_more_is_added() {
    for (kind, words, change) in [
        ("bytearray", "one bytearray", "del callbacks[0].log[:-10_000]"),
        ("array.array", "one array", "del callbacks[0].log[:-10_000]"),
        ("_io.StringIO", "one file in memory (StringIO)", "callbacks[0].log.truncate()"),
        ("_io.BytesIO", "one file in memory (BytesIO)", "callbacks[0].log.truncate()"),
    ] {
        let finding = told(("fit(): callbacks[0].log", "Report", "callback", kind, kind));
        assert_eq!(finding.cause, "array-grows", "{finding:#?}");
        assert_eq!(finding.sentence, format!("callbacks[0].log is {words} that is longer with every epoch"));
        assert!(finding.change.as_ref().unwrap().contains(change), "{finding:#?}");
    }
}

#[test]
fn a_table_that_is_joined_with_the_next() {
    let finding = told(("fit(): callbacks[0].frame", "Latents", "callback", "DataFrame", "DataFrame"));
    assert_eq!(finding.cause, "array-grows", "{finding:#?}");
    assert!(finding.sentence.ends_with("a table that is joined with the next"), "{}", finding.sentence);
    assert!(finding.change.as_ref().unwrap().contains("to_csv"), "{finding:#?}");
    assert_eq!(finding.sites.first().map(|s| (s.role, s.line)), Some(("kept_at", 41)));
}

#[test]
fn objects_in_the_cells_of_a_table() {
    let finding = told(("__main__.table._mgr.<tuple>[2].<ndarray>[*][*]", "", "", "list", ""));
    assert_eq!(finding.cause, "array-grows", "{finding:#?}");
    assert_eq!(finding.sentence, "table is one table that is longer with every epoch");
    assert!(finding.change.as_ref().unwrap().contains("table = table[-1000:]"), "{finding:#?}");
    let holder = finding.holder.unwrap();
    assert_eq!((holder.path.as_str(), holder.kind.as_str()), ("__main__.table", "DataFrame"));
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn the_owner_decides() {
    let cases: [(Who, &str, &str); 31] = [
        (
            ("__main__.monitor.seen[*]", "Monitor", "callback", "list", "1 x ndarray"),
            "callback-keeps",
            "Monitor.seen",
        ),
        (("__main__.monitor.seen[*]", "Monitor", "", "list", "1 x ndarray"), "object-keeps", "Monitor.seen"),
        (("main(): batches.ready[*]", "Batches", "dataset", "dict", ""), "dataset-keeps", "Batches.ready"),
        (("__main__.server.jobs[*].mask", "Job", "", "list", ""), "object-keeps", "server.jobs"),
        (
            ("run(): keeper._heap[*][2][2]", "KeepBest", "callback", "list", "1 x tuple (float, int, list)"),
            "callback-keeps",
            "KeepBest._heap keeps",
        ),
        (
            ("main(): rollout.infos[*]['frame']", "Rollout", "", "list", "39 x dict"),
            "object-keeps",
            "Rollout.infos keeps dictionaries (['frame'] of each element) of every epoch",
        ),
        (
            ("main(): run._events[*]", "Run", "", "list", "4 x Event"),
            "object-keeps",
            "Run._events keeps Event objects of every epoch",
        ),
        (
            (
                "keras.src.saving.object_registration.GLOBAL_CUSTOM_NAMES[*].call.<closure table>",
                "call",
                "",
                "dict",
                "",
            ),
            "classes-registered",
            "a new class or function with Keras",
        ),
        (
            ("__main__.api.background[*].<ndarray>", "Api", "", "set", "55 x Task"),
            "futures-kept",
            "api.background keeps the tasks",
        ),
        (
            ("main(): tok._cache[*]", "Tokenizer", "", "OrderedDict", "900 x list"),
            "object-keeps",
            "Tokenizer._cache keeps lists of every epoch",
        ),
        (
            ("fit(): self.callbacks[*]", "Trainer", "", "list", "1 x Recorder"),
            "callbacks-added-again",
            "self.callbacks gets one more Recorder",
        ),
        (
            ("look.<default maps>[*]", "look", "", "list", "1 x ndarray"),
            "default-argument-grows",
            "the default value of `maps` in look() is one list for all calls",
        ),
        (
            ("Log.add.<default rows>['loss'][*]", "Log.add", "", "list", ""),
            "default-argument-grows",
            "the default value of `rows` in Log.add()",
        ),
        (("run.<default log>.rows[*]", "Log", "", "list", ""), "object-keeps", "Log.rows"),
        (
            ("main(): held[*].losses", "Recorder", "callback", "list", ""),
            "callbacks-added-again",
            "held gets one more",
        ),
        (
            ("crops(): seen[*]", "crops", "generator", "list", "1 x ndarray"),
            "generator-keeps",
            "variable seen",
        ),
        (("on_end(): kept[*]", "on_end", "closure", "list", "1 x list"), "closure-keeps", "variable kept"),
        (
            ("__main__.board[*]", "", "", "list", "1 x tuple (int, History)"),
            "models-kept",
            "each History keeps its model",
        ),
        (("__main__.q.queue[*]", "Queue", "", "deque", "3 x tuple"), "queue-backlog", "q is filled faster"),
        (("main(): first[*].base", "", "", "list", ""), "view-keeps-array", "first"),
        (
            (
                "fit(): callbacks[0].best[*]['row'].base",
                "Monitor",
                "callback",
                "list",
                "5 x dict (ndarray, int)",
            ),
            "view-keeps-array",
            "Monitor.best keeps slices",
        ),
        (
            ("logging.root.handlers[*].buffer", "BufferingHandler", "", "list", ""),
            "logging-handlers",
            "one more handler",
        ),
        (
            ("__main__.server.jobs[*].image", "Job", "thread", "list", ""),
            "threads-kept",
            "server.jobs keeps the threads",
        ),
        (("main(): running[*]", "", "", "list", "4 x Thread"), "threads-kept", "running keeps the threads"),
        (("__main__.asked[*]._result", "Future", "", "list", ""), "futures-kept", "asked keeps the futures"),
        (
            ("main(): sweep.writers[*]", "Sweep", "", "dict", "10 x _ResourceSummaryWriter"),
            "writers-kept-open",
            "sweep.writers",
        ),
        (
            ("main(): agent.memory[*]", "Agent", "", "deque", "99 x tuple (ndarray, int, float, ndarray)"),
            "replay-unbounded",
            "it has no bound",
        ),
        (
            ("fit(): x._graph_attr._py_funcs_used_in_graph[*]", "Graph", "", "list", "3 x function"),
            "tf-keeps-py-functions",
            "TensorFlow keeps each Python function",
        ),
        (("__main__.rounds[*]._input_dataset._tensors[0]", "", "", "list", ""), "datasets-kept", "rounds"),
        (
            ("main(): memory.buffer[*]", "MemoryHandler", "", "list", "9 x LogRecord"),
            "logging-handlers",
            "every record",
        ),
        (
            ("__main__.mix.opened[*][0]._order.<iterator>[*]", "", "", "list", ""),
            "elements-keep",
            "of mix.opened keep more",
        ),
    ];
    for (who, cause, words) in cases {
        let finding = told(who);
        assert_eq!(finding.cause, cause, "{finding:#?}");
        assert!(finding.sentence.contains(words), "{}", finding.sentence);
        assert!(finding.change.is_some());
    }
}

#[test]
fn what_is_alike_at_first_sight_is_not_told_so() {
    // One function that TensorFlow keeps leads to a container that grows by itself.
    let through = "tf._py_funcs_used_in_graph[0].__self__.py_dataset.scaled[*]";
    assert_eq!(told((through, "Windows", "dataset", "dict", "9 x ndarray")).cause, "dataset-keeps");
    // Nothing hangs below the elements, or a running function leads to them.
    assert_ne!(told(("__main__.mix.opened[*]", "", "", "list", "")).cause, "elements-keep");
    assert_eq!(told(("main(): opened[*][0]._order[*]", "", "", "list", "")).cause, "loop-keeps");
    // Losses and metrics are called errors, and are none.
    assert_eq!(told(("main(): tried[*]", "main", "", "list", "3 x MeanSquaredError")).cause, "loop-keeps");
    assert_eq!(told(("main(): failed[*]", "main", "", "list", "3 x ValueError")).cause, "exceptions-kept");
    // Objects of a library's, kept by a callback.
    let kept = ("fit(): callbacks[0].steps[*].image", "Keep", "callback", "list", "4 x SimpleNamespace");
    assert_ne!(told(kept).cause, "callbacks-added-again");
    // A deque that is no queue's, a buffer of something else, a callback's own list.
    assert_ne!(told(("__main__.queue[*]", "", "", "deque", "")).cause, "queue-backlog");
    assert_ne!(
        told(("main(): replay.buffer[*]", "Replay", "", "list", "9 x tuple")).cause,
        "logging-handlers"
    );
    assert_ne!(
        told(("main(): monitor.callbacks[*]", "Monitor", "callback", "list", "")).cause,
        "callbacks-added-again"
    );
    // A bus of events has handlers, too.
    let subscribed = ("__main__.bus.handlers['tick'][*]", "Bus", "", "list", "9 x method");
    assert_ne!(told(subscribed).cause, "logging-handlers");
    let logger = ("main(): log.handlers[*]", "Logger", "", "list", "9 x StreamHandler");
    assert_eq!(told(logger).cause, "logging-handlers");
    // Threads in a thread's own list, tuples without a state after, writers of another kind, a closure's list.
    assert_ne!(told(("main(): job.seen[*]", "Job", "thread", "list", "")).cause, "threads-kept");
    let pairs = "9 x tuple (ndarray, int)";
    assert_ne!(told(("main(): agent.memory[*]", "Agent", "", "deque", pairs)).cause, "replay-unbounded");
    assert_ne!(
        told(("main(): books[*]", "Shelf", "", "list", "3 x ScreenWriterNote")).cause,
        "writers-kept-open"
    );
    assert_eq!(told(("read(): rows", "read", "closure", "list", "")).cause, "closure-keeps");
}

#[test]
fn tensors_with_their_graphs_are_told_as_such() {
    let list = |elements| told(("__main__.history['val'][*]", "", "", "list", elements));
    let finding = list("1 x Tensor () float32 with grad_fn");
    assert_eq!(finding.cause, "graphs-kept", "{finding:#?}");
    assert_eq!(finding.sentence, "history keeps tensors of every epoch, with their autograd graphs");
    assert!(finding.change.as_ref().unwrap().contains("`.item()`"), "{finding:#?}");
    let finding = list("2 x tuple (Tensor with grad_fn, Tensor)");
    assert_eq!(finding.cause, "graphs-kept", "{finding:#?}");
    assert!(finding.change.as_ref().unwrap().contains("`.detach()`"), "{finding:#?}");
    assert_eq!(list("1 x Tensor () float32").cause, "global-grows", "a number without a history");
}

#[test]
fn hooks_that_are_registered_again_are_to_be_removed() {
    let hooks = |path| told((path, "MLP", "model", "OrderedDict", "1 x function"));
    let finding = hooks("__main__.model._modules['hid']._forward_hooks[*]");
    assert_eq!(finding.cause, "hooks-registered", "{finding:#?}");
    let change = finding.change.as_ref().unwrap();
    assert!(change.contains("`model.hid.register_forward_hook(capture)`"), "{change}");
    assert!(change.contains("`handle.remove()`"), "{change}");
    assert_eq!(finding.sites.first().map(|site| (site.role, site.line)), Some(("kept_at", 66)));
    assert_eq!(hooks("__main__.model.my_hooks[*]").cause, "object-keeps");
}

#[test]
fn a_replay_memory_is_told_by_its_elements_and_its_words() {
    const STEPS: &str = "900 x tuple (ndarray, int, float, ndarray)";
    let cause = |path, elements| told((path, "Agent", "", "list", elements)).cause;
    assert_eq!(cause("__main__.agent.memory[*]", STEPS), "replay-unbounded");
    // Hard samples with their errors are no steps of an agent.
    let samples = "4 x tuple (int, ndarray, ndarray)";
    assert_eq!(told(("__main__.hard.collected[*]", "Hard", "", "list", samples)).cause, "object-keeps");
    assert_eq!(told(("__main__.hard.collected[*]", "Hard", "", "list", STEPS)).cause, "object-keeps");
}

#[test]
fn of_a_table_of_numbers_the_entries_are_told() {
    let sentence = |kind| told(("__main__.vocab.ids[*]", "Vocabulary", "", kind, "3,500 x int")).sentence;
    assert_eq!(sentence("dict"), "Vocabulary.ids keeps entries of every epoch");
    assert_eq!(sentence("list"), "Vocabulary.ids keeps numbers of every epoch");
}
