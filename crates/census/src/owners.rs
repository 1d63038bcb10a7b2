//! The class or function that a person would open to mend what a path holds, and its file.
//!
//! In: what stands along a path, from the root on. Out: the owner: the innermost that the user wrote, or else the innermost.

use crate::naming::{Kind, Look};
use crate::roots::{Place, Root, Roots, Whose};

/// Who could own what a path leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) name: String,
    /// See [`role`].
    pub(crate) role: &'static str,
    pub(crate) file: String,
    pub(crate) whose: Whose,
}

/// Those seen so far along a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    seen: Vec<Owner>,
}

impl Owners {
    /// The root is one: its function, or its module.
    pub(crate) fn root(&mut self, look: &Look<'_>, roots: &Roots, root: Root) {
        match root.place {
            Place::Variable { frame, .. } | Place::Stack { frame } | Place::Names { frame } => {
                if let Some(frame) = roots.frames.get(frame as usize) {
                    self.code(look, roots, frame.running.code);
                }
            }
            Place::Module(index) => {
                if let Some(module) = roots.modules.get(index as usize) {
                    let (file, whose) = (module.file.clone(), module.whose);
                    self.seen.push(Owner { file, whose, ..Owner::default() });
                }
            }
            Place::Type => {}
        }
    }

    /// A function, by its code.
    pub(crate) fn code(&mut self, look: &Look<'_>, roots: &Roots, code: u64) {
        let name = look.code_qualified_name(code);
        // The body of a module is the module.
        let name = if name == "<module>" { String::new() } else { name };
        let file = look.code_file(code);
        let whose = roots.places.whose(&file);
        let role = if look.is_generator(code) { "generator" } else { "" };
        self.seen.push(Owner { name, role, file, whose });
    }

    /// A function whose variables another one keeps.
    pub(crate) fn closure(&mut self, look: &Look<'_>, roots: &Roots, code: u64) {
        self.code(look, roots, code);
        if let Some(owner) = self.seen.last_mut() {
            owner.role = "closure";
        }
    }

    /// A class.
    pub(crate) fn class(&mut self, look: &Look<'_>, roots: &Roots, class: u64) {
        let module = look.module_of_class(class);
        let (file, whose) = roots
            .module(&module)
            .map_or((String::new(), Whose::Library), |module| (module.file.clone(), module.whose));
        self.seen.push(Owner { name: look.type_name(class), role: role(look, class), file, whose });
    }

    /// An object on the way: its class, where a `class` statement or an extension made it.
    pub(crate) fn object(&mut self, look: &Look<'_>, roots: &Roots, object: u64, class: u64) {
        let plain = !look.is_heap_type(class)
            || matches!(look.kinds.of(object), Kind::Function | Kind::Cell | Kind::Frame | Kind::LruCache)
            || matches!(
                look.module_of_class(class).as_str(),
                "collections" | "functools" | "builtins" | "types"
            );
        if !plain {
            self.class(look, roots, class);
        }
    }

    /// The one to open.
    pub(crate) fn best(self) -> Option<Owner> {
        let users = self.seen.iter().rposition(|owner| owner.whose == Whose::User);
        let last = self.seen.len().checked_sub(1)?;
        self.seen.into_iter().nth(users.unwrap_or(last))
    }
}

/// What a class is to the framework that calls it, by the classes that it is made from.
fn role(look: &Look<'_>, class: u64) -> &'static str {
    const FRAMEWORKS: [&str; 6] =
        ["keras", "tf_keras", "tensorflow", "torch", "lightning", "pytorch_lightning"];
    for base in look.bases(class) {
        let role = match look.type_name(base).as_str() {
            "Callback" => "callback",
            "PyDataset" | "Sequence" | "Dataset" | "IterableDataset" => "dataset",
            "Metric" => "metric",
            "Model" => "model",
            "Layer" => "layer",
            "Thread" => "thread",
            _ => continue,
        };
        let module = look.module_of_class(base);
        if role == "thread" && module == "threading" {
            return role;
        }
        if FRAMEWORKS.contains(&module.split('.').next().unwrap_or_default()) {
            return role;
        }
    }
    ""
}
