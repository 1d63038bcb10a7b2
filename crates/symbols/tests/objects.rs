//! Names in real objects, against `nm`; and the reasons for objects without names.
#![allow(clippy::unwrap_used, reason = "a test that cannot build its object has failed")]

use nilometer_symbols::Missing::{Damaged, Gone, NoObject};
use nilometer_symbols::{Identity, Loaded, Missing, names_in, resolve};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const C: &str = r"
static int hidden(int a) { return a * 3 + 1; }
int shown(int a) { return hidden(a) + hidden(a + 1); }
static int __attribute__((noinline)) kept(int a) { return a * 7; }
int other(int a) { return kept(a) - shown(a); }
int main(void) { return other(3); }
";

const CPP: &str = r"
#include <vector>
#include <functional>
namespace lake { namespace { struct Dam { __attribute__((noinline)) int open(std::vector<int> const& gates) { return (int)gates.size(); } }; }
template <class T> struct Shore { __attribute__((noinline)) T walk(T far) { return far * 2; } };
int flow(int a) { Dam dam; std::function<int(int)> f = [a](int b) { return a * b; }; return dam.open({1, 2}) + (int)Shore<long>().walk(a) + f(a); } }
";

fn build(folder: &Path, name: &str, source: &str, compiler: &str, flags: &[&str]) -> PathBuf {
    let file = folder.join(format!("{name}.{}", if compiler == "cc" { "c" } else { "cc" }));
    std::fs::write(&file, source).unwrap();
    let object = folder.join(name);
    let built =
        Command::new(compiler).arg("-O1").args(flags).arg(&file).arg("-o").arg(&object).status().unwrap();
    assert!(built.success());
    object
}

/// Functions as `nm` lists them: address, size, name.
fn nm(object: &Path, flags: &[&str]) -> Vec<(u64, u64, String)> {
    let output = Command::new("nm").args(["-S", "--defined-only"]).args(flags).arg(object).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let hex = |field: &str| u64::from_str_radix(field, 16).unwrap();
    text.lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.splitn(4, ' ').collect();
            let [start, size, kind, name] = fields.try_into().ok()?;
            ["t", "T", "W"].contains(&kind).then(|| (hex(start), hex(size), name.to_owned()))
        })
        .collect()
}

/// Every function's first and last byte must have a name that `nm` gives to the same byte.
fn agrees(object: &Path, functions: &[(u64, u64, String)], bias: u64) {
    assert!(!functions.is_empty());
    let path = object.to_str().unwrap();
    let loaded = [Loaded { path, bias, start: bias, end: bias + (1 << 32), identity: None }];
    let pcs: Vec<u64> =
        functions.iter().flat_map(|(start, size, _)| [bias + start + 1, bias + start + size]).collect();
    let symbols = resolve(&loaded, &pcs);
    for (start, size, _) in functions {
        for pc in [bias + start + 1, bias + start + size] {
            let symbol = symbols.get(pc).unwrap();
            let possible = functions.iter().filter(|(s, l, _)| *s < pc - bias && pc - bias <= s + l);
            let names: Vec<&String> = possible.map(|(_, _, name)| name).collect();
            assert!(names.contains(&&symbol.name), "{symbol:?} for {pc:#x}, nm: {names:?}");
            assert_eq!(symbols.offset(pc), Some(pc - bias - start), "{symbol:?}");
            assert_eq!(symbols.object(pc), Some(path));
        }
    }
    assert!(symbols.problems().is_empty());
}

#[test]
fn names_of_c_agree_with_nm() {
    let folder = TempDir::new().unwrap();
    for (name, flags) in
        [("pie", &["-pie", "-fPIE"][..]), ("fixed", &["-no-pie"]), ("shared", &["-shared", "-fPIC"])]
    {
        let object = build(folder.path(), name, C, "cc", flags);
        let functions = nm(&object, &[]);
        assert!(functions.iter().any(|(_, _, name)| name == "kept"));
        agrees(&object, &functions, 0);
        agrees(&object, &functions, 0x7f12_3456_7000);
    }
}

#[test]
fn names_of_cpp_are_demangled_and_shortened() {
    let folder = TempDir::new().unwrap();
    let object = build(folder.path(), "lake", CPP, "c++", &["-shared", "-fPIC"]);
    let functions = nm(&object, &[]);
    let bytes = std::fs::read(&object).unwrap();
    let short = |raw: &str| {
        let (start, ..) = functions.iter().find(|(_, _, name)| name.contains(raw)).unwrap();
        names_in(&bytes, &[*start]).unwrap().remove(0).unwrap()
    };
    assert_eq!(short("Dam4open").short, "lake::Dam::open");
    assert_eq!(short("Shore").name, "lake::Shore<long>::walk(long)");
    assert_eq!(short("Shore").short, "lake::Shore::walk");
    assert_eq!(short("4flowEi").name, "lake::flow(int)");
    assert!(!short("4flowEi").plumbing);
    assert!(short("_M_invoke").plumbing);
}

#[test]
fn a_stripped_library_names_what_it_exports_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let object = build(folder.path(), "lib", C, "cc", &["-shared", "-fPIC"]);
    let all = nm(&object, &[]);
    assert!(Command::new("strip").arg(&object).status().unwrap().success());
    agrees(&object, &nm(&object, &["-D"]), 0);
    let (start, ..) = all.iter().find(|(_, _, name)| name == "kept").unwrap();
    let loaded = [Loaded { path: object.to_str().unwrap(), bias: 0, start: 0, end: 1 << 20, identity: None }];
    let symbols = resolve(&loaded, &[start + 1]);
    assert_eq!(symbols.missing(start + 1), Some(Missing::NotExported));
}

#[test]
fn a_stripped_program_says_so() {
    let folder = TempDir::new().unwrap();
    let object = build(folder.path(), "program", C, "cc", &["-s"]);
    let loaded = [Loaded { path: object.to_str().unwrap(), bias: 0, start: 0, end: 1 << 20, identity: None }];
    let symbols = resolve(&loaded, &[0x1140]);
    assert_eq!(symbols.missing(0x1140), Some(Missing::Stripped));
    assert!(symbols.problems().first().unwrap().contains("stripped"));
}

#[test]
fn a_file_that_changed_gives_no_names() {
    let folder = TempDir::new().unwrap();
    let object = build(folder.path(), "lib", C, "cc", &["-shared", "-fPIC"]);
    let seen = Identity::of(&std::fs::metadata(&object).unwrap());
    let (start, ..) = nm(&object, &[]).remove(0);
    let of = |identity| {
        let loaded = [Loaded { path: object.to_str().unwrap(), bias: 0, start: 0, end: 1 << 20, identity }];
        resolve(&loaded, &[start + 1]).missing(start + 1)
    };
    assert_eq!(of(Some(seen)), None);
    assert_eq!(of(Some(Identity { bytes: seen.bytes + 1, ..seen })), Some(Missing::Changed));
    assert_eq!(of(Some(Identity { modified_s: seen.modified_s - 1, ..seen })), Some(Missing::Changed));
}

#[test]
fn what_is_no_object_is_told_apart() {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("text");
    std::fs::write(&text, "not an object").unwrap();
    let paths =
        ["/no/such/file", "linux-vdso.so.1", folder.path().to_str().unwrap(), text.to_str().unwrap(), ""];
    let loaded: Vec<Loaded> = (1_u64..)
        .zip(paths)
        .map(|(at, path)| Loaded {
            path,
            bias: at << 20,
            start: at << 20,
            end: (at + 1) << 20,
            identity: None,
        })
        .collect();
    let pcs: Vec<u64> = (0..7).map(|at| (at << 20) + 5).collect();
    let symbols = resolve(&loaded, &pcs);
    let why: Vec<Missing> = pcs.iter().map(|pc| symbols.missing(*pc).unwrap()).collect();
    assert_eq!(why, [NoObject, Gone, Gone, Gone, Damaged, Gone, NoObject]);
    assert_eq!(symbols.problems().len(), 5);
    assert_eq!(symbols.missing(17), None, "an address that was not asked for");
}

#[test]
fn records_that_contradict_themselves_do_no_harm() {
    let path = "/proc/self/exe";
    let loaded = [
        Loaded { path, bias: u64::MAX, start: 0, end: u64::MAX, identity: None },
        Loaded { path, bias: 5000, start: 9000, end: 100, identity: None },
        Loaded { path, bias: 4000, start: 0, end: 8000, identity: None },
    ];
    let symbols = resolve(&loaded, &[0, 1, 3999, 4000, 4001, 7999, 8001, u64::MAX, 1, 0]);
    assert_eq!(symbols.get(0), None);
}

/// A Rust function of this process, found as the recorder would find it.
#[inline(never)]
fn wade(depth: u64) -> u64 {
    std::hint::black_box(depth) + 1
}

#[test]
fn a_function_of_this_process_is_found() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let exe = std::fs::read_link("/proc/self/exe").unwrap();
    let path = exe.to_str().unwrap();
    let ends = |line: &str| {
        let (start, end) = line.split(' ').next()?.split_once('-')?;
        Some((u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?))
    };
    let mine: Vec<(u64, u64)> = maps.lines().filter(|line| line.ends_with(path)).filter_map(ends).collect();
    let (start, end) = (mine.first().unwrap().0, mine.last().unwrap().1);
    let loaded = [Loaded { path, bias: start, start, end, identity: None }];
    let pc = wade as fn(u64) -> u64 as usize as u64 + 1;
    let symbols = resolve(&loaded, &[pc]);
    assert_eq!(symbols.get(pc).unwrap().name, "objects::wade");
    assert_eq!(symbols.get(pc).unwrap().short, "objects::wade");
    assert_eq!(wade(1), 2);
}
