//! The class or function that a person would open to fix a leak on a path, and its file.
//!
//! In: the objects along a path, from the root on. Out: the owner: the innermost that the user wrote, or else
//! the innermost.

use crate::naming::{HeapView, Kind};
use crate::roots::{FileOwner, Root, RootKind, Roots};

/// A candidate owner of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) name: String,
    /// See [`role`].
    pub(crate) role: &'static str,
    pub(crate) file: String,
    pub(crate) file_owner: FileOwner,
}

/// The candidates along a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    seen: Vec<Candidate>,
}

impl Candidates {
    /// Adds the root: its function, or its module.
    pub(crate) fn root(&mut self, heap: &HeapView<'_>, roots: &Roots, root: Root) {
        match root.kind {
            RootKind::Variable { frame, .. } | RootKind::Stack { frame } | RootKind::Names { frame } => {
                if let Some(frame) = roots.frames.get(frame as usize) {
                    self.code(heap, roots, frame.running.code);
                }
            }
            RootKind::Module(index) => {
                if let Some(module) = roots.modules.get(index as usize) {
                    let (file, file_owner) = (module.file.clone(), module.file_owner);
                    self.seen.push(Candidate { file, file_owner, ..Candidate::default() });
                }
            }
            RootKind::Context { .. } | RootKind::Type => {}
        }
    }

    /// Adds a function, by its code.
    pub(crate) fn code(&mut self, heap: &HeapView<'_>, roots: &Roots, code: u64) {
        let name = heap.code_qualified_name(code);
        // The body of a module is the module.
        let name = if name == "<module>" { String::new() } else { name };
        let file = heap.code_file(code);
        let file_owner = roots.folders.owner_of(&file);
        let role = if heap.is_generator(code) { "generator" } else { "" };
        self.seen.push(Candidate { name, role, file, file_owner });
    }

    /// Adds a function whose closure keeps the variables.
    pub(crate) fn closure(&mut self, heap: &HeapView<'_>, roots: &Roots, code: u64) {
        self.code(heap, roots, code);
        if let Some(owner) = self.seen.last_mut() {
            owner.role = "closure";
        }
    }

    /// A class.
    pub(crate) fn class(&mut self, heap: &HeapView<'_>, roots: &Roots, class: u64) {
        let module = heap.module_of_class(class);
        let (file, file_owner) = roots
            .module(&module)
            .map_or((String::new(), FileOwner::Library), |module| (module.file.clone(), module.file_owner));
        self.seen.push(Candidate { name: heap.type_name(class), role: role(heap, class), file, file_owner });
    }

    /// Adds the class of an object on the path, if a `class` statement or an extension made it.
    pub(crate) fn object(&mut self, heap: &HeapView<'_>, roots: &Roots, object: u64, class: u64) {
        let plain = !heap.is_heap_type(class)
            || matches!(heap.kinds.of(object), Kind::Function | Kind::Cell | Kind::Frame | Kind::LruCache)
            || matches!(
                heap.module_of_class(class).as_str(),
                "collections" | "functools" | "builtins" | "types"
            );
        if !plain {
            self.class(heap, roots, class);
        }
    }

    /// The owner to open.
    pub(crate) fn best(self) -> Option<Candidate> {
        let users = self.seen.iter().rposition(|owner| owner.file_owner == FileOwner::User);
        let last = self.seen.len().checked_sub(1)?;
        self.seen.into_iter().nth(users.unwrap_or(last))
    }
}

/// The role of a class in its framework, by its bases.
fn role(heap: &HeapView<'_>, class: u64) -> &'static str {
    for base in heap.bases(class) {
        let role = match heap.type_name(base).as_str() {
            "Callback" => "callback",
            "PyDataset" | "Sequence" | "Dataset" | "IterableDataset" => "dataset",
            "Metric" => "metric",
            "Model" => "model",
            "Layer" => "layer",
            "Thread" => "thread",
            _ => continue,
        };
        let module = heap.module_of_class(base);
        if role == "thread" && module == "threading" {
            return role;
        }
        let package = module.split('.').next().unwrap_or_default();
        if heap.python.packs.iter().any(|pack| pack.packages.contains(&package)) {
            return role;
        }
    }
    ""
}
