//! Names for native frames, looked up after the run.
//!
//! In: the objects a process had loaded and the return addresses seen in them. Out: for each address the function's
//! full name, a short form for people, and whether it is plumbing; or the reason why there is no name. [`part`] goes
//! one step further and says in words which part of TensorFlow, Python or a library a stack belongs to.
//! Files are read, never mapped, and never trusted: any bytes may stand in them, and nothing here panics. What cannot be
//! known stays unnamed; no name is ever guessed from a neighbour.

pub mod part;

mod demangle;
mod elf;
mod loaded;
mod lookup;
mod plumbing;
mod resolve;
mod scan;
mod short;
mod source;
mod text;

pub use loaded::{Identity, Loaded};
pub use lookup::names_in;
pub use resolve::{Missing, Symbol, Symbols, resolve};
