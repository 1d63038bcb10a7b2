//! A program that was run with the recorder, and what the capture says of it.
#![allow(
    dead_code,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "each test uses a part of it"
)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

pub mod pythons;

use nilometer_capture::{Birth, Capture, Record, Sampling, SamplingCount, StackFrame, Writer};

pub struct Recording {
    pub status: ExitStatus,
    pub output: String,
    pub bytes: u64,
    pub losses: Vec<String>,
    pub facts: BTreeMap<String, String>,
    pub births: Vec<Birth>,
    pub deaths: HashSet<u64>,
    pub counts: Vec<SamplingCount>,
    pub kinds: BTreeMap<&'static str, usize>,
    nodes: HashMap<u64, (u64, StackFrame)>,
    codes: HashMap<u64, (u64, u64)>,
    texts: HashMap<u64, String>,
    modules: Vec<(u64, u64, u64, String)>,
    folder: tempfile::TempDir,
}

/// The recorder's library: cargo puts it beside the tests and examples.
pub fn library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let name = "libnilometer_recorder.so";
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join("deps").join(name));
    let found = found.chain([own.with_file_name(name)]).find(|path| path.exists());
    found.expect("cargo builds the library before it runs this")
}

/// What a sample stands for.
pub fn weight(birth: &Birth) -> f64 {
    let size = birth.size as f64;
    size / (1.0 - (-size / birth.mean as f64).exp())
}

impl Recording {
    /// Runs the command with the recorder in front, from beginning to end.
    pub fn of(command: &mut Command, settings: &str) -> Self {
        Self::with_template(command, settings, "a.nilo")
    }

    /// The same, with another library loaded behind the recorder.
    pub fn behind(command: &mut Command, settings: &str, other: &Path) -> Self {
        Self::run(command, settings, "a.nilo", &format!("{}:{}", library().display(), other.display()))
    }

    /// The same, with `{pid}` in the template for the children's captures; the program's own is always `a.nilo`.
    pub fn with_template(command: &mut Command, settings: &str, template: &str) -> Self {
        Self::run(command, settings, template, &library().display().to_string())
    }

    /// Runs a command that loads the recorder itself: `RECORDER_LIBRARY` and `RECORDER_CAPTURE` tell it which.
    pub fn late(command: &mut Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nilo");
        let _writer = Writer::create(&path, false).unwrap();
        let output = command
            .env("RECORDER_LIBRARY", library())
            .env("RECORDER_CAPTURE", &path)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stderr(std::process::Stdio::inherit())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        Self::read(folder, &path, output.status, printed)
    }

    fn run(command: &mut Command, settings: &str, template: &str, preload: &str) -> Self {
        use std::os::unix::process::CommandExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nilo");
        let _writer = Writer::create(&path, false).unwrap();
        let (own, named) = (path.clone(), folder.path().join(template));
        if template.contains("{pid}") {
            let link = move || {
                let named = named.to_string_lossy().replace("{pid}", &std::process::id().to_string());
                std::fs::hard_link(&own, named)
            };
            #[expect(unsafe_code, reason = "as above")]
            // SAFETY: the child of a test with several threads; it makes one system call and its path.
            unsafe {
                command.pre_exec(link);
            }
        }
        let output = command
            .env("LD_PRELOAD", preload)
            .env("_NILOMETER_CAPTURE", folder.path().join(template))
            .env("_NILOMETER_RECORDER", settings)
            .stderr(std::process::Stdio::inherit())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        Self::read(folder, &path, output.status, printed)
    }

    /// The captures that lie in the folder by now, this one included, by name.
    pub fn all(&self) -> Vec<(String, Capture)> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().flatten();
        let mut all: Vec<_> = files
            .map(|file| {
                (file.file_name().to_string_lossy().into_owned(), Capture::open(&file.path()).unwrap())
            })
            .collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    fn read(folder: tempfile::TempDir, path: &Path, status: ExitStatus, output: String) -> Self {
        let capture = Capture::open(path).unwrap();
        let mut it = Self {
            status,
            output,
            bytes: std::fs::metadata(path).unwrap().len(),
            losses: capture.losses,
            facts: BTreeMap::new(),
            births: Vec::new(),
            deaths: HashSet::new(),
            counts: Vec::new(),
            kinds: BTreeMap::new(),
            nodes: HashMap::new(),
            codes: HashMap::new(),
            texts: HashMap::new(),
            modules: Vec::new(),
            folder,
        };
        for stamped in capture.records {
            it.take(stamped.record);
        }
        it
    }

    fn take(&mut self, record: Record) {
        let kind = match record {
            Record::Fact { key, value } => {
                self.facts.insert(key, value);
                "fact"
            }
            Record::Sampling(said) => self.take_sampling(said),
            _ => "other",
        };
        *self.kinds.entry(kind).or_default() += 1;
    }

    fn take_sampling(&mut self, said: Sampling<'static>) -> &'static str {
        match said {
            // Ids begin anew, and what was alive is gone.
            Sampling::Start { .. } => {
                (self.nodes, self.codes, self.texts) = Default::default();
                (self.births, self.deaths, self.modules) = Default::default();
                "start"
            }
            Sampling::Module { start, end, bias, path } => {
                self.modules.push((start, end, bias, path.into_owned()));
                "module"
            }
            Sampling::Text { id, text } => {
                assert!(self.texts.insert(id, text.into_owned()).is_none(), "a text twice");
                "text"
            }
            Sampling::Code { id, file, function, .. } => {
                assert!(self.codes.insert(id, (file, function)).is_none(), "a code twice");
                "code"
            }
            Sampling::Stack { first, parent, frames } => {
                let mut parent = parent;
                for (id, frame) in (first..).zip(frames.iter()) {
                    assert!(self.nodes.insert(id, (parent, *frame)).is_none(), "a node twice");
                    parent = id;
                }
                "stack"
            }
            Sampling::Birth(birth) => {
                self.births.push(birth);
                "birth"
            }
            Sampling::Death { id } => {
                assert!(self.deaths.insert(id), "two deaths of {id}");
                "death"
            }
            Sampling::Count(count) => {
                self.counts.push(*count);
                "count"
            }
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn live(&self) -> impl Iterator<Item = &Birth> {
        self.births.iter().filter(|birth| !self.deaths.contains(&birth.id))
    }

    /// Estimate of the live bytes whose stack has a frame that contains this text.
    pub fn live_at(&self, text: &str) -> f64 {
        let here = |birth: &&Birth| self.stack(birth.stack).iter().any(|frame| frame.contains(text));
        self.live().filter(here).map(weight).sum()
    }

    /// Frames in words, outermost first.
    pub fn stack(&self, node: u64) -> Vec<String> {
        let mut frames = Vec::new();
        let mut node = node;
        while node != 0 {
            let (parent, frame) =
                self.nodes.get(&node).expect("a node that is referred to is in the capture");
            frames.push(self.frame(*frame));
            node = *parent;
        }
        frames.reverse();
        frames
    }

    fn frame(&self, frame: StackFrame) -> String {
        match frame {
            StackFrame::Native { address } => {
                let module = self.modules.iter().find(|(start, end, ..)| (*start..*end).contains(&address));
                let name = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
                module.map_or_else(
                    || format!("{address:#x}"),
                    |(_, _, bias, path)| format!("{}+{:#x}", name(path), address - bias),
                )
            }
            StackFrame::Python { code, line } => {
                let (file, function) =
                    self.codes.get(&code).expect("code is written before it is referred to");
                let text = |id| self.texts.get(id).expect("texts are written before they are referred to");
                format!("{} {}:{line}", text(function), text(file))
            }
            StackFrame::Cut(why) => format!("cut: {why:?}"),
        }
    }
}
