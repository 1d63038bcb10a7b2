//! Checks the offsets of naming against live objects: functions of the standard library, and running frames.
//!
//! In: one view of the heap. Out: success, or the part that has another kind than it should. What must not
//! happen here: success without any comparison. A module that is not loaded is passed over; frames always
//! exist.

use super::HeapView;
use super::kinds::Kind;
use super::offsets::function;
use crate::layout::{TYPE, flags, types};
use crate::memory::{byte, word};
use crate::object::Object;
use crate::words;

/// Functions and classes of a module, and frames of a thread, that are checked.
const MAX_CHECKED: usize = 60;
/// Modules that are nearly always loaded and define Python functions and classes.
const MODULES: [&str; 3] = ["os", "codecs", "abc"];
/// The highest `_frameowner`.
const LAST_OWNER: u8 = 4;

impl HeapView<'_> {
    /// Compares the offsets. The GIL must be held.
    ///
    /// # Errors
    /// The part that differs.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        for state in self.api.threads(self.python.interpreter) {
            self.check_frames(state)?;
        }
        let modules = self.python.api.modules();
        for module in MODULES {
            let module = self.value(modules, module);
            if module != 0 && self.kinds.of(module) == Kind::Module {
                self.check_names(self.own_dict(module))?;
            }
        }
        Ok(())
    }

    /// Each frame has its code and its globals, and no more values than its stack has room for.
    fn check_frames(&self, state: u64) -> Result<(), &'static str> {
        for running in self.running(state, MAX_CHECKED) {
            let variables = self.variable_count(running.code);
            let filled = self.filled(running.frame);
            let sound = byte(running.frame, self.offsets.frame.owner) <= LAST_OWNER
                && (variables..=variables + self.max_stack_depth(running.code)).contains(&filled)
                && (running.globals == 0 || self.kinds.of(running.globals) == Kind::Dict);
            if !sound {
                return Err(words::RUNNING_FRAMES);
            }
        }
        Ok(())
    }

    /// Functions and classes that a module defines.
    fn check_names(&self, globals: u64) -> Result<(), &'static str> {
        let mut found = Ok(());
        let mut room = MAX_CHECKED;
        self.items(globals, &mut |_, value| {
            let of_module = match self.kinds.of(value) {
                Kind::Function if word(value, TYPE) == self.python.known.function => {
                    self.is_function(value, globals).then_some(()).ok_or(words::FUNCTIONS)
                }
                Kind::Type if self.is_heap_type(value) => {
                    self.is_class(value).then_some(()).ok_or(words::CLASSES)
                }
                _ => return true,
            };
            found = of_module;
            room -= 1;
            room > 0 && found.is_ok()
        });
        found
    }

    /// The parts of a function are of the right kinds. The function may come from another module, whose
    /// globals are a dict, too.
    fn is_function(&self, object: u64, globals: u64) -> bool {
        let code = self.code_of(object);
        let part = |offset, kind: Kind| {
            let part = word(object, offset);
            part == 0 || self.kinds.of(part) == kind
        };
        let texts = [self.offsets.code.name, self.offsets.code.qualified_name, self.offsets.code.file];
        let names = word(object, function::GLOBALS);
        code != 0
            && (names == globals || self.kinds.of(names) == Kind::Dict)
            && texts.iter().all(|offset| self.kinds.of(word(code, *offset)) == Kind::Text)
            && self.kinds.of(word(code, self.offsets.code.names)) == Kind::Tuple
            && self.kinds.of(word(code, self.offsets.code.kinds)) == Kind::Bytes
            && (1..1 << 16).contains(&self.max_stack_depth(code))
            && self.kinds.of(word(object, function::QUALIFIED_NAME)) == Kind::Text
            && part(function::DEFAULTS, Kind::Tuple)
            && part(function::KEYWORD_DEFAULTS, Kind::Dict)
            && part(function::CLOSURE, Kind::Tuple)
            && part(function::DICT, Kind::Dict)
    }

    /// A class has a dict, bases, a name, and shared keys where its instances have inline values.
    fn is_class(&self, class: u64) -> bool {
        let keys = word(class, self.python.layout.cached_keys);
        let inline = word(class, types::FLAGS) & flags::INLINE_VALUES != 0;
        self.kinds.of(self.class_dict(class)) == Kind::Dict
            && self.kinds.of(word(class, types::BASES)) == Kind::Tuple
            && self.bases(class).next() == Some(class)
            && !self.type_name(class).is_empty()
            && self.python.is_gc(Object(class))
            && (!inline || crate::dicts::KeyTable::of(self.python, keys).is_some())
    }
}
