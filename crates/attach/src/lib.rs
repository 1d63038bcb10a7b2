//! The way into a running Python: one call, written from outside while its threads are stopped.
//!
//! In: a process id, and the path of a script. Out: a process whose main thread will run the script between
//! two of its own instructions; or the reason why not, with the remedy. What must not happen here: our code
//! run at a random place, a write where the values are not the expected ones, an endless wait, or a process
//! left stopped. `docs/design/attach.md` argues each step.

mod debug_offsets;
mod guardian;
mod image;
mod layout;
mod maps;
mod memory;
mod post;
mod proc_status;
mod ptrace;
mod queue;
mod refusal;
mod request;
mod sleeper;
mod spare_bytes;
mod stop;
mod target;
mod wake;
mod words;

pub use post::Posted;
pub use refusal::Refusal;
pub use target::Target;
pub use wake::Woken;
