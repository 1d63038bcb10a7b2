//! A path as people read it.
//!
//! In: the objects from a root to a target, and the name of each edge. Out: a [`Path`]. Mere wrappers are
//! folded away: cells, dicts behind attributes, the chain of a traceback, Keras' list of callbacks. At a
//! class attribute, a closure or a function's cache the path starts anew with that class or function, because
//! a person searches there. It does not after "all elements of a container": then the container is the place
//! of growth, not one of many similar functions.

use super::Path;
use super::put_elsewhere::put_elsewhere;
use nilometer_model::{HolderPath, Root as Begin, Step};

use crate::bounds::{bound, numbers};
use crate::layout::TYPE;
use crate::memory::word;
use crate::naming::{HeapView, Kind, Label, is_identifier};
use crate::owners::Candidates;
use crate::pack::Written;
use crate::roots::{FileOwner, Root, RootKind, Roots};

/// A path to render.
pub(crate) struct Chain<'a> {
    pub(crate) root: Root,
    pub(crate) nodes: &'a [u64],
    /// One fewer than `nodes`.
    pub(crate) labels: &'a [Label],
    /// A container at the end stands for its elements.
    pub(crate) elements: bool,
}

/// The context that the previous edge gives to the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Plain,
    /// The node is the dict behind an object's attributes.
    Attributes,
    /// The node is this function's closure, its tuple of defaults, or its dict of keyword defaults.
    Closure(u64),
    Defaults(u64),
    KeywordDefaults(u64),
    /// The node is the frame of a generator.
    Generator,
    /// The node is the table of threads in a thread-local object.
    Threads,
    /// The node holds the keyword arguments of a wrapper of ours.
    HandedOn,
}

struct Writer<'a> {
    heap: &'a HeapView<'a>,
    roots: &'a Roots,
    text: String,
    owners: Candidates,
    mode: Mode,
    /// The object whose attributes are in the dict that the path has come to.
    object: u64,
    /// A container whose elements are folded to `[*]` is earlier on the path.
    folded: bool,
    /// The path begins at a variable, a function or a module of the user's.
    is_users: bool,
}

/// Renders a path.
pub(crate) fn render(heap: &HeapView<'_>, roots: &Roots, chain: &Chain<'_>) -> Path {
    let mut writer = Writer {
        heap,
        roots,
        text: String::new(),
        owners: Candidates::default(),
        mode: Mode::Plain,
        object: 0,
        folded: false,
        is_users: roots.is_users(chain.root),
    };
    writer.start(chain.root);
    for (edge, label) in chain.nodes.windows(2).zip(chain.labels) {
        if let [parent, child] = edge {
            writer.owners.object(heap, roots, *parent, word(*parent, TYPE));
            writer.step(*parent, *child, label);
        }
    }
    let last = chain.nodes.last().copied().unwrap_or(0);
    let container = writer.end(chain, last);
    let before = |object: u64| {
        let at = chain.nodes.iter().position(|node| *node == object)?;
        // The object with the attribute, not the dict behind its attributes.
        let holder = |back: usize| at.checked_sub(back).and_then(|at| chain.nodes.get(at)).copied();
        match holder(1)? {
            dict if heap.kinds.of(dict) == Kind::Dict
                && holder(2).is_some_and(|two| heap.own_dict(two) == dict) =>
            {
                holder(2)
            }
            one => Some(one),
        }
    };
    let kind = if container == 0 { String::new() } else { heap.type_name(word(container, TYPE)) };
    let owner = writer.owners.best();
    let owner = owner.unwrap_or_default();
    let holder = before(container).unwrap_or(0);
    let (bound, numbers) = (bound(heap, container, holder), numbers(heap, holder));
    let role = owner.role.to_owned();
    Path { text: writer.text, owner: owner.name, role, kind, file: owner.file, bound, numbers }
}

fn variable(function: &str, variable: &str) -> String {
    Begin::Function { name: function, variable }.to_string()
}

impl Writer<'_> {
    fn start(&mut self, root: Root) {
        self.owners.root(self.heap, self.roots, root);
        let code = |frame: u32| self.roots.frames.get(frame as usize).map_or(0, |frame| frame.running.code);
        self.text = match root.kind {
            RootKind::Variable { frame, .. } if self.hands_on(frame, root.object) => {
                self.mode = Mode::HandedOn;
                variable(&self.heap.code_name(code(frame)), "")
            }
            RootKind::Variable { frame, index } => {
                let name = self.heap.variable_name(code(frame), u64::from(index)).unwrap_or_default();
                variable(&self.heap.code_name(code(frame)), &name)
            }
            RootKind::Stack { frame } => Begin::on_stack(&self.heap.code_name(code(frame))).to_string(),
            RootKind::Names { frame } => {
                self.mode = Mode::Attributes;
                self.heap.code_name(code(frame))
            }
            RootKind::Module(index) => {
                self.mode = Mode::Attributes;
                self.roots.modules.get(index as usize).map_or(String::new(), |module| module.name.clone())
            }
            RootKind::Context { variable } => {
                let name = self.heap.context_variable_name(variable).unwrap_or_default();
                Begin::ContextVariable(&name).to_string()
            }
            RootKind::Type => self.class_name(root.object),
        };
    }

    /// Keyword arguments of a wrapper of ours are shown as the wrapped function's own, which had them before
    /// it ended.
    fn hands_on(&self, frame: u32, object: u64) -> bool {
        let frame = self.roots.frames.get(frame as usize);
        frame.is_some_and(|frame| frame.file_owner == FileOwner::Ours)
            && self.heap.kinds.of(object) == Kind::Dict
    }

    fn step(&mut self, parent: u64, child: u64, label: &Label) {
        let mode = std::mem::replace(&mut self.mode, Mode::Plain);
        self.folded |= *label == Label::Each;
        match label {
            Label::OwnDict => {
                if self.heap.kinds.of(parent) == Kind::Type && !self.is_one_of_many() {
                    self.text = self.class_name(parent);
                    self.owners.class(self.heap, self.roots, parent);
                }
                self.mode = Mode::Attributes;
                self.object = parent;
            }
            Label::Attribute(name) if self.is_put_elsewhere(parent, name) => {}
            Label::Attribute(name) if self.is_list_of_callbacks(parent, name) => {}
            Label::Attribute(name) => self.write(Step::Attribute(name)),
            Label::Item { text, name } => self.item(parent, child, mode, text, name.as_deref()),
            Label::Index(index) => self.index(mode, *index),
            Label::Element if self.heap.kinds.of(parent) == Kind::ThreadLocal => self.mode = Mode::Threads,
            Label::Element | Label::Each => self.write(Step::Each),
            Label::Key => self.write(Step::Key),
            Label::Contents if self.heap.kinds.of(parent) == Kind::Generator => self.mode = Mode::Generator,
            Label::Contents | Label::Class => {}
            Label::Closure => self.mode = Mode::Closure(parent),
            Label::Defaults => self.mode = Mode::Defaults(parent),
            Label::KeywordDefaults => self.mode = Mode::KeywordDefaults(parent),
            Label::Globals => {
                self.write(Step::Attribute("__globals__"));
                self.mode = Mode::Attributes;
            }
            Label::Frame => self.write(Step::Frame),
            Label::Local(name) => self.local(parent, mode, name),
            Label::Cache => {
                let function = self.heap.wrapped_by(parent);
                self.rebase(function, Step::LruCache);
                if self.heap.own_cache(parent) != child {
                    self.write(Step::Each);
                }
            }
            Label::Unknown => {
                let name = self.heap.type_name(word(child, TYPE));
                self.write(Step::Type(&name));
            }
        }
    }

    fn write(&mut self, step: Step) {
        self.text += &step.to_string();
    }

    fn item(&mut self, parent: u64, child: u64, mode: Mode, text: &str, name: Option<&str>) {
        match (mode, name) {
            (Mode::Threads, _) if self.heap.kinds.of(child) == Kind::Dict => self.mode = Mode::Attributes,
            (Mode::Attributes, Some(name)) if is_identifier(name) => {
                if !self.is_put_elsewhere(self.object, name) && !self.is_list_of_callbacks(parent, name) {
                    self.write(Step::Attribute(name));
                }
            }
            (Mode::KeywordDefaults(function), Some(name)) => self.rebase(function, Step::Default(name)),
            (Mode::HandedOn, Some(name)) if is_identifier(name) => {
                self.text = variable(HolderPath::of(&self.text).function().unwrap_or_default(), name);
            }
            _ => self.write(Step::Item(text)),
        }
    }

    fn index(&mut self, mode: Mode, index: u64) {
        match mode {
            Mode::Closure(function) => {
                let code = self.heap.code_of(function);
                let name = self.heap.free_name(code, index).unwrap_or_default();
                if self.is_users(code) && !self.is_one_of_many() {
                    self.text = variable(&self.heap.code_name(code), &name);
                    self.owners.closure(self.heap, self.roots, code);
                } else {
                    self.write(Step::Closure(&name));
                }
            }
            Mode::Defaults(function) => {
                let name = self.heap.default_name(function, index).unwrap_or_default();
                self.rebase(function, Step::Default(&name));
            }
            _ => self.write(Step::Item(&index.to_string())),
        }
    }

    fn local(&mut self, parent: u64, mode: Mode, name: &str) {
        let kind = self.heap.kinds.of(parent);
        let code = self.heap.frame_of(parent, kind).map_or(0, |(_, code)| code);
        let generator = kind == Kind::Generator || mode == Mode::Generator;
        if generator && self.is_users(code) && !self.is_one_of_many() {
            self.text = variable(&self.heap.code_name(code), name);
            self.owners.code(self.heap, self.roots, code);
        } else if generator {
            self.write(Step::Suspended(name));
        } else {
            // An exception's frame: the function that failed.
            self.write(Step::Local(name));
            self.owners.code(self.heap, self.roots, code);
        }
    }

    /// Whether the path came through all elements of a container.
    fn is_one_of_many(&self) -> bool {
        self.folded
    }

    /// Starts the path anew at a function.
    fn rebase(&mut self, function: u64, step: Step) {
        let name = self.heap.function_name(function);
        if name.is_empty() || self.is_one_of_many() {
            self.write(step);
            return;
        }
        self.text = format!("{name}{step}");
        let code = self.heap.code_of(function);
        if code != 0 {
            self.owners.code(self.heap, self.roots, code);
        }
    }

    /// Ends the text, and gives the container that the path means.
    fn end(&mut self, chain: &Chain<'_>, last: u64) -> u64 {
        let kind = self.heap.kinds.of(last);
        if !chain.elements {
            let folds = chain
                .labels
                .iter()
                .rposition(|label| matches!(label, Label::Each | Label::Element | Label::Cache));
            return folds.and_then(|at| chain.nodes.get(at)).copied().unwrap_or(last);
        }
        if self.mode == Mode::Attributes && chain.labels.last() == Some(&Label::OwnDict) {
            self.write(Step::Attribute("__dict__"));
        }
        if kind.is_container() {
            let class = word(last, TYPE);
            self.owners.object(self.heap, self.roots, last, class);
            self.write(Step::Each);
        }
        last
    }

    fn is_users(&self, code: u64) -> bool {
        code != 0 && self.roots.folders.is_users(&self.heap.code_file(code))
    }

    /// Whether this is the object in which Keras keeps the list that was given to `fit`.
    fn is_list_of_callbacks(&self, parent: u64, name: &str) -> bool {
        let holder = if self.heap.kinds.of(parent) == Kind::Dict {
            let path = HolderPath::of(&self.text);
            return name == "callbacks" && path.is_local() && path.name() == name;
        } else {
            parent
        };
        name == "callbacks" && self.heap.type_name(word(holder, TYPE)) == "CallbackList"
    }

    /// Whether users write something else for this attribute; then that is written.
    fn is_put_elsewhere(&mut self, object: u64, name: &str) -> bool {
        match put_elsewhere(self.heap, object, name) {
            Some(Written::Attributes) => {
                self.mode = Mode::Attributes;
                self.object = 0;
            }
            Some(Written::Items) => {}
            Some(Written::ChildrenPerLabel) => self.write(Step::ChildrenPerLabel),
            Some(Written::KnownAs(_)) if self.is_users || self.is_one_of_many() => return false,
            Some(Written::KnownAs(name)) => name.clone_into(&mut self.text),
            None => return false,
        }
        true
    }

    /// A user's class by name, any other with its module.
    fn class_name(&self, class: u64) -> String {
        let (name, module) = (self.heap.type_name(class), self.heap.module_of_class(class));
        let users = self.roots.module(&module).is_some_and(|module| module.file_owner == FileOwner::User);
        if users || module.is_empty() || module == "builtins" { name } else { format!("{module}.{name}") }
    }
}
