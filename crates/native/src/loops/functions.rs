#![expect(unsafe_code, reason = "asks CPython what an instruction does to the stack")]
//! The functions that the program's outermost frames are in, with their bytecode understood.
//!
//! In: code objects, with the GIL. Out: their flow. What must not happen here: work that is done again at each tick; a function whose
//! calls are left and gone on with.

use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::flow::Flow;
use super::opcodes::Version;

/// Functions whose bytecode is kept understood.
const MAX_FUNCTIONS: usize = 64;
/// `CO_GENERATOR`, `CO_COROUTINE`, `CO_ASYNC_GENERATOR`.
const COMES_AND_GOES: u32 = 0x20 | 0x80 | 0x200;

pub(super) struct Known {
    code: Py<PyAny>,
    flow: Option<Flow>,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// What is known; nothing while somebody else looks.
pub(super) fn known() -> Option<MutexGuard<'static, Vec<Known>>> {
    KNOWN.try_lock().ok()
}

/// The bytecode of a function, understood once; nothing where it is not to be counted in.
pub(super) fn flow_of<'a>(
    known: &'a mut Vec<Known>,
    code: &Bound<'_, PyAny>,
    version: Version,
) -> Option<&'a Flow> {
    let place = known.iter().position(|known| known.code.is(code));
    let place = match place {
        Some(place) => place,
        None if known.len() < MAX_FUNCTIONS => {
            let _ours = crate::recorder::Ours::begin();
            known.push(Known { code: code.clone().unbind(), flow: understand(code, version) });
            known.len() - 1
        }
        None => return None,
    };
    known.get(place)?.flow.as_ref()
}

fn understand(code: &Bound<'_, PyAny>, version: Version) -> Option<Flow> {
    let flags: u32 = code.getattr(intern!(code.py(), "co_flags")).ok()?.extract().ok()?;
    if flags & COMES_AND_GOES != 0 {
        return None;
    }
    let py = code.py();
    let bytes = |name| code.getattr(name).ok()?.cast_into::<PyBytes>().ok();
    let instructions = bytes(intern!(py, "co_code"))?;
    let table = if version == Version::V311 { Some(bytes(intern!(py, "co_exceptiontable"))?) } else { None };
    let effect = effect()?;
    let effect = |op: u8, arg: usize, jumps: bool| {
        // SAFETY: CPython declares the function like this; it looks into no memory.
        let change = unsafe { effect(op.into(), c_int::try_from(arg).ok()?, jumps.into()) };
        (change != c_int::MAX).then_some(change as isize)
    };
    Flow::new(version, instructions.as_bytes(), table.as_ref().map_or(&[], |table| table.as_bytes()), &effect)
}

type StackEffect = unsafe extern "C" fn(c_int, c_int, c_int) -> c_int;

fn effect() -> Option<StackEffect> {
    // SAFETY: a C string, searched in what is loaded; CPython exports this function in 3.10 and 3.11.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"PyCompile_OpcodeStackEffectWithJump".as_ptr()) };
    // SAFETY: CPython declares it like this.
    (!found.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, StackEffect>(found) })
}
