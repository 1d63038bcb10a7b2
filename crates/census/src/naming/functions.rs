//! Functions: their names, files, closures and default arguments.
//!
//! In: live functions and code objects. Out: names as the source writes them.

use super::kinds::Kind;
use super::offsets::{BYTES, LRU_CACHE, LRU_FUNCTION, function};
use super::{HeapView, Label};
use crate::layout::{SIZE, TYPE};
use crate::memory::{bytes, int, word};

/// `CO_VARARGS` and `CO_VARKEYWORDS`.
const VARARGS: i32 = 0x04;
const VARKEYWORDS: i32 = 0x08;
/// `CO_FAST_FREE`.
const FREE: u8 = 0x80;
const MAX_NAME_CHARS: usize = 300;

impl HeapView<'_> {
    pub(super) fn of_function(&self, parent: u64, child: u64) -> Option<Label> {
        let fields = [
            (function::CLOSURE, Label::Closure),
            (function::DEFAULTS, Label::Defaults),
            (function::KEYWORD_DEFAULTS, Label::KeywordDefaults),
            (function::DICT, Label::OwnDict),
            (function::GLOBALS, Label::Globals),
            (function::CODE, Label::Attribute("__code__".to_owned())),
        ];
        fields.into_iter().find(|(offset, _)| word(parent, *offset) == child).map(|(_, label)| label)
    }

    /// Whether the object is a code object.
    pub(crate) fn is_code(&self, object: u64) -> bool {
        object != 0 && word(object, TYPE) == self.python.known.code
    }

    /// The code object of a function; 0 if it has none.
    pub(crate) fn code_of(&self, function: u64) -> u64 {
        let code = word(function, function::CODE);
        if self.kinds.of(function) == Kind::Function && self.is_code(code) { code } else { 0 }
    }

    /// Whether the object is a function whose globals are this dict.
    pub(crate) fn is_function_of(&self, object: u64, globals: u64) -> bool {
        self.code_of(object) != 0 && word(object, function::GLOBALS) == globals
    }

    /// The function name in a code object.
    pub(crate) fn code_name(&self, code: u64) -> String {
        self.text(word(code, self.offsets.code.name), MAX_NAME_CHARS).unwrap_or_default()
    }

    /// A code object's name with its classes, without the functions around it; 3.10 has only the plain name.
    pub(crate) fn code_qualified_name(&self, code: u64) -> String {
        let name =
            self.text(word(code, self.offsets.code.qualified_name), MAX_NAME_CHARS).unwrap_or_default();
        name.rsplit_once("<locals>.").map_or(name.clone(), |(_, local)| local.to_owned())
    }

    /// The `str` with the name of a code object's file.
    pub(crate) fn code_file_object(&self, code: u64) -> u64 {
        word(code, self.offsets.code.file)
    }

    /// The file of a code object.
    pub(crate) fn code_file(&self, code: u64) -> String {
        self.text(word(code, self.offsets.code.file), 4096).unwrap_or_default()
    }

    /// The name of a function as a person would search for it.
    pub(crate) fn function_name(&self, object: u64) -> String {
        if self.kinds.of(object) != Kind::Function {
            return String::new();
        }
        let name = self.text(word(object, function::QUALIFIED_NAME), MAX_NAME_CHARS).unwrap_or_default();
        name.rsplit_once("<locals>.").map_or(name.clone(), |(_, local)| local.to_owned())
    }

    /// The name of the closure variable at an index.
    pub(crate) fn free_name(&self, code: u64, index: u64) -> Option<String> {
        let names = word(code, self.offsets.code.names);
        if self.offsets.version < (3, 11) {
            let free = word(code, self.offsets.code.free);
            return self.text(self.at(free, index, self.kinds.of(free)), MAX_NAME_CHARS);
        }
        let kinds = word(code, self.offsets.code.kinds);
        if self.kinds.of(kinds) != Kind::Bytes {
            return None;
        }
        let all = bytes(kinds, BYTES, (word(kinds, SIZE) as usize).min(1 << 16));
        let place = all.iter().enumerate().filter(|(_, kind)| **kind & FREE != 0).nth(index as usize)?.0;
        self.text(self.at(names, place as u64, Kind::Tuple), MAX_NAME_CHARS)
    }

    /// The name of the argument whose default stands at an index of `__defaults__`, which belong to the last
    /// arguments.
    pub(crate) fn default_name(&self, object: u64, index: u64) -> Option<String> {
        let code = self.code_of(object);
        let arguments = u64::try_from(int(code, self.offsets.code.arguments)).ok()?;
        let defaults = self.length_of(word(object, function::DEFAULTS));
        let place = arguments.checked_sub(defaults)?.checked_add(index)?;
        self.text(self.at(word(code, self.offsets.code.names), place, Kind::Tuple), MAX_NAME_CHARS)
    }

    /// Whether the code's function yields.
    pub(crate) fn is_generator(&self, code: u64) -> bool {
        const GENERATOR: i32 = 0x20;
        const ASYNC_GENERATOR: i32 = 0x200;
        code != 0 && int(code, self.offsets.code.flags) & (GENERATOR | ASYNC_GENERATOR) != 0
    }

    /// Whether the variable at an index is `*args` or `**kwargs`; these follow the other arguments.
    pub(crate) fn is_collected_argument(&self, code: u64, index: u64) -> bool {
        let plain = self.offsets.code.arguments;
        let flags = int(code, self.offsets.code.flags);
        let first = u64::try_from(int(code, plain).saturating_add(int(code, plain + 8))).unwrap_or(0);
        let collected = u64::from(flags & VARARGS != 0) + u64::from(flags & VARKEYWORDS != 0);
        (first..first + collected).contains(&index)
    }

    /// The function that an `lru_cache` wraps.
    pub(crate) fn wrapped_by(&self, wrapper: u64) -> u64 {
        word(wrapper, LRU_FUNCTION)
    }

    /// The dict of an `lru_cache`.
    pub(crate) fn own_cache(&self, wrapper: u64) -> u64 {
        word(wrapper, LRU_CACHE)
    }
}
