//! Native memory of JAX's: the buffers of arrays, which XLA allocates when it has time, and compiled programs.
//!
//! In: findings. Out: whose memory it is. What must not happen here: a cause.

use nilometer_diagnose::Finding;

/// Parts of JAX that make a compiled program.
pub(super) const COMPILERS: [&str; 2] = ["XLA compilation", "compiler (LLVM)"];
/// The libraries with XLA in them, in today's and in older packages of JAX.
const LIBRARIES: [&str; 2] = ["libjax_common", "xla_extension"];

/// Whether XLA made this memory where no line of Python runs, and not to compile.
pub(super) fn is_of_xla_thread(finding: &Finding) -> bool {
    let is_jax = |file: &str| LIBRARIES.iter().any(|library| file.contains(library));
    finding.sites.iter().all(|site| site.line == 0)
        && finding.part.as_deref().is_none_or(|part| !COMPILERS.contains(&part))
        && finding.stack.iter().any(|frame| frame.carries && is_jax(&frame.file))
}
