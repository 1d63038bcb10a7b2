#![expect(unsafe_code, reason = "exports C functions that Python calls through ctypes")]
//! A library that lets the Python tests call the census; they load it with `ctypes.PyDLL`, which keeps the GIL.
//!
//! Each function returns text: JSON that lives until the next call on this thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

mod path_functions;
mod scan_functions;

/// Keeps the text alive until the next answer.
pub(crate) fn answer(text: &str) -> *const c_char {
    thread_local! { static LAST: RefCell<CString> = RefCell::default() }
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    LAST.with(|last| {
        *last.borrow_mut() = text;
        last.borrow().as_ptr()
    })
}

/// A JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            letter if letter < ' ' => quoted += &format!("\\u{:04x}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}
