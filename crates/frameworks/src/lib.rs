//! What is known of frameworks: one folder for each, all with the same files, behind a feature of the same name.
//!
//! In: nothing. Out: packs, as the crates that ask define them. What must not happen here: a rule that serves more than one
//! framework; a name of one framework in the folder of another.
// A part of this runs inside of somebody's training: what goes wrong there is counted, never thrown.
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]
#![allow(clippy::doc_markdown, reason = "names of frameworks are names, not code")]

#[cfg(feature = "aiohttp")]
mod aiohttp;
#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "flask")]
mod flask;
#[cfg(feature = "jax")]
mod jax;
#[cfg(feature = "keras")]
mod keras;
#[cfg(feature = "lightning")]
mod lightning;
#[cfg(feature = "pandas")]
mod pandas;
#[cfg(feature = "pillow")]
mod pillow;
#[cfg(feature = "prometheus")]
mod prometheus;
#[cfg(feature = "sklearn")]
mod sklearn;
#[cfg(feature = "starlette")]
mod starlette;
#[cfg(feature = "tensorflow")]
mod tensorflow;
#[cfg(feature = "torch")]
mod torch;
#[cfg(feature = "xla")]
mod xla;

/// What the census gets.
pub static CENSUS: nilometer_census::Packs = &[
    #[cfg(feature = "aiohttp")]
    &aiohttp::CENSUS,
    #[cfg(feature = "arrow")]
    &arrow::CENSUS,
    #[cfg(feature = "flask")]
    &flask::CENSUS,
    #[cfg(feature = "jax")]
    &jax::CENSUS,
    #[cfg(feature = "keras")]
    &keras::CENSUS,
    #[cfg(feature = "lightning")]
    &lightning::CENSUS,
    #[cfg(feature = "pandas")]
    &pandas::CENSUS,
    #[cfg(feature = "pillow")]
    &pillow::CENSUS,
    #[cfg(feature = "prometheus")]
    &prometheus::CENSUS,
    #[cfg(feature = "sklearn")]
    &sklearn::CENSUS,
    #[cfg(feature = "starlette")]
    &starlette::CENSUS,
    #[cfg(feature = "tensorflow")]
    &tensorflow::CENSUS,
    #[cfg(feature = "torch")]
    &torch::CENSUS,
];

/// What the diagnosis gets.
pub static DIAGNOSE: nilometer_diagnose::pack::Packs = &[
    #[cfg(feature = "arrow")]
    &arrow::DIAGNOSE,
    #[cfg(feature = "jax")]
    &jax::DIAGNOSE,
    #[cfg(feature = "keras")]
    &keras::DIAGNOSE,
    #[cfg(feature = "tensorflow")]
    &tensorflow::DIAGNOSE,
    #[cfg(feature = "torch")]
    &torch::DIAGNOSE,
];

/// What proofs get.
pub static PROVE: nilometer_prove::pack::Packs = &[
    #[cfg(feature = "keras")]
    &keras::PROVE,
    #[cfg(feature = "tensorflow")]
    &tensorflow::PROVE,
];

/// What names of native code are told by.
pub static SYMBOLS: nilometer_symbols::part::Packs = &[
    #[cfg(feature = "tensorflow")]
    &tensorflow::SYMBOLS,
    #[cfg(feature = "xla")]
    &xla::SYMBOLS,
];
