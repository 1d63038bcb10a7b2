//! One pass over an object's symbols against the sorted addresses.
//!
//! In: tables and sorted addresses. Out: for each address the function that covers it. TensorFlow's 1.24
//! million symbols stream through one small buffer; they are neither sorted nor kept.

use crate::elf::{SYMBOL_BYTES, SymbolTable, u16_at, u32_at, u64_at};
use crate::source::Source;

/// The symbol that covers an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The name in the file.
    pub(crate) name: Vec<u8>,
    /// Its first address.
    pub(crate) start: u64,
}

/// The best symbol for an address so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    start: u64,
    size: u64,
    rank: u8,
    name: u32,
    table: usize,
}

/// Symbols read at a time; 24 bytes each.
const CHUNK_SYMBOLS: usize = 8192;
/// Addresses covered by a table's symbols, counted once per symbol. Real symbols rarely nest or repeat, so
/// more means a forged table.
const MAX_COVERED_ADDRESSES: u64 = 50_000_000;
/// Longer names (Eigen's reach 20 kB) say nothing to a reader.
const MAX_RAW_NAME_BYTES: usize = 64 * 1024;

/// The result of a pass over the tables.
#[derive(Debug)]
pub(crate) struct ScanResult {
    /// For each address the function that covers it.
    pub(crate) hits: Vec<Option<Hit>>,
    /// Whether the tables name any function at all.
    pub(crate) functions: bool,
}

/// Finds the function that covers each of the `sorted` addresses. `None` if the symbols cover more addresses
/// than real ones can: the object is damaged or forged.
pub(crate) fn scan(source: &impl Source, tables: &[SymbolTable], sorted: &[u64]) -> Option<ScanResult> {
    let mut best: Vec<Option<Best>> = vec![None; sorted.len()];
    let index = Index::new(sorted);
    let mut functions = false;
    for (number, table) in tables.iter().enumerate() {
        // `.symtab` repeats the exported symbols: this saves a second read of 11 MB in TensorFlow.
        if number > 0 && best.iter().all(Option::is_some) {
            break;
        }
        functions |= pass(source, table, number, sorted, &index, &mut best)?;
    }
    let hit = |best: &Option<Best>| {
        let best = best.as_ref()?;
        let name = name_at(source, tables.get(best.table)?, best.name)?;
        Some(Hit { name, start: best.start })
    };
    Some(ScanResult { hits: best.iter().map(hit).collect(), functions })
}

/// Whether the table has any function; `None` if it covers too much.
fn pass(
    source: &impl Source,
    table: &SymbolTable,
    number: usize,
    sorted: &[u64],
    index: &Index,
    best: &mut [Option<Best>],
) -> Option<bool> {
    let mut buffer = vec![0; CHUNK_SYMBOLS * SYMBOL_BYTES as usize];
    let mut covered = 0_u64;
    let mut functions = false;
    let mut done = 0;
    while done < table.symbols {
        let want = (table.symbols - done).min(CHUNK_SYMBOLS as u64) as usize * SYMBOL_BYTES as usize;
        let read =
            source.read(table.offset + done * SYMBOL_BYTES, buffer.get_mut(..want).unwrap_or_default());
        for entry in buffer.get(..read).unwrap_or_default().chunks_exact(SYMBOL_BYTES as usize) {
            let Some(mut symbol) = function(entry) else { continue };
            symbol.table = number;
            functions = true;
            let end = symbol.start.saturating_add(symbol.size);
            let from = index.first_at_or_after(sorted, symbol.start);
            for (address, best) in sorted.iter().zip(best.iter_mut()).skip(from) {
                if *address >= end {
                    break;
                }
                covered += 1;
                if best.is_none_or(|best| better(&symbol, &best)) {
                    *best = Some(symbol);
                }
            }
            if covered > MAX_COVERED_ADDRESSES {
                return None;
            }
        }
        if read < want {
            break; // the file is shorter than its tables say; what was found so far is still true
        }
        done += CHUNK_SYMBOLS as u64;
    }
    Some(functions)
}

/// A defined function with a size. Hand-written assembly without a size covers no known addresses.
fn function(entry: &[u8]) -> Option<Best> {
    let info = *entry.get(4)?;
    let (kind, binding) = (info & 15, info >> 4);
    let (section, size) = (u16_at(entry, 6), u64_at(entry, 16));
    // Functions, indirect functions, and untyped assembly code with a size.
    let is_code = matches!(kind, 0 | 2 | 10);
    if !is_code || section == 0 || size == 0 {
        return None;
    }
    let typed = u8::from(kind != 0);
    let visible = match binding {
        1 => 2, // global
        2 => 1, // weak: an alias such as `malloc` of `__libc_malloc`
        _ => 0,
    };
    Some(Best { start: u64_at(entry, 8), size, rank: typed * 4 + visible, name: u32_at(entry, 0), table: 0 })
}

/// The innermost of nested symbols; among equals the more visible one, then the first.
fn better(new: &Best, old: &Best) -> bool {
    (new.start, u64::MAX - new.size, new.rank) > (old.start, u64::MAX - old.size, old.rank)
}

fn name_at(source: &impl Source, table: &SymbolTable, offset: u32) -> Option<Vec<u8>> {
    let mut wanted = 256;
    loop {
        let room = table.names_bytes.checked_sub(u64::from(offset))?;
        let length = room.min(wanted) as usize;
        let mut bytes = vec![0; length];
        let read = source.read(table.names_offset + u64::from(offset), &mut bytes);
        bytes.truncate(read);
        if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
            bytes.truncate(end);
            return (!bytes.is_empty()).then_some(bytes);
        }
        if read < length || length as u64 == room || length >= MAX_RAW_NAME_BYTES {
            return None; // no end: not a name
        }
        wanted *= 8;
    }
}

/// Gives in constant time where to begin in the sorted addresses: a binary search per symbol would cost half
/// the pass.
struct Index {
    base: u64,
    shift: u32,
    first: Vec<u32>,
}

impl Index {
    const BUCKETS_PER_ADDRESS: u64 = 8;

    fn new(sorted: &[u64]) -> Self {
        let base = sorted.first().copied().unwrap_or(0);
        let span = sorted.last().map_or(0, |last| last.saturating_sub(base));
        let buckets = (sorted.len() as u64 * Self::BUCKETS_PER_ADDRESS).max(1);
        let mut shift = 0;
        while (span >> shift) >= buckets {
            shift += 1;
        }
        let first = (0..=(span >> shift))
            .scan(0_usize, |at, bucket| {
                while sorted.get(*at).is_some_and(|address| address.saturating_sub(base) >> shift < bucket) {
                    *at += 1;
                }
                Some(*at as u32)
            })
            .collect();
        Self { base, shift, first }
    }

    fn first_at_or_after(&self, sorted: &[u64], start: u64) -> usize {
        let Some(distance) = start.checked_sub(self.base) else { return 0 };
        let bucket = usize::try_from(distance >> self.shift).unwrap_or(usize::MAX);
        let Some(&from) = self.first.get(bucket) else { return sorted.len() };
        let to = self.first.get(bucket.saturating_add(1)).map_or(sorted.len(), |&to| to as usize);
        let from = from as usize;
        from + sorted.get(from..to).unwrap_or_default().partition_point(|&address| address < start)
    }
}
