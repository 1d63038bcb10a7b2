//! The library as a file: what it offers, what it needs, and what its fast paths may not do.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod recorded;

use std::process::Command;

fn tool(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(name).args(arguments).arg(recorded::library()).output().unwrap();
    assert!(output.status.success(), "binutils are needed here");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Names of the C allocator and of mappings, TensorFlow's pool, and what the readings ask.
const EXPORTED: &[&str] = &[
    "aligned_alloc",
    "calloc",
    "cfree",
    "free",
    "free_aligned_sized",
    "free_sized",
    "malloc",
    "memalign",
    "mmap",
    "mmap64",
    "mremap",
    "munmap",
    "posix_memalign",
    "pvalloc",
    "realloc",
    "reallocarray",
    "valloc",
];

#[test]
fn offers_the_hooks_and_nothing_else() {
    let table = tool("nm", &["-D", "--defined-only"]);
    let names = table.lines().filter_map(|line| line.split_whitespace().nth(2)).map(|name| {
        // Versions follow an at sign.
        name.split('@').next().unwrap_or(name)
    });
    let (hooks, others): (Vec<&str>, Vec<&str>) = names.partition(|name| EXPORTED.contains(name));
    assert_eq!(hooks.len(), EXPORTED.len(), "{hooks:?}");
    let strange =
        others.iter().find(|name| !name.starts_with("nilometer_recorder_") && !name.contains("BFCAllocator"));
    assert_eq!(strange, None);
}

#[test]
fn needs_the_c_library_alone() {
    let dynamic = tool("readelf", &["-d"]);
    let needed: Vec<&str> = dynamic
        .lines()
        .filter(|line| line.contains("(NEEDED)"))
        .filter_map(|line| line.split(['[', ']']).nth(1))
        .collect();
    let allowed = ["libc.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libm.so.6"];
    assert!(needed.iter().all(|name| allowed.contains(name)), "{needed:?}");
    assert!(dynamic.contains("NOW"), "bound at once: a call must not meet the loader's locks");
}

/// The instructions of an exported function, found by its address: functions that do the same are one.
fn instructions(code: &str, name: &str) -> String {
    let table = tool("nm", &["-D", "--defined-only"]);
    let of_name =
        |line: &&str| line.split_whitespace().nth(2).is_some_and(|it| it.split('@').next() == Some(name));
    let address = table.lines().find(of_name).and_then(|line| line.split_whitespace().next()).unwrap();
    let lines = code.lines().skip_while(|line| !(line.starts_with(address) && line.ends_with(">:")));
    let text: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    assert!(!text.is_empty(), "{name} is in the library");
    text.join("\n")
}

#[test]
fn a_hook_asks_nobody_for_its_variables() {
    let code = tool("objdump", &["-d", "--no-show-raw-insn"]);
    for name in ["malloc", "free", "calloc", "realloc", "posix_memalign", "aligned_alloc", "mmap", "munmap"] {
        let text = instructions(&code, name);
        assert!(!text.contains("__tls_get_addr"), "{name} finds its thread's block itself");
        assert!(!text.contains("panic"), "{name} cannot panic");
    }
}

#[test]
fn no_function_takes_much_of_a_stack() {
    let code = tool("objdump", &["-d", "--no-show-raw-insn"]);
    let mut function = "";
    let mut large = Vec::new();
    for line in code.lines() {
        if line.ends_with(">:") {
            function = line;
        }
        let taken = line.split("sub    $0x").nth(1).and_then(|rest| rest.strip_suffix(",%rsp"));
        let size = taken.and_then(|taken| u64::from_str_radix(taken, 16).ok()).unwrap_or(0);
        // What the constructor alone does may take more: it runs on the first thread's stack.
        let at_start = ["Recorder3new", "start", "stacks..Stacks3new", "Stacks3new", "make", "of_family"];
        if (8192..1 << 32).contains(&size) && !at_start.iter().any(|name| function.contains(name)) {
            large.push(format!("{function} {size}"));
        }
    }
    assert_eq!(large, Vec::<String>::new());
}
