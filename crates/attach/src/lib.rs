//! The way into a running Python: one call, written from outside while its threads stand still.
//!
//! In: a process id, and the path of a script. Out: a process whose main thread will run the script between two of its
//! own instructions, or the reason why it cannot, with the remedy. What must not happen here: an instruction of ours run
//! at a random place, a write where the values found are not the ones expected, a wait without an end, or a process left
//! stopped. `docs/design/attach.md` argues each step.

mod guardian;
mod image;
mod layout;
mod maps;
mod memory;
mod offsets;
mod post;
mod proc;
mod ptrace;
mod queue;
mod refuse;
mod request;
mod room;
mod sleeper;
mod stop;
mod target;
mod wake;

pub use post::Posted;
pub use refuse::Refusal;
pub use target::Target;
pub use wake::Woken;
