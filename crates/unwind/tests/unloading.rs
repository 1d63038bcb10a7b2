//! Libraries that come and go, and others at the same address.
#![allow(unsafe_code, clippy::unwrap_used, reason = "tests call C and may panic")]

mod support;

use nilometer_unwind::modules;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use support::{both, function, library, open, same};

/// Two functions of the same length in code, with frames of different size: the call returns to the same address.
fn source(frame: u32) -> String {
    format!(
        "__asm__(\".globl go\\n.type go,@function\\ngo:\\n.cfi_startproc\\nsub ${frame}, %rsp\\n\
         .cfi_adjust_cfa_offset {frame}\\ncall *%rdi\\nadd ${frame}, %rsp\\n.cfi_adjust_cfa_offset -{frame}\\n\
         ret\\n.cfi_endproc\\n.size go, .-go\\n\");"
    )
}

extern "C" fn check() {
    same();
}

#[test]
fn another_library_at_the_same_address() {
    let mut places = HashSet::new();
    for round in 0..200 {
        let path = library("replaced", &source(if round % 3 == 0 { 24 } else { 104 }), &[]);
        let handle = open(&path);
        let go = function(handle, "go");
        places.insert(go as usize);
        go(check, 0);
        // SAFETY: nothing of the library is in use.
        unsafe { libc::dlclose(handle) };
    }
    // Otherwise this test tested nothing.
    assert!(places.len() < 150, "{} places", places.len());
    let mut listed = 0;
    modules(0, &mut |_, module| listed += usize::from(module.path.ends_with(b"replaced/code.so")));
    assert!(listed >= 1);
}

#[test]
fn walks_while_libraries_come_and_go() {
    let path = library("busy", &source(40), &[]);
    let stop = AtomicBool::new(false);
    let walks: [AtomicUsize; 8] = Default::default();
    std::thread::scope(|scope| {
        for walked in &walks {
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Relaxed) {
                    let (ours, _, oracle) = both();
                    if ours != oracle {
                        stop.store(true, Relaxed);
                        panic!("{ours:?} is not {oracle:?}");
                    }
                    walked.fetch_add(1, Relaxed);
                }
            });
        }
        let mut rounds = 0;
        // A thread that a busy machine keeps waiting has walked too little to have tested anything.
        while !stop.load(Relaxed) && (rounds < 400 || walks.iter().any(|walked| walked.load(Relaxed) <= 10)) {
            let handle = open(&path);
            function(handle, "go")(check, 0);
            // SAFETY: nothing of the library is in use.
            unsafe { libc::dlclose(handle) };
            rounds += 1;
        }
        stop.store(true, Relaxed);
    });
}
