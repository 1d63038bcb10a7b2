//! C functions that find paths and take a full look.

use std::ffi::c_char;

use nilometer_census::{Block, FullLook, Object, Path, PathLimits, Python, TypeTotal, collect, find};

use crate::{answer, quoted};

thread_local! { static FOUND: Result<Python, String> = Python::find(nilometer_frameworks::CENSUS) }

pub(crate) fn with_python(make: impl FnOnce(&Python) -> String) -> *const c_char {
    FOUND.with(|found| match found {
        Ok(python) => answer(&make(python)),
        Err(why) => answer(&format!("{{\"error\": {}}}", quoted(why))),
    })
}

pub(crate) fn path_json(path: &Path) -> String {
    format!(
        "{{\"text\": {}, \"owner\": {}, \"kind\": {}, \"file\": {}, \"bound\": {}}}",
        quoted(&path.text),
        quoted(&path.owner),
        quoted(&path.kind),
        quoted(&path.file),
        path.bound.map_or("null".to_string(), |bound| bound.to_string()),
    )
}

/// A slice that Python lends for the duration of the call.
pub(crate) fn lent<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: a ctypes array of `count` items, which lives as long as the call.
    unsafe { std::slice::from_raw_parts(first, count) }
}

fn limits(max_nodes: usize, max_pause_ns: u64) -> PathLimits {
    let usual = PathLimits { max_pause_ns: 10_000_000_000, ..PathLimits::default() };
    PathLimits {
        max_nodes: if max_nodes == 0 { usual.max_nodes } else { max_nodes },
        max_pause_ns: if max_pause_ns == 0 { usual.max_pause_ns } else { max_pause_ns },
    }
}

/// The paths to objects; 0 for a limit means the usual one.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn graph_find(
    first: *const u64,
    count: usize,
    max_nodes: usize,
    max_pause_ns: u64,
) -> *const c_char {
    with_python(|python| {
        let targets: Vec<Object> = lent(first, count).iter().map(|address| Object::at(*address)).collect();
        let limits = limits(max_nodes, max_pause_ns);
        let paths: Vec<String> = find(python, &targets, &limits)
            .iter()
            .map(|path| path.as_ref().map_or("null".to_string(), path_json))
            .collect();
        format!("[{}]", paths.join(", "))
    })
}

fn types_json(types: &[TypeTotal]) -> String {
    let each: Vec<String> = types
        .iter()
        .map(|of| {
            format!("{{\"name\": {}, \"count\": {}, \"bytes\": {}}}", quoted(&of.name), of.count, of.bytes)
        })
        .collect();
    format!("[{}]", each.join(", "))
}

fn whole_json(whole: &FullLook) -> String {
    let holders: Vec<String> = whole
        .holders
        .iter()
        .enumerate()
        .map(|(at, holder)| {
            let ids: Vec<String> = whole
                .held
                .iter()
                .filter(|(index, _)| *index == at)
                .flat_map(|(_, ids)| ids.iter().map(u64::to_string))
                .collect();
            format!(
                "{{\"path\": {}, \"class\": \"{:?}\", \"retained\": {}, \"alone\": {}, \"ids\": [{}]}}",
                path_json(&holder.path),
                holder.reachability,
                holder.retained_bytes,
                holder.alone_bytes,
                ids.join(", ")
            )
        })
        .collect();
    let counts = whole.counts;
    let unowned: Vec<String> = whole.unowned.iter().map(u64::to_string).collect();
    format!(
        "{{\"objects\": {}, \"edges\": {}, \"bytes\": {}, \"native_bytes\": {}, \"garbage_bytes\": {}, \"pause_ns\": {}, \
         \"cost_ns\": {}, \"cut\": {}, \"holders\": [{}], \"loose\": [{}], \"native\": {}, \"garbage\": {}}}",
        counts.objects,
        counts.edges,
        counts.bytes,
        counts.native_bytes,
        counts.garbage_bytes,
        counts.pause_ns,
        counts.cost_ns,
        counts.cut,
        holders.join(", "),
        unowned.join(", "),
        types_json(&whole.native),
        types_json(&whole.garbage),
    )
}

/// A full look at the heap. `blocks` are triples of id, address and size. `between` is called after the
/// analysis: Python code may run there, because that step does not hold the GIL.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn graph_whole(
    blocks: *const u64,
    count: usize,
    max_nodes: usize,
    max_pause_ns: u64,
    between: Option<extern "C" fn()>,
) -> *const c_char {
    with_python(|python| {
        let blocks: Vec<Block> = lent(blocks, 3 * count)
            .chunks_exact(3)
            .map(|block| Block { id: block[0], address: block[1], size: block[2] })
            .collect();
        let limits = limits(max_nodes, max_pause_ns);
        let analysed = collect(python, &blocks, &limits).analyse(&blocks);
        if let Some(between) = between {
            between();
        }
        whole_json(&analysed.name(python, &limits))
    })
}
