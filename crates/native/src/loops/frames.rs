#![expect(unsafe_code, reason = "reads slots of the value stack, which Python's frames do not show")]
//! The main thread's frames: where each stands, and what lies on its value stack.
//!
//! In: frame objects of the calling thread, with the GIL. Out: whether a frame comes once, or the loop that it is in. What must not
//! happen here: a slot read that the instruction does not fill; a reference that is kept; a frame whose parts do not name each other.
//!
//! Names of attributes are interned: Python's cache of them would keep each new one, 4,096 in all.

use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::flow::Flow;
use super::functions;
use super::iterators::{self, word};
use super::opcodes::{CALL_FUNCTION, CALL_FUNCTION_EX, CALL_FUNCTION_KW, CALL_METHOD, Version};
use super::place::Place;

/// Functions of Python's own that run a module's code, once for each call.
const RUNS_MODULES: [&str; 2] = ["_run_code", "_call_with_frames_removed"];
const MODULE: &str = "<module>";
/// What the outermost frame of a program's main thread may be.
const OUTERMOST: [&str; 2] = [MODULE, "_run_module_as_main"];

/// Offsets in bytes, `docs/design/python-frames.md`. 3.10: `f_code` and `f_valuestack` of a frame object.
const CODE_310: usize = 32;
const STACK_310: usize = 64;
/// 3.11: `f_frame` of a frame object; of what it names, `f_code`, `frame_obj`, `is_entry` (with `owner` behind it) and `localsplus`.
const INNER_311: usize = 24;
const CODE_311: usize = 32;
const OBJECT_311: usize = 40;
const HEIGHT_AND_ENTRY_311: usize = 64;
const LOCALS_311: usize = 72;
/// 3.11: `co_nlocalsplus` and `co_nlocals` of a code object, two C ints.
const COUNTS_311: usize = 72;

/// What a frame tells.
pub(crate) enum Told {
    /// It comes once, and calls the inner frame once.
    Once,
    /// The loop's head in bytes, its iterator's address, turns that are over.
    Turns(usize, usize, i64),
}

/// A frame of the calling thread that is being run.
struct Frame<'py> {
    object: Bound<'py, PyAny>,
    code: Bound<'py, PyAny>,
    version: Version,
}

/// Where the frame stands, and whether it calls `inner`, the next one, once. Nothing where neither is certain.
pub(crate) fn tell<'py>(
    frame: Bound<'py, PyAny>,
    inner: Option<Bound<'py, PyAny>>,
    is_outermost: bool,
) -> Option<Told> {
    let py = frame.py();
    let version = match (py.version_info().major, py.version_info().minor) {
        (3, 10) => Version::V310,
        (3, 11) => Version::V311,
        _ => return None,
    };
    let frame = Frame::of(frame, version)?;
    if is_outermost && !OUTERMOST.contains(&frame.name()?.as_str()) {
        return None;
    }
    let offset: usize = frame.object.getattr(intern!(frame.object.py(), "f_lasti")).ok()?.extract().ok()?;
    let mut known = functions::known()?;
    let flow = functions::flow_of(&mut known, &frame.code, version)?;
    let at = flow.instruction(offset)?;
    match flow.place(at) {
        Place::Unknown => None,
        Place::Straight => {
            let inner = Frame::of(inner?, version)?;
            frame.calls_once(flow, at, &inner)?.then_some(Told::Once)
        }
        Place::Loop(it) => {
            let iterator = frame.slot(it.slot)?;
            let given = iterators::given(py, iterator, !it.is_within)?;
            Some(Told::Turns(it.head, iterator, given - i64::from(it.is_within)))
        }
    }
}

impl<'py> Frame<'py> {
    fn of(object: Bound<'py, PyAny>, version: Version) -> Option<Self> {
        let code = object.getattr(intern!(object.py(), "f_code")).ok()?;
        Some(Self { object, code, version })
    }

    fn name(&self) -> Option<String> {
        Some(
            self.code
                .getattr(intern!(self.code.py(), "co_name"))
                .ok()?
                .cast::<PyString>()
                .ok()?
                .to_string_lossy()
                .into_owned(),
        )
    }

    /// What lies in this place of the value stack, from 0.
    fn slot(&self, slot: usize) -> Option<usize> {
        let size: usize = self.code.getattr(intern!(self.code.py(), "co_stacksize")).ok()?.extract().ok()?;
        let base = self.base().filter(|_| slot < size)?;
        let value = word(base, slot * size_of::<usize>());
        (value != 0 && value.is_multiple_of(align_of::<usize>())).then_some(value)
    }

    /// Where its value stack begins, if all that leads there fits.
    fn base(&self) -> Option<usize> {
        let (object, code) =
            (self.object.as_ptr().expose_provenance(), self.code.as_ptr().expose_provenance());
        let locals: usize = self.code.getattr(intern!(self.code.py(), "co_nlocals")).ok()?.extract().ok()?;
        match self.version {
            Version::V310 => {
                let whole: usize =
                    self.object.call_method0(intern!(self.object.py(), "__sizeof__")).ok()?.extract().ok()?;
                let base = word(object, STACK_310);
                let fits = word(object, CODE_310) == code && base > object && base < object + whole;
                fits.then_some(base)
            }
            Version::V311 => {
                let inner = self.inner()?;
                let of_both = word(code, COUNTS_311) >> 32;
                let first_line = word(code, COUNTS_311) & 0xffff_ffff;
                let line: usize =
                    self.code.getattr(intern!(self.code.py(), "co_firstlineno")).ok()?.extract().ok()?;
                (of_both >= locals && first_line == line)
                    .then_some(inner + LOCALS_311 + of_both * size_of::<usize>())
            }
        }
    }

    /// 3.11: what the frame object names, if that names it and its code.
    fn inner(&self) -> Option<usize> {
        let (object, code) =
            (self.object.as_ptr().expose_provenance(), self.code.as_ptr().expose_provenance());
        let inner = word(object, INNER_311);
        let is_address = inner > 4096 && inner.is_multiple_of(align_of::<usize>());
        (is_address && word(inner, OBJECT_311) == object && word(inner, CODE_311) == code).then_some(inner)
    }

    /// Whether the instruction calls the inner frame, and no more than once.
    fn calls_once(&self, flow: &Flow, at: usize, inner: &Self) -> Option<bool> {
        if inner.name()? == MODULE {
            return Some(RUNS_MODULES.contains(&self.name()?.as_str()));
        }
        // A call that stays in the evaluator: one instruction, one call.
        if self.version == Version::V311 && word(inner.inner()?, HEIGHT_AND_ENTRY_311).to_le_bytes()[4] == 0 {
            return Some(true);
        }
        let (op, arg, height) = flow.at(at)?;
        let below = match (self.version, op) {
            (_, CALL_FUNCTION_EX) => 2 + arg % 2,
            (Version::V310, CALL_FUNCTION) => 1 + arg,
            (Version::V310, CALL_FUNCTION_KW) => 2 + arg,
            (Version::V310, CALL_METHOD) => {
                let method = height.checked_sub(2 + arg)?;
                2 + arg - usize::from(self.slot_or_null(method)? == 0)
            }
            _ => return Some(false),
        };
        Some(self.is_function(self.slot(height.checked_sub(below)?)?, &inner.code))
    }

    fn slot_or_null(&self, slot: usize) -> Option<usize> {
        let size: usize = self.code.getattr(intern!(self.code.py(), "co_stacksize")).ok()?.extract().ok()?;
        Some(word(self.base().filter(|_| slot < size)?, slot * size_of::<usize>()))
    }

    /// Whether what lies there is a function or a method with this code.
    fn is_function(&self, address: usize, code: &Bound<'py, PyAny>) -> bool {
        let object = std::ptr::with_exposed_provenance_mut::<ffi::PyObject>(address);
        // SAFETY: the GIL is held and the calling thread stands still: what a call lies on is alive until it has ended.
        let object = unsafe { Bound::from_borrowed_ptr(self.object.py(), object) };
        let function = if is_builtin(&object, "method") {
            object.getattr(intern!(object.py(), "__func__")).ok()
        } else {
            Some(object)
        };
        let function = function.filter(|function| is_builtin(function, "function"));
        function
            .and_then(|function| function.getattr(intern!(function.py(), "__code__")).ok())
            .is_some_and(|own| own.is(code))
    }
}

/// Whether its type is Python's own of this name, which no code of the program's is called for.
fn is_builtin(object: &Bound<'_, PyAny>, name: &str) -> bool {
    const MADE_BY_CODE: u64 = 1 << 9;
    let kind = object.get_type();
    let flags = kind.getattr(intern!(kind.py(), "__flags__")).and_then(|flags| flags.extract::<u64>());
    flags.is_ok_and(|flags| flags & MADE_BY_CODE == 0)
        && kind.getattr(intern!(object.py(), "__name__")).is_ok_and(|own| own.eq(name).unwrap_or(false))
}
