//! Names for native frames, looked up after the run.
//!
//! In: the objects that a process had loaded, and return addresses in them. Out: for each address the
//! function's full name, a short form for people, and whether it is plumbing; or the reason why there is no
//! name. [`part`] also says which part of a framework, Python or a library a stack belongs to. Files are read,
//! never mapped and never trusted: any bytes may be in them, and nothing here panics. What must not happen
//! here: a name guessed from a neighbour.

pub mod part;

mod demangle;
mod elf;
mod loaded;
mod lookup;
mod name_cursor;
mod plumbing;
mod resolve;
mod scan;
mod short;
mod source;
mod words;

pub use loaded::{Identity, Loaded};
pub use lookup::names_in;
pub use resolve::{Missing, Symbol, Symbols, resolve};
