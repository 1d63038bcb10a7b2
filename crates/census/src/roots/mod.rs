//! Where the search for a path begins: variables of running frames, globals of modules, types.
//!
//! In: one look at the heap. Out: [`Roots`], in the order in which a person would open them, each with what it costs to
//! begin there, so that a name the person knows wins over a library's innards. What must not happen here: a frame or module of
//! this tool as a root.

mod files;

use std::collections::{HashMap, HashSet};

use crate::layout::{dict, types};
use crate::memory::{prefetch, word};
use crate::naming::{Kind, Look, Running};
pub(crate) use files::{Places, Whose, folder};

/// Costs to begin at: what the user wrote, what the user's code is called back in, libraries' frames, other modules,
/// modules without a file, types.
const USER: u32 = 1;
const CALLED_BACK: u32 = 2;
const LIBRARY_FRAME: u32 = 3;
const OTHER_MODULE: u32 = 6;
const BUILT_IN: u32 = 30;
const TYPES: u32 = 100;
/// More for `*args` and `**kwargs`: a wrapper's names are not what the person wrote.
const COLLECTED: u32 = 3;
/// More for a variable that is an array or another plain value: it is gone with the next round of a loop, and a container
/// that holds it too is what a person looks for.
const VALUE: u32 = 6;
/// Frames per thread, and threads, that are looked at.
const MOST_FRAMES: usize = 2000;
const MOST_THREADS: usize = 1000;

/// A frame of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Counts threads, the oldest first.
    pub(crate) thread: u32,
    pub(crate) running: Running,
    pub(crate) whose: Whose,
}

/// A module in `sys.modules`.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) whose: Whose,
}

/// What a root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// The variable with this index of the frame with this index.
    Variable { frame: u32, index: u32 },
    /// The dict of a frame's globals or locals, where it is no module's.
    Names { frame: u32 },
    /// A value on a frame's stack.
    Stack { frame: u32 },
    /// The dict of the module with this index.
    Module(u32),
    /// A class that is no object of the collector's.
    Type,
}

impl Place {
    /// Its object is a dict of names.
    pub(crate) fn is_namespace(self) -> bool {
        matches!(self, Place::Names { .. } | Place::Module(_))
    }
}

/// A root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) object: u64,
    pub(crate) place: Place,
    pub(crate) cost: u32,
}

/// All roots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots {
    pub(crate) frames: Vec<Frame>,
    pub(crate) modules: Vec<Module>,
    by_name: HashMap<String, usize>,
    pub(crate) starts: Vec<Root>,
    pub(crate) places: Places,
}

impl Roots {
    /// Collects them.
    pub(crate) fn collect(look: &Look<'_>) -> Roots {
        let mut roots = Roots::default();
        let modules = roots.modules(look);
        roots.frames(look);
        let module_dicts: HashSet<u64> = modules.iter().map(|(dict, _)| *dict).collect();
        roots.variables(look, &module_dicts);
        for (index, (dict, _)) in modules.iter().enumerate() {
            let Some(module) = roots.modules.get(index) else { continue };
            let cost = match (module.whose, module.file.is_empty()) {
                (Whose::User, _) => USER,
                (_, true) => BUILT_IN,
                (Whose::Library, false) => OTHER_MODULE,
                (Whose::Ours, _) => continue,
            };
            roots.starts.push(Root { object: *dict, place: Place::Module(index as u32), cost });
        }
        roots
    }

    /// The dict of each module with its index; fills `modules` and `places`.
    fn modules(&mut self, look: &Look<'_>) -> Vec<(u64, usize)> {
        const LONGEST: usize = 4096;
        /// A module's file stands among its first names.
        const NEAR_LINES: u64 = 4;
        let mut dicts = Vec::new();
        let table = look.python.api.modules();
        if look.kinds.of(table) != Kind::Dict {
            return dicts;
        }
        let mut found = Vec::new();
        look.items(table, &mut |key, module| {
            prefetch(module);
            found.push((key, module));
            true
        });
        // Thousands, each in memory of its own: what stands on the next step is asked for before the first is read.
        found.retain_mut(|(key, module)| {
            let is_module = look.kinds.of(*module) == Kind::Module;
            let dict = if is_module { look.own_dict(*module) } else { 0 };
            *module = dict;
            prefetch(dict);
            prefetch(*key);
            dict != 0
        });
        for (_, dict) in &found {
            let keys = word(*dict, dict::KEYS);
            for line in 0..NEAR_LINES {
                prefetch(keys.wrapping_add(64 * line));
            }
        }
        for (key, dict) in found {
            if let Some(name) = look.text(key, 500) {
                let file = look.text(look.value(dict, "__file__"), LONGEST).unwrap_or_default();
                self.by_name.insert(name.clone(), dicts.len());
                dicts.push((dict, dicts.len()));
                self.modules.push(Module { name, file, whose: Whose::Library });
            }
        }
        let folder_of = |name: &str| self.module(name).map(|module| folder(&module.file));
        self.places = Places {
            standard: folder_of("os").unwrap_or_default(),
            ours: folder_of("nilometer").unwrap_or_default(),
        };
        for module in &mut self.modules {
            module.whose = match module.file.as_str() {
                _ if module.name == "__main__" => Whose::User,
                _ if module.name == "nilometer" || module.name.starts_with("nilometer.") => Whose::Ours,
                "" => Whose::Library,
                file => self.places.whose(file),
            };
        }
        dicts
    }

    /// Frames, the oldest thread first, of each thread the outermost first.
    fn frames(&mut self, look: &Look<'_>) {
        let mut threads = look.api.threads(look.python.api.interpreter());
        threads.reverse();
        for (thread, state) in threads.into_iter().take(MOST_THREADS).enumerate() {
            for running in look.running(state, MOST_FRAMES).into_iter().rev() {
                let whose = self.places.whose(&look.code_file(running.code));
                self.frames.push(Frame { thread: thread as u32, running, whose });
            }
        }
    }

    fn variables(&mut self, look: &Look<'_>, module_dicts: &HashSet<u64>) {
        // The thread whose frames have come to a library's.
        let mut in_library = None;
        let mut library = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            let running = frame.running;
            let place_of = at as u32;
            let ours = frame.whose == Whose::Ours;
            let cost = match frame.whose {
                // What a wrapper of ours was called with is the program's, and while the call ends nobody else may hold it.
                Whose::Ours => LIBRARY_FRAME,
                Whose::Library => {
                    in_library = Some(frame.thread);
                    LIBRARY_FRAME
                }
                Whose::User if in_library == Some(frame.thread) => CALLED_BACK,
                Whose::User => USER,
            };
            let into = if frame.whose == Whose::User { &mut self.starts } else { &mut library };
            if running.readable {
                look.variables(running.frame, running.code, &mut |index, object| {
                    let collected = look.is_collected_argument(running.code, index);
                    if ours && !collected {
                        return;
                    }
                    let more =
                        if collected { COLLECTED } else { 0 } + if look.is_value(object) { VALUE } else { 0 };
                    let place = Place::Variable { frame: place_of, index: index as u32 };
                    into.push(Root { object, place, cost: cost + more });
                });
                look.stack(&running, &mut |object| {
                    if ours {
                        return;
                    }
                    let more = COLLECTED + if look.is_value(object) { VALUE } else { 0 };
                    into.push(Root { object, place: Place::Stack { frame: place_of }, cost: cost + more });
                });
            }
            for dict in [running.globals, running.locals] {
                if !ours && dict != 0 && look.kinds.of(dict) == Kind::Dict && !module_dicts.contains(&dict) {
                    into.push(Root { object: dict, place: Place::Names { frame: place_of }, cost });
                }
            }
        }
        self.starts.append(&mut library);
    }

    /// Classes that are not the collector's, given the types of the objects that were seen.
    pub(crate) fn types(look: &Look<'_>, seen: impl Iterator<Item = u64>) -> Vec<Root> {
        let (mut known, mut roots) = (HashSet::new(), Vec::new());
        for mut class in seen {
            while class != 0 && !look.is_heap_type(class) && known.insert(class) {
                roots.push(Root { object: class, place: Place::Type, cost: TYPES });
                class = word(class, types::BASE);
            }
        }
        roots
    }

    /// The module with this name, as a class says it.
    pub(crate) fn module(&self, name: &str) -> Option<&Module> {
        self.modules.get(*self.by_name.get(name)?)
    }
}
