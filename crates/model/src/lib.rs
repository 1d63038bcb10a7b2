//! Rules that several crates share, and that must not differ between them.
//!
//! In: names and paths as Python gives them. Out: an answer. What must not happen here: a file, a clock or an environment that
//! is read; a second implementation of one of these rules elsewhere.
// Runs inside of somebody's training: what goes wrong here is answered, never thrown.
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

mod code_folders;
mod facts;
mod file_owner;
mod frameworks;
mod holder_path;
mod package;

pub use code_folders::CodeFolders;
pub use facts::{OWN_FACT, framework_fact};
pub use file_owner::FileOwner;
pub use frameworks::FRAMEWORKS;
pub use holder_path::{HolderPath, NATIVE_CODE, Root, Step};
pub use package::{installed, is_package, packages};
