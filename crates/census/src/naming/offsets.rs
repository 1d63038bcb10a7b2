//! Offsets of the CPython fields that naming reads, by version, in bytes.
//!
//! In: a version. Out: [`Offsets`]. Pure. Offsets that all versions share are constants here or in
//! [`crate::layout`]. The tests of paths run on each version.

/// `ob_sval` of `bytes`.
pub(crate) const BYTES: u64 = 32;
/// `tp_members` of a type.
pub(crate) const TYPE_MEMBERS: u64 = 240;

/// Fields of a function.
pub(crate) mod function {
    pub(crate) const GLOBALS: u64 = 16;
    pub(crate) const QUALIFIED_NAME: u64 = 40;
    pub(crate) const CODE: u64 = 48;
    pub(crate) const DEFAULTS: u64 = 56;
    pub(crate) const KEYWORD_DEFAULTS: u64 = 64;
    pub(crate) const CLOSURE: u64 = 72;
    pub(crate) const DICT: u64 = 88;
}

/// `im_func` and `im_self` of a bound method; `ob_ref` of a cell; `md_dict` of a module.
pub(crate) const METHOD_FUNCTION: u64 = 16;
pub(crate) const METHOD_SELF: u64 = 24;
pub(crate) const CELL_CONTENTS: u64 = 16;
pub(crate) const MODULE_DICT: u64 = 16;
/// `tb_next` and `tb_frame` of a traceback.
pub(crate) const TRACEBACK_NEXT: u64 = 16;
pub(crate) const TRACEBACK_FRAME: u64 = 24;
/// `dict` and `args` of an exception.
pub(crate) const EXCEPTION_ARGS: u64 = 24;
/// `maxlen` of a deque, -1 for none.
pub(crate) const DEQUE_MAX: u64 = 64;
/// `cache`, `func` and `maxsize` of `functools._lru_cache_wrapper`; a `maxsize` of -1 is none.
pub(crate) const LRU_CACHE: u64 = 72;
pub(crate) const LRU_FUNCTION: u64 = 88;
pub(crate) const LRU_MAX: u64 = 96;

/// `base` of numpy arrays, the same in numpy 1 and 2.
pub(crate) const ARRAY_BASE: u64 = 48;

/// Fields of code objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// `co_argcount`; `co_kwonlyargcount` stands 8 bytes further.
    pub(crate) arguments: u64,
    pub(crate) flags: u64,
    pub(crate) stack_size: u64,
    /// 3.11 on: names and kinds of all variables. 3.10: names of plain variables, of cells (in `kinds`), of
    /// free variables.
    pub(crate) names: u64,
    pub(crate) kinds: u64,
    pub(crate) free: u64,
    pub(crate) file: u64,
    pub(crate) name: u64,
    pub(crate) qualified_name: u64,
}

/// Fields of a frame: the frame object in 3.10, the interpreter's own frame later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) code: u64,
    pub(crate) globals: u64,
    pub(crate) locals: u64,
    pub(crate) previous: u64,
    /// The number of variables and values; from 3.14 on, the address of their end.
    pub(crate) depth: u64,
    /// 3.11 on.
    pub(crate) owner: u64,
    pub(crate) variables: u64,
}

/// All offsets that differ between versions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets {
    pub(crate) version: (u8, u8),
    pub(crate) code: Code,
    pub(crate) frame: Frame,
    /// 3.11 and 3.12: the thread's `_PyCFrame`, which holds `current`.
    pub(crate) thread_cframe: Option<u64>,
    pub(crate) thread_current: u64,
    /// The context that a thread has entered; where it is not known, variables of contexts are no roots.
    pub(crate) thread_context: Option<u64>,
    /// A generator's frame: inside the generator from 3.11 on; in 3.10 a pointer to a frame object.
    pub(crate) generator_frame: u64,
    /// `gi_frame_state`, 3.11 on.
    pub(crate) generator_state: u64,
    pub(crate) exception_traceback: u64,
    pub(crate) exception_context: u64,
    pub(crate) exception_cause: u64,
}

/// `f_funcobj` of the interpreter's frame, 3.12 on.
pub(crate) const FRAME_FUNCTION: u64 = 16;
/// `f_frame` of a frame object, 3.11 on.
pub(crate) const FRAME_INNER: u64 = 24;

impl Offsets {
    /// The offsets of a version; `None` for unknown versions.
    pub(crate) fn of(version: (u8, u8)) -> Option<Offsets> {
        let old = Offsets {
            version,
            code: Code {
                arguments: 16,
                flags: 36,
                stack_size: 32,
                names: 72,
                kinds: 88,
                free: 80,
                file: 104,
                name: 112,
                qualified_name: 112,
            },
            frame: Frame {
                code: 32,
                globals: 48,
                locals: 56,
                previous: 24,
                depth: 80,
                owner: 0,
                variables: 352,
            },
            thread_cframe: None,
            thread_current: 24,
            thread_context: Some(240),
            generator_frame: 16,
            generator_state: 0,
            exception_traceback: 32,
            exception_context: 40,
            exception_cause: 48,
        };
        let frame_of_12 =
            Frame { code: 0, globals: 24, locals: 40, previous: 8, depth: 64, owner: 70, variables: 72 };
        let code_of_11 = Code {
            arguments: 56,
            flags: 48,
            stack_size: 68,
            names: 96,
            kinds: 104,
            free: 0,
            file: 112,
            name: 120,
            qualified_name: 128,
        };
        let of_11 = Offsets {
            code: code_of_11,
            frame: Frame {
                code: 32,
                globals: 8,
                locals: 24,
                previous: 48,
                depth: 64,
                owner: 69,
                variables: 72,
            },
            thread_cframe: Some(56),
            thread_current: 8,
            thread_context: Some(224),
            generator_frame: 80,
            generator_state: 75,
            exception_traceback: 40,
            exception_context: 48,
            exception_cause: 56,
            ..old
        };
        let of_12 = Offsets {
            code: Code { arguments: 52, stack_size: 64, ..code_of_11 },
            frame: frame_of_12,
            thread_current: 0,
            thread_context: Some(208),
            generator_frame: 72,
            generator_state: 67,
            ..of_11
        };
        let of_13 = Offsets { thread_cframe: None, thread_current: 72, ..of_12 };
        match version {
            (3, 10) => Some(old),
            (3, 11) => Some(of_11),
            (3, 12) => Some(of_12),
            (3, 13) => Some(of_13),
            (3, 14) => Some(Offsets {
                frame: Frame { owner: 74, variables: 80, ..frame_of_12 },
                thread_context: None,
                ..of_13
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for minor in 10..=14 {
            assert!(Offsets::of((3, minor)).is_some());
        }
        for version in [(2, 7), (3, 9), (3, 15), (4, 10)] {
            assert!(Offsets::of(version).is_none());
        }
    }
}
