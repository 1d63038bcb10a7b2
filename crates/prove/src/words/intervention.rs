//! The words of interventions in a sentence, and what is wrong with a name on the command line.

/// What a program is with an intervention; `{}` stands for its subject.
pub(crate) const WORDS: [(&str, &str); 20] = [
    ("callback", "without callback:{}"),
    ("callbacks", "without callbacks"),
    ("validation", "without validation"),
    ("repeated-batch", "with one batch repeated"),
    ("plain-pipeline", "without cache, shuffle, prefetch"),
    ("workers-0", "without workers"),
    ("cpu-only", "on the CPU only"),
    ("eager", "eager instead of graph"),
    ("graph", "graph instead of eager"),
    ("tensor-scalars", "with numbers as tensors"),
    ("relaxed-shapes", "with one trace for all shapes"),
    ("fixed-shape", "with the first shape in all calls"),
    ("clear-session", "with clear_session between models"),
    ("purge-graphs", "with TensorFlow's caches purged"),
    ("gc", "with a collection each cycle"),
    ("malloc-trim", "with free memory given back"),
    ("one-arena", "with one malloc arena"),
    ("no-onednn", "without oneDNN"),
    ("jemalloc", "with jemalloc"),
    ("bounded", "with {} bounded"),
];

/// The program with this intervention.
pub(crate) fn with(name: &str, subject: &str) -> String {
    let words = WORDS.iter().find(|(known, _)| *known == name).map_or("with {}", |(_, words)| words);
    words.replace("{}", subject)
}

/// It needs a subject, and none was given.
pub(crate) fn no_subject(name: &str) -> String {
    format!("{name} needs a name behind it, as in {name}:NAME")
}

/// It has none, and one was given.
pub(crate) fn a_subject(name: &str) -> String {
    format!("{name} takes no name: leave out the colon and what follows")
}

/// Nobody knows it; `names` are known.
pub(crate) fn unknown(name: &str, names: &[&str]) -> String {
    format!("there is no intervention {name}; there are {}", names.join(", "))
}
