#![expect(
    unsafe_code,
    reason = "reads the position of CPython's own iterators, which nothing else shows without a copy"
)]
//! How many elements an iterator of Python's own has given.
//!
//! In: an object that is alive, with the GIL. Out: a number that rises by one with each element. What must not happen here: an
//! iterator that somebody else may move on; a place in memory that was not tried on a sample of this very Python first.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What stands where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// An index that rises, at this offset in bytes.
    Rises(usize),
    /// An index that falls, or what is left.
    Falls(usize),
    /// A `zip`: its iterators are in a tuple at this offset.
    Zip(usize),
}

/// Fields of every object, and where a tuple has its length and its elements.
const COUNT: usize = 0;
const TYPE: usize = 8;
const LENGTH_OFFSET: usize = 16;
const ELEMENTS: usize = 24;

/// Types whose samples were read right, by address. They are static and live as long as Python.
static KNOWN: PyOnceLock<Vec<(usize, Shape)>> = PyOnceLock::new();

/// Tries what iterators of three elements look like: each with an offset in bytes, and whether what stands there rises (1), falls
/// (-1) or names the iterators of a `zip` (0). How many of them were as expected.
pub(crate) fn learn(py: Python<'_>, samples: Vec<(Bound<'_, PyAny>, usize, i8)>) -> usize {
    let learned =
        || samples.into_iter().filter_map(|(sample, offset, way)| try_on(&sample, offset, way)).collect();
    KNOWN.get_or_init(py, learned).len()
}

/// The type of a sample, if what is read of it rises by one with each element.
fn try_on(sample: &Bound<'_, PyAny>, offset: usize, way: i8) -> Option<(usize, Shape)> {
    let object = sample.as_ptr().addr();
    let shape = match way {
        1 => Shape::Rises(offset),
        -1 => Shape::Falls(offset),
        _ => Shape::Zip(offset),
    };
    let size: usize = sample.get_type().getattr("__basicsize__").ok()?.extract().ok()?;
    if offset + size_of::<usize>() > size {
        return None;
    }
    let now = || match shape {
        Shape::Zip(offset) => position(word(word(object, offset), ELEMENTS), Shape::Rises(LENGTH_OFFSET)),
        shape => position(object, shape),
    };
    let first = now()?;
    for more in 1..3 {
        // SAFETY: the GIL is held; the sample is an iterator, and what it gives is let go of.
        unsafe { ffi::Py_XDECREF(ffi::PyIter_Next(sample.as_ptr())) };
        if now()? != first + more {
            return None;
        }
    }
    Some((word(object, TYPE), shape))
}

/// How many elements the iterator has given, from a base of its own; `None` where it is of no known kind, or not the frame's alone.
/// `gives`: it is being asked for the next one.
pub(super) fn given(py: Python<'_>, object: usize, gives: bool) -> Option<i64> {
    let known = KNOWN.get(py)?;
    // The kernel reads first: a slot that held something else would be an answer then, and no fault.
    let [_, kind] = nilometer_census::peek::<2>(object as u64)?;
    known.iter().find(|(of, _)| *of as u64 == kind)?;
    let shape = |object| known.iter().find(|(of, _)| *of == word(object, TYPE)).map(|(_, shape)| *shape);
    match shape(object).filter(|_| word(object, COUNT) == 1)? {
        // Of several iterators the first may have moved on already.
        Shape::Zip(_) if gives => None,
        Shape::Zip(offset) => {
            let tuple = word(object, offset);
            let first = if word(tuple, LENGTH_OFFSET) > 0 { word(tuple, ELEMENTS) } else { return None };
            let is_own = word(tuple, COUNT) == 1 && word(first, COUNT) == 1;
            position(first, shape(first).filter(|_| is_own)?)
        }
        shape => position(object, shape),
    }
}

fn position(object: usize, shape: Shape) -> Option<i64> {
    match shape {
        Shape::Rises(offset) => i64::try_from(word(object, offset).cast_signed()).ok(),
        Shape::Falls(offset) => i64::try_from(word(object, offset).cast_signed()).ok()?.checked_neg(),
        Shape::Zip(_) => None,
    }
}

/// The word at an offset in an object.
pub(super) fn word(object: usize, offset: usize) -> usize {
    // SAFETY: callers name live objects that are at least so large, by their type or by what was checked of them before.
    unsafe { std::ptr::with_exposed_provenance::<usize>(object + offset).read() }
}
