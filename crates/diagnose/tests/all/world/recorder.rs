//! What a recorder would say in a world: memory is made at stacks, sampled by chance, and given back.

use std::collections::HashMap;

use nilometer_capture::{
    Birth, CensusCounts, Grown, Holder, Observation, Record, Sampling, Source, StackFrame,
};
use nilometer_diagnose::{Lookup, Name, Object, Part};

use super::{Noise, World};

/// Memory that was made together: what was sampled of it, and all of it in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub(crate) ids: Vec<u64>,
    pub(crate) bytes: i64,
}

pub(crate) struct Recorder {
    pub(crate) mean: u64,
    next_id: u64,
    next_node: u64,
    next_text: u64,
    dice: Noise,
    texts: HashMap<String, u64>,
    /// Native functions by address; each has its own.
    natives: Vec<String>,
    /// Paths that the census told.
    paths: Vec<String>,
    /// A scan is under way.
    scans: bool,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            mean: 64 * 1024,
            next_id: 1,
            next_node: 1,
            next_text: 1,
            dice: Noise(0x9E37_79B9_7F4A_7C15),
            texts: HashMap::new(),
            natives: Vec::new(),
            paths: Vec::new(),
            scans: false,
        }
    }
}

const LIBRARY: u64 = 0x7f00_0000_0000;
/// Behind it lie a library of the user's, with functions called `user::...`, and `PyTorch`'s, with `at::...` and `c10::...`,
/// and JAX's, with `xla::...`.
const SIZE: u64 = 1 << 30;

impl World {
    fn sampling(&mut self, sampling: Sampling<'static>) {
        self.say(&Record::Sampling(sampling));
    }

    /// The recorder begins (again, if the program replaced itself).
    pub(crate) fn records(&mut self, mean: u64, seed: u64) -> &mut Self {
        let natives = std::mem::take(&mut self.recorder.natives);
        self.recorder = Recorder { mean, dice: Noise(seed * 7919 + 1), natives, ..Recorder::default() };
        self.sampling(Sampling::Start { sample: mean });
        let path = "/v/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2".into();
        self.sampling(Sampling::Module { start: LIBRARY, end: LIBRARY + SIZE, bias: LIBRARY, path });
        let (start, path) = (LIBRARY + SIZE, "/job/libpool.so".into());
        self.sampling(Sampling::Module { start, end: start + SIZE, bias: start, path });
        let path = "/v/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so".into();
        let start = LIBRARY + 2 * SIZE;
        self.sampling(Sampling::Module { start, end: start + SIZE, bias: start, path });
        let path = "/v/lib/python3.11/site-packages/torch/lib/libc10.so".into();
        let start = LIBRARY + 3 * SIZE;
        self.sampling(Sampling::Module { start, end: start + SIZE, bias: start, path });
        let path = "/v/lib/python3.11/site-packages/jaxlib/libjax_common.so".into();
        let start = LIBRARY + 4 * SIZE;
        self.sampling(Sampling::Module { start, end: start + SIZE, bias: start, path });
        self
    }

    fn text(&mut self, text: &str) -> u64 {
        if let Some(id) = self.recorder.texts.get(text) {
            return *id;
        }
        let id = self.recorder.next_text;
        self.recorder.next_text += 1;
        self.recorder.texts.insert(text.to_owned(), id);
        self.sampling(Sampling::Text { id, text: text.to_owned().into() });
        id
    }

    /// A stack, the outermost frame first: `/job/train.py:30 on_epoch_end`, or `tensorflow::Kernel` for machine code.
    pub(crate) fn stack(&mut self, frames: &[&str]) -> u64 {
        let mut out = Vec::new();
        for frame in frames {
            if let Some((place, function)) = frame.rsplit_once(' ') {
                let (file, line) = place.rsplit_once(':').unwrap();
                let (file, function) = (self.text(file), self.text(function));
                let id = file * 1000 + function;
                self.sampling(Sampling::Code { id, file, function, first_line: 1 });
                out.push(StackFrame::Python { code: id, line: line.parse().unwrap() });
            } else {
                let known = self.recorder.natives.iter().position(|n| n == frame);
                let at = known.unwrap_or_else(|| {
                    self.recorder.natives.push((*frame).to_owned());
                    self.recorder.natives.len() - 1
                });
                let library = match frame.split("::").next() {
                    Some("user") => LIBRARY + SIZE,
                    Some("at") => LIBRARY + 2 * SIZE,
                    Some("c10") => LIBRARY + 3 * SIZE,
                    Some("xla") => LIBRARY + 4 * SIZE,
                    _ => LIBRARY,
                };
                out.push(StackFrame::Native { address: library + 16 * (at as u64 + 1) });
            }
        }
        let first = self.recorder.next_node;
        self.recorder.next_node += out.len() as u64;
        self.sampling(Sampling::Stack { first, parent: 0, frames: out.into() });
        self.recorder.next_node - 1
    }

    /// So many blocks of one size are made.
    pub(crate) fn makes(&mut self, stack: u64, size: u64, blocks: u64) -> Made {
        let mean = self.recorder.mean;
        let chance = -(-(size as f64) / mean as f64).exp_m1();
        let mut made = Made { ids: Vec::new(), bytes: (size * blocks).cast_signed() };
        let mut at = self.gap(chance);
        while at <= blocks {
            let id = self.recorder.next_id;
            self.recorder.next_id += 1;
            let address = 0x10_0000 + id * 64;
            let birth = Birth { id, stack, size, mean, address, thread: 1, source: Source::Malloc };
            self.sampling(Sampling::Birth(birth));
            made.ids.push(id);
            at += self.gap(chance);
        }
        self.takes(made.bytes);
        made
    }

    fn gap(&mut self, chance: f64) -> u64 {
        if chance >= 1.0 {
            return 1;
        }
        1 + (self.recorder.dice.share().max(1e-300).ln() / (-chance).ln_1p()) as u64
    }

    /// Memory is given back.
    pub(crate) fn gives_back(&mut self, made: Made) -> &mut Self {
        for id in made.ids {
            self.sampling(Sampling::Death { id });
        }
        self.takes(-made.bytes)
    }

    /// New memory takes the place of what was kept there.
    pub(crate) fn renews(&mut self, kept: &mut Made, stack: u64, size: u64) {
        let new = self.makes(stack, size, 1);
        self.gives_back(std::mem::replace(kept, new));
    }

    /// The census goes over the whole heap and sees these pieces of memory below these paths, with their owners.
    pub(crate) fn looks(&mut self, seen: &[(&str, &str, &[&Made])]) -> &mut Self {
        for (path, owner, made) in seen {
            let id = 1 + self.recorder.paths.iter().position(|p| p == path).unwrap_or_else(|| {
                self.recorder.paths.push((*path).to_owned());
                self.recorder.paths.len() - 1
            }) as u64;
            self.say(&Record::Observation(Observation::Holder(Holder {
                id,
                path: (*path).to_owned(),
                owner: (*owner).to_owned(),
                kind: "list".to_owned(),
                elements: "3 x ndarray".to_owned(),
                file: "/job/train.py".to_owned(),
                ..Holder::default()
            })));
            let samples = made.iter().flat_map(|m| m.ids.iter().copied()).collect();
            self.say(&Record::Observation(Observation::Held { holder: id, samples }));
        }
        let counts = CensusCounts { depth: Some(2), ..CensusCounts::default() };
        self.say(&Record::Observation(Observation::Census(counts)))
    }

    /// A look over the whole heap ends, cut short or not, after it saw these samples in garbage.
    pub(crate) fn looked(&mut self, cut: bool, garbage: &[&Made]) -> &mut Self {
        let (id, kind) = (4000, "garbage".to_owned());
        self.say(&Record::Observation(Observation::Holder(Holder { id, kind, ..Holder::default() })));
        let samples = garbage.iter().flat_map(|m| m.ids.iter().copied()).collect();
        self.say(&Record::Observation(Observation::Held { holder: id, samples }));
        let counts = CensusCounts { depth: Some(2), cut: Some(u64::from(cut)), ..CensusCounts::default() };
        self.say(&Record::Observation(Observation::Census(counts)))
    }

    /// A complete look over the whole heap saw so much cyclic garbage.
    pub(crate) fn looks_at_garbage(&mut self, objects: u64, bytes: i64) -> &mut Self {
        let counts = CensusCounts {
            depth: Some(2),
            cut: Some(0),
            garbage_objects: Some(objects),
            garbage_bytes: Some(bytes as u64),
            native_bytes: Some(2_200_000),
            ..CensusCounts::default()
        };
        self.say(&Record::Observation(Observation::Census(counts)))
    }

    /// A look among young objects that tells so many objects of garbage behind the mark of this moment, their bytes, and how much of these is
    /// young.
    pub(crate) fn looks_at_waiting(
        &mut self,
        behind_ns: u64,
        objects: i64,
        bytes: i64,
        young: i64,
    ) -> &mut Self {
        let counts = CensusCounts {
            depth: Some(3),
            garbage_objects: Some(objects as u64),
            garbage_bytes: Some(bytes as u64),
            behind_ns: Some(behind_ns),
            young_bytes: Some(young as u64),
            ..CensusCounts::default()
        };
        self.say(&Record::Observation(Observation::Census(counts)))
    }

    /// A scan tells that a container grew to this length, with bytes for what is new.
    pub(crate) fn scans(
        &mut self,
        path: &str,
        cycle: u64,
        length: u64,
        bytes: u64,
        native: bool,
    ) -> &mut Self {
        let known = self.recorder.paths.iter().position(|p| p == path);
        let id = 1 + known.unwrap_or_else(|| {
            self.recorder.paths.push(path.to_owned());
            self.recorder.paths.len() - 1
        }) as u64;
        let (path, kind, file) = (path.to_owned(), "list".to_owned(), "/job/train.py".to_owned());
        self.scans_holder(Holder { id, path, kind, file, ..Holder::default() }, cycle, length, bytes, native)
    }

    /// The same for a holder of which more is known; its id is the caller's.
    pub(crate) fn scans_holder(
        &mut self,
        holder: Holder,
        cycle: u64,
        length: u64,
        bytes: u64,
        native: bool,
    ) -> &mut Self {
        self.scans_grown(holder, Grown { cycle, length, bytes, new: 1, native, ..Grown::default() })
    }

    /// A scan sees this.
    pub(crate) fn scans_grown(&mut self, holder: Holder, grown: Grown) -> &mut Self {
        let grown = Grown { holder: holder.id, ..grown };
        self.say(&Record::Observation(Observation::Holder(holder)));
        self.recorder.scans = true;
        self.say(&Record::Observation(Observation::Grown(grown)))
    }

    /// A scan sees nothing that grows.
    pub(crate) fn scans_nothing(&mut self) -> &mut Self {
        self.recorder.scans = true;
        self
    }

    /// The scan is over, if there was one.
    pub(crate) fn scan_ends(&mut self) -> &mut Self {
        if std::mem::take(&mut self.recorder.scans) {
            let counts = CensusCounts { depth: Some(1), ..CensusCounts::default() };
            self.say(&Record::Observation(Observation::Census(counts)));
        }
        self
    }

    /// Memory is made and given back at once.
    pub(crate) fn uses(&mut self, stack: u64, size: u64, blocks: u64) -> &mut Self {
        let made = self.makes(stack, size, blocks);
        self.gives_back(made)
    }
}

/// Names and sources as the world's files would give them.
pub(crate) struct Files(Vec<String>);

impl Recorder {
    pub(crate) fn files(&self) -> Files {
        Files(self.natives.clone())
    }
}

impl Lookup for Files {
    fn packs(&self) -> nilometer_diagnose::pack::Packs {
        nilometer_frameworks::DIAGNOSE
    }

    fn names(&mut self, _objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
        let name = |address: &u64| {
            let full = self
                .0
                .get(usize::try_from(address.checked_sub(LIBRARY)? % SIZE / 16).ok()?.checked_sub(1)?)?
                .clone();
            let short = full.rsplit("::").next().unwrap_or(&full).to_owned();
            Some((*address, Name { plumbing: full.starts_with("std::"), full, short }))
        };
        addresses.iter().filter_map(name).collect()
    }

    fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        let known = [
            ("KernelCache", "TensorFlow's eager kernel cache"),
            ("create_primitive_common", "oneDNN primitive"),
            ("PyDataMem_UserNEW", "NumPy array"),
            ("HloDataflowAnalysis", "XLA compilation"),
            ("DenseUpdateOp", "op assignment to a variable (kernel)"),
        ];
        let (_, words) = known.iter().find(|(part, _)| frames.iter().any(|(name, _)| name.contains(part)))?;
        Some(Part { words: (*words).to_owned(), op: None })
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        if file == "/job/train.py" && line == 45 {
            return Some("    self.blocks.append(predict())".to_owned());
        }
        (file == "/job/train.py").then(|| format!("    made = predict()  # line {line}"))
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        let line = |at| match at {
            40 => "self.saved[epoch] = out".to_owned(),
            41 => "self.frame = pd.concat([self.frame, rows])".to_owned(),
            66 => "    model.hid.register_forward_hook(capture)".to_owned(),
            70 => "def next_key(self):".to_owned(),
            71 => "    self.key, sub = split(self.key)".to_owned(),
            72 => "    self.trail.append(sub)".to_owned(),
            _ => format!("pass  # {at}"),
        };
        if file == "/job/train.py" { (1..=80).map(line).collect() } else { Vec::new() }
    }
}
