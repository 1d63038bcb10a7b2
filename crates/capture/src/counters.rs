//! Lists of optional numbers, as a reading or the surroundings of a program have them.
//!
//! In a file they stand in the order given here; a new one is appended. What must not happen here: a zero for a number that could not
//! be read.

/// Resident shared memory is in use like any other from so many bytes on: a capture whose own file lies in memory has pages of it, a quarter of
/// a mebibyte at most as measured.
pub const MIN_SHARED_BYTES: u64 = 1 << 20;

/// Declares a struct of optional numbers that travels as a list of them, in this order.
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$field_doc])* pub $field: Option<u64>),+ }

        impl $name {
            /// The names of the numbers, in file order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($field)),+];

            /// The numbers, in file order.
            pub fn to_numbers(&self) -> Vec<Option<u64>> {
                vec![$(self.$field),+]
            }

            /// The numbers, in file order, without allocating: this is what the writer uses.
            pub fn to_array(&self) -> [Option<u64>; Self::NAMES.len()] {
                [$(self.$field),+]
            }

            /// From numbers in file order; missing ones are `None`, surplus ones are ignored.
            pub fn from_numbers(numbers: &[Option<u64>]) -> Self {
                let mut rest = numbers.iter().copied();
                Self { $($field: rest.next().flatten()),+ }
            }
        }
    };
}
pub(crate) use numbers;

numbers! {
    /// Counters read inside the process. Bytes unless said otherwise; `None` where it could not be read this time.
    Counters {
        /// Resident anonymous memory (`RssAnon`).
        rss_anon,
        /// Resident file-backed memory (`RssFile`).
        rss_file,
        /// Resident shared memory (`RssShmem`).
        rss_shmem,
        /// Swapped out (`VmSwap`).
        swap,
        /// Address space (`VmSize`).
        vm_size,
        /// Private data (`VmData`), what `RLIMIT_DATA` limits.
        vm_data,
        /// Threads (a count).
        threads,
        /// The C allocator's blocks in use inside its arenas (`mallinfo2().uordblks`).
        heap_in_use,
        /// The C allocator's blocks that are mappings of their own (`hblkhd`), all of it in use.
        heap_mapped,
        /// Free bytes the C allocator keeps (`fordblks`).
        heap_free,
        /// Bytes the C allocator's arenas took from the system (`arena`).
        heap_system,
        /// Bytes of Python's small-object allocator in use: block sizes times blocks in use, over its size classes.
        py_in_use,
        /// Bytes of Python's small-object allocator's arenas.
        py_system,
        /// Blocks of Python's small-object allocator in use (a count).
        py_blocks,
        /// Collections of generation 0 so far (a count).
        gc0,
        /// Collections of generation 1 so far (a count).
        gc1,
        /// Full collections so far (a count).
        gc2,
        /// Net container objects made since the last collection of generation 0 (`gc.get_count()[0]`, a count).
        gc_young,
        /// What taking this reading cost, in nanoseconds.
        cost_ns,
        /// Objects that collections of all generations have freed so far (a count).
        gc_collected,
        /// Bytes in use inside pools of tensor memory on the CPU, which lie in blocks of the C allocator.
        pool_used,
        /// Bytes that these pools took from the C allocator, in use or not.
        pool_reserved,
        /// Whether Python's collector runs by itself: 1, or 0 after `gc.disable()`.
        gc_enabled,
        /// Bytes in use inside pools of libraries that have an allocator of their own, outside of the C allocator's blocks.
        library_used,
        /// Python modules that are loaded (a count).
        modules,
        /// Bytes of objects that are gone and that Python keeps for the next of their kind (free lists), part of `py_in_use`.
        py_kept,
    }
}

numbers! {
    /// One process as its parent machine sees it, read from outside. Bytes unless said otherwise.
    ProcessReading {
        /// Process id.
        pid,
        /// Resident anonymous memory (`RssAnon`).
        rss_anon,
        /// Resident file-backed memory (`RssFile`).
        rss_file,
        /// Resident shared memory (`RssShmem`).
        rss_shmem,
        /// Swapped out (`VmSwap`).
        swap,
        /// Address space (`VmSize`).
        vm_size,
        /// Largest address space so far (`VmPeak`).
        vm_peak,
        /// Private data (`VmData`).
        vm_data,
        /// Largest resident memory so far (`VmHWM`).
        rss_peak,
        /// Threads (a count).
        threads,
        /// CPU time used, user and system together, in nanoseconds.
        cpu_ns,
        /// Anonymous memory that no other process shares, swapped out or not; dear to read, so not in every reading.
        private,
    }
}

numbers! {
    /// The limits around the program. Bytes unless said otherwise.
    Surroundings {
        /// Physical memory of the machine.
        ram_total,
        /// Memory the machine could still give (`MemAvailable`).
        ram_available,
        /// The smallest cgroup limit that applies, if any.
        cgroup_limit,
        /// Use counted against that limit.
        cgroup_current,
        /// Highest use so far.
        cgroup_peak,
        /// Kills by that cgroup's memory limit so far (a count).
        cgroup_oom_kills,
        /// Times the limit was hit so far (a count).
        cgroup_limit_hits,
        /// Page cache inside the current use, which the kernel can take back.
        cgroup_file,
        /// Kills by the machine running out of memory so far (a count).
        system_oom_kills,
    }
}
