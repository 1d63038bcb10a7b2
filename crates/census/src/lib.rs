//! The walk of Python's heap inside the user's process.
