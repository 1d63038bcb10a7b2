//! The roots of path searches: variables of running frames and of contexts, globals of modules, types.
//!
//! In: one view of the heap. Out: [`Roots`], in the order in which a person would open them, each with the
//! cost to begin there. So a name that the person knows wins over a library's internals. What must not happen
//! here: a frame or module of this tool as a root.

pub(crate) mod main_script;

use std::collections::{HashMap, HashSet};

use crate::layout::{dict, types};
use crate::memory::{prefetch, word};
use crate::naming::{HeapView, Kind, RunningFrame};
pub(crate) use nilometer_model::{CodeFolders, FileOwner};

/// Costs to begin at: user code, user code called back by a library, a library's frame, a variable of a context
/// or another module, a module without a file, a type.
const USER_COST: u32 = 1;
const CALLBACK_COST: u32 = 2;
const LIBRARY_FRAME_COST: u32 = 3;
const OTHER_MODULE_COST: u32 = 6;
const BUILTIN_MODULE_COST: u32 = 30;
const TYPE_COST: u32 = 100;
/// Added for `*args` and `**kwargs`: the person did not write a wrapper's names.
const VARARGS_COST: u32 = 3;
/// Added for a variable with an array or another leaf: the next round of a loop replaces it, and a container
/// that holds it too is the better answer.
const VALUE_COST: u32 = 6;
const MAX_PATH_CHARS: usize = 4096;
/// Frames per thread, and threads, that are read.
const MAX_ROOT_FRAMES: usize = 2000;
const MAX_ROOT_THREADS: usize = 1000;
/// How names of our own variables of contexts begin.
const OURS: &str = "nilometer_";

/// A frame of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Index of the thread, the oldest first.
    pub(crate) thread: u32,
    pub(crate) running: RunningFrame,
    pub(crate) file_owner: FileOwner,
}

/// A module in `sys.modules`.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) file_owner: FileOwner,
}

/// The kind of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RootKind {
    /// The variable with this index in the frame with this index.
    Variable { frame: u32, index: u32 },
    /// The dict of a frame's globals or locals, unless it is a module's.
    Names { frame: u32 },
    /// A value on a frame's stack.
    Stack { frame: u32 },
    /// The dict of the module with this index.
    Module(u32),
    /// The value of a variable of a context: the `ContextVar`.
    Context { variable: u64 },
    /// A static type.
    Type,
}

impl RootKind {
    /// Whether its object is a dict of names.
    pub(crate) fn is_namespace(self) -> bool {
        matches!(self, RootKind::Names { .. } | RootKind::Module(_))
    }
}

/// A root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) object: u64,
    pub(crate) kind: RootKind,
    pub(crate) cost: u32,
}

/// All roots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots {
    pub(crate) frames: Vec<Frame>,
    pub(crate) modules: Vec<Module>,
    by_name: HashMap<String, usize>,
    pub(crate) starts: Vec<Root>,
    pub(crate) folders: CodeFolders,
}

impl Roots {
    /// Collects all roots.
    pub(crate) fn collect(heap: &HeapView<'_>) -> Roots {
        let mut roots = Roots::default();
        let modules = roots.modules(heap);
        roots.frames(heap);
        let module_dicts: HashSet<u64> = modules.iter().map(|(dict, _)| *dict).collect();
        roots.variables(heap, &module_dicts);
        roots.contexts(heap);
        for (index, (dict, _)) in modules.iter().enumerate() {
            let Some(module) = roots.modules.get(index) else { continue };
            let cost = match (module.file_owner, module.file.is_empty()) {
                (FileOwner::User, _) => USER_COST,
                (_, true) => BUILTIN_MODULE_COST,
                (FileOwner::Ours, _) => continue,
                (FileOwner::Library | FileOwner::Python | FileOwner::Unknown, false) => OTHER_MODULE_COST,
            };
            roots.starts.push(Root { object: *dict, kind: RootKind::Module(index as u32), cost });
        }
        roots
    }

    /// The dict of each module with its index; fills `modules` and `folders`.
    fn modules(&mut self, heap: &HeapView<'_>) -> Vec<(u64, usize)> {
        /// A module's `__file__` is among its first keys: cache lines to prefetch.
        const PREFETCHED_KEY_LINES: u64 = 4;
        let mut dicts = Vec::new();
        let table = heap.python.api.modules();
        if heap.kinds.of(table) != Kind::Dict {
            return dicts;
        }
        let mut found = Vec::new();
        heap.items(table, &mut |key, module| {
            prefetch(module);
            found.push((key, module));
            true
        });
        // There are thousands, each in memory of its own: the next step's reads are prefetched before the
        // first is read.
        found.retain_mut(|(key, module)| {
            let is_module = heap.kinds.of(*module) == Kind::Module;
            let dict = if is_module { heap.own_dict(*module) } else { 0 };
            *module = dict;
            prefetch(dict);
            prefetch(*key);
            dict != 0
        });
        for (_, dict) in &found {
            let keys = word(*dict, dict::KEYS);
            for line in 0..PREFETCHED_KEY_LINES {
                prefetch(keys.wrapping_add(64 * line));
            }
        }
        for (key, dict) in found {
            if let Some(name) = heap.text(key, 500) {
                let of_script =
                    || (name == main_script::MAIN).then(|| main_script::of_names(heap, dict)).flatten();
                let file = main_script::said(heap, dict).or_else(of_script).unwrap_or_default();
                self.by_name.insert(name.clone(), dicts.len());
                dicts.push((dict, dicts.len()));
                self.modules.push(Module { name, file, file_owner: FileOwner::Library });
            }
        }
        let folder_of = |name: &str| self.module(name).map(|module| folder(&module.file));
        let (standard, ours) = (folder_of("os"), folder_of("nilometer"));
        self.folders.standard = standard.unwrap_or_default();
        self.folders.ours = ours.unwrap_or_default();
        self.folders.own.clone_from(&heap.python.own);
        for module in &self.modules {
            self.folders.learn(&module.name, &module.file);
        }
        for module in &mut self.modules {
            module.file_owner = self.folders.owner_of_module(&module.name, &module.file);
        }
        dicts
    }

    /// Frames: the oldest thread first, in each thread the outermost first.
    fn frames(&mut self, heap: &HeapView<'_>) {
        let mut threads = heap.api.threads(heap.python.api.interpreter());
        threads.reverse();
        for (thread, state) in threads.into_iter().take(MAX_ROOT_THREADS).enumerate() {
            for running in heap.running(state, MAX_ROOT_FRAMES).into_iter().rev() {
                let file_owner = self.folders.owner_of(&heap.code_file(running.code));
                self.frames.push(Frame { thread: thread as u32, running, file_owner });
            }
        }
    }

    fn variables(&mut self, heap: &HeapView<'_>, module_dicts: &HashSet<u64>) {
        // The thread whose frames have entered a library.
        let mut in_library = None;
        let mut library = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            let running = frame.running;
            let frame_index = at as u32;
            let ours = frame.file_owner == FileOwner::Ours;
            let cost = match frame.file_owner {
                // The arguments of a wrapper of ours are the program's; while the call ends nobody else may
                // hold them.
                FileOwner::Ours => LIBRARY_FRAME_COST,
                FileOwner::Library | FileOwner::Python | FileOwner::Unknown => {
                    in_library = Some(frame.thread);
                    LIBRARY_FRAME_COST
                }
                FileOwner::User if in_library == Some(frame.thread) => CALLBACK_COST,
                FileOwner::User => USER_COST,
            };
            let into = if frame.file_owner == FileOwner::User { &mut self.starts } else { &mut library };
            if running.readable {
                heap.variables(running.frame, running.code, &mut |index, object| {
                    let collected = heap.is_collected_argument(running.code, index);
                    if ours && !collected {
                        return;
                    }
                    let more = if collected { VARARGS_COST } else { 0 }
                        + if heap.is_value(object) { VALUE_COST } else { 0 };
                    let kind = RootKind::Variable { frame: frame_index, index: index as u32 };
                    into.push(Root { object, kind, cost: cost + more });
                });
                heap.stack(&running, &mut |object| {
                    if ours {
                        return;
                    }
                    let more = VARARGS_COST + if heap.is_value(object) { VALUE_COST } else { 0 };
                    into.push(Root {
                        object,
                        kind: RootKind::Stack { frame: frame_index },
                        cost: cost + more,
                    });
                });
            }
            for dict in [running.globals, running.locals] {
                if !ours && dict != 0 && heap.kinds.of(dict) == Kind::Dict && !module_dicts.contains(&dict) {
                    into.push(Root { object: dict, kind: RootKind::Names { frame: frame_index }, cost });
                }
            }
        }
        self.starts.append(&mut library);
    }

    /// Variables of the contexts that threads have entered. Where contexts are copies of each other, a value counts once.
    fn contexts(&mut self, heap: &HeapView<'_>) {
        let mut known = HashSet::new();
        let threads = heap.api.threads(heap.python.api.interpreter());
        for thread in threads.into_iter().rev().take(MAX_ROOT_THREADS) {
            heap.context_variables(thread, &mut |variable, object| {
                let is_ours =
                    || heap.context_variable_name(variable).is_some_and(|name| name.starts_with(OURS));
                if known.insert((variable, object)) && !is_ours() {
                    let kind = RootKind::Context { variable };
                    self.starts.push(Root { object, kind, cost: OTHER_MODULE_COST });
                }
            });
        }
    }

    /// Static types among the types of the visited objects.
    pub(crate) fn types(heap: &HeapView<'_>, seen: impl Iterator<Item = u64>) -> Vec<Root> {
        let (mut known, mut roots) = (HashSet::new(), Vec::new());
        for mut class in seen {
            while class != 0 && !heap.is_heap_type(class) && known.insert(class) {
                roots.push(Root { object: class, kind: RootKind::Type, cost: TYPE_COST });
                class = word(class, types::BASE);
            }
        }
        roots
    }

    /// Whether a path that begins there begins at the user's own.
    pub(crate) fn is_users(&self, root: Root) -> bool {
        let owner = match root.kind {
            RootKind::Variable { frame, .. } | RootKind::Stack { frame } | RootKind::Names { frame } => {
                self.frames.get(frame as usize).map(|frame| frame.file_owner)
            }
            RootKind::Module(index) => self.modules.get(index as usize).map(|module| module.file_owner),
            RootKind::Context { .. } | RootKind::Type => None,
        };
        owner == Some(FileOwner::User)
    }

    /// The module with this name, as a class says it.
    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.modules.get(*self.by_name.get(name)?)
    }
}

/// The folder of a file; empty if there is none.
pub(crate) fn folder(file: &str) -> String {
    file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::folder;

    #[test]
    fn the_folder_of_a_file() {
        assert_eq!((folder("/a/b.py").as_str(), folder("b.py").as_str()), ("/a", ""));
    }
}
