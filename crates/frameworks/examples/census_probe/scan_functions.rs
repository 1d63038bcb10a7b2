//! C functions that read objects, sizes and one scan.

use std::cell::RefCell;
use std::ffi::c_char;
use std::time::Duration;

use nilometer_census::{Census, Object, Python, ScanLimits, Scanner, Sizes, WaitingLimits};

use crate::{answer, quoted};

thread_local! { static FOUND: Result<Python, String> = Python::find(nilometer_frameworks::CENSUS) }

fn with_python(make: impl FnOnce(&Python) -> String) -> *const c_char {
    FOUND.with(|found| match found {
        Ok(python) => answer(&make(python)),
        Err(why) => answer(&format!("{{\"error\": {}}}", quoted(why))),
    })
}

fn list(addresses: &[u64]) -> String {
    format!("[{}]", addresses.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
}

/// Whether this Python can be read, and why not.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_find() -> *const c_char {
    with_python(|python| format!("{{\"version\": [{}, {}]}}", python.version().0, python.version().1))
}

/// The basic facts of the object at an address.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_object(address: u64) -> *const c_char {
    with_python(|python| {
        let object = Object::at(address);
        let (start, bytes) = python.block(object);
        let mut children = Vec::new();
        python.traverse(object, &mut |child| children.push(child.address()));
        format!(
            "{{\"type\": {}, \"references\": {}, \"gc\": {}, \"tracked\": {}, \"length\": {}, \"start\": {start}, \
             \"bytes\": {bytes}, \"children\": {}}}",
            quoted(&python.type_name(python.type_of(object))),
            python.references(object),
            python.is_gc(object),
            python.is_tracked(object),
            python.length(object).map_or("null".to_string(), |length| length.to_string()),
            list(&children),
        )
    })
}

/// The addresses of everything that the collector tracks.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_tracked() -> *const c_char {
    with_python(|python| {
        let mut tracked = Vec::new();
        python.visit_tracked(&mut |object| tracked.push(object.address()));
        list(&tracked)
    })
}

/// Garbage behind two marks, in the order of their age: objects and bytes of each; what was looked at.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_waiting(older: u64, younger: u64, max_objects: u64) -> *const c_char {
    let census = match Census::find(nilometer_frameworks::CENSUS) {
        Ok(census) => census,
        Err(why) => return answer(&format!("{{\"error\": {}}}", quoted(&why))),
    };
    let limits = WaitingLimits { objects: max_objects as usize, pause: Duration::from_mins(1) };
    let marks = [Object::at(older), Object::at(younger)];
    let Some((found, looked)) = census.waiting_garbage(&marks, limits) else { return answer("null") };
    let behind = |one: &nilometer_census::WaitingGarbage| {
        format!(
            "{{\"mark\": {}, \"objects\": {}, \"bytes\": {}, \"young\": {}}}",
            one.mark, one.objects, one.bytes, one.young_bytes
        )
    };
    let behind: Vec<String> = found.iter().map(behind).collect();
    answer(&format!("{{\"looked\": {looked}, \"behind\": [{}]}}", behind.join(", ")))
}

/// Memory outside of an object's own block: buffers, references that its type does not show, and its
/// description.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_sizes(address: u64) -> *const c_char {
    with_python(|python| {
        let (sizes, object) = (Sizes::new(python), Object::at(address));
        let (mut buffers, mut hidden) = (Vec::new(), Vec::new());
        sizes.buffers(object, &mut |buffer| {
            buffers.push(format!("[{}, {}, {}]", buffer.address, buffer.bytes, buffer.owner));
        });
        sizes.hidden(object, &mut |child| hidden.push(child.address()));
        let mut graph = Vec::new();
        sizes.graph(object, &mut |address, bytes| graph.push(format!("[{address}, {bytes}]")));
        format!(
            "{{\"buffers\": [{}], \"graph\": [{}], \"hidden\": {}, \"opaque\": {}, \"words\": {}}}",
            buffers.join(", "),
            graph.join(", "),
            list(&hidden),
            sizes.is_opaque(object),
            quoted(&sizes.describe(object)),
        )
    })
}

thread_local! { static SCANNER: RefCell<Scanner> = RefCell::default() }

/// Forgets the scans before; 0 keeps a limit as it is.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_forget(objects: u64, walk_ms: u64) {
    SCANNER.with(|scanner| {
        let mut limits = ScanLimits::default();
        if objects > 0 {
            limits.objects = objects;
        }
        if walk_ms > 0 {
            limits.walk = Duration::from_millis(walk_ms);
            limits.weigh = limits.walk;
        }
        *scanner.borrow_mut() = Scanner::default();
        scanner.borrow_mut().limits = limits;
    });
}

/// One scan.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_scan() -> *const c_char {
    with_python(|python| {
        let found = SCANNER.with(|scanner| scanner.borrow_mut().scan(python));
        let counts = found.counts;
        let grown: Vec<String> = found
            .grown
            .iter()
            .map(|one| {
                format!(
                    "{{\"address\": {}, \"kind\": {}, \"length\": {}, \"before\": {}, \"first\": {}, \"bytes\": {}, \
                     \"elements\": {}, \"native\": {}, \"shared\": {}, \"partial\": {}, \"scans\": {}}}",
                    one.object.address(),
                    quoted(&one.kind),
                    one.length,
                    one.before,
                    one.first,
                    one.bytes,
                    quoted(&one.elements),
                    one.native,
                    one.shared,
                    one.partial,
                    one.scans,
                )
            })
            .collect();
        let types: Vec<String> = found
            .types
            .iter()
            .map(|(name, count, change)| format!("[{}, {count}, {change}]", quoted(name)))
            .collect();
        format!(
            "{{\"objects\": {}, \"containers\": {}, \"untracked\": {}, \"growing\": {}, \"table_bytes\": {}, \"walk_ns\": {}, \"cost_ns\": {}, \
             \"whole\": {}, \"promising\": {}, \"grown\": [{}], \"types\": [{}]}}",
            counts.objects,
            counts.containers,
            counts.untracked,
            counts.growing,
            counts.table_bytes,
            counts.walk_ns,
            counts.cost_ns,
            counts.complete,
            found.promising,
            grown.join(", "),
            types.join(", "),
        )
    })
}

thread_local! { static CENSUS: RefCell<Option<Census>> = const { RefCell::new(None) } }

/// One scan with paths, as the Python module makes it.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn census_with_paths(cycle: u64) -> *const c_char {
    CENSUS.with(|kept| {
        let mut kept = kept.borrow_mut();
        if kept.is_none() {
            *kept = Census::find(nilometer_frameworks::CENSUS).ok();
        }
        let Some(census) = kept.as_mut() else { return answer("{}") };
        *census.limits() = ScanLimits {
            walk: Duration::from_mins(1),
            weigh: Duration::from_mins(1),
            ..ScanLimits::default()
        };
        census.path_limits.max_pause_ns = 60_000_000_000;
        let scan = census.scan(cycle);
        let grown: Vec<String> = scan
            .grown
            .iter()
            .map(|one| {
                format!(
                    "{{\"address\": {}, \"bytes\": {}, \"native\": {}, \"path\": {}, \"owner\": {}}}",
                    one.container.object.address(),
                    one.container.bytes,
                    one.container.native,
                    one.path.as_ref().map_or("null".to_string(), |path| quoted(&path.text)),
                    one.path.as_ref().map_or("null".to_string(), |path| quoted(&path.owner)),
                )
            })
            .collect();
        answer(&format!("{{\"cycle\": {}, \"grown\": [{}]}}", scan.cycle, grown.join(", ")))
    })
}
