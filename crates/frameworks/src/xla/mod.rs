//! XLA and its compilers, which TensorFlow and JAX have in common.

use nilometer_symbols::part::{Pack, Rule, around, work};

const XLA: &str = "XLA compilation";

static RULES: &[Rule] = &[
    // Compilers.
    work("^xla::cpu::*Compiler*", XLA, "compiles a cluster for the CPU"),
    work("^xla::cpu::ParallelFusionEmitter", XLA, "as above"),
    work("^xla::*Compiler", XLA, "compiles a cluster"),
    work("^xla::HloPassPipeline", XLA, "passes over a cluster"),
    work("^xla::LocalService", XLA, "compiles on request"),
    work("^xla::LocalClient", XLA, "compiles on request"),
    around("^mlir", "compiler (MLIR)", "the namespace"),
    around("^llvm", "compiler (LLVM)", "the namespace"),
    around("^xla", "XLA", "the namespace"),
];

pub(crate) static SYMBOLS: Pack = Pack { rules: RULES, op: None };
