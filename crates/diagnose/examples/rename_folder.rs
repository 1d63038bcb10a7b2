//! Rewrites evidence with another name for a folder: `rename_folder FROM TO FILE...`.
#![allow(clippy::print_stderr, clippy::disallowed_methods, reason = "a tool of developers")]

use std::process::ExitCode;

use nilometer_diagnose::Evidence;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, files @ ..] = words.as_slice() else {
        eprintln!("rename_folder FROM TO FILE...");
        return ExitCode::FAILURE;
    };
    for file in files {
        let Some(evidence) = std::fs::read(file).ok().and_then(|bytes| Evidence::from_bytes(&bytes)) else {
            eprintln!("{file} is no evidence; it is left as it is");
            return ExitCode::FAILURE;
        };
        if let Err(error) = std::fs::write(file, evidence.renamed(from, to).to_bytes()) {
            eprintln!("{file} cannot be written ({error})");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
