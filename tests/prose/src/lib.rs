//! Rules for the prose of this project: documentation, OpenAPI descriptions, texts of the program and of the
//! console, and doc comments.
//!
//! `cargo run -p prose` prints every violation with its file and line. `cargo test -p prose` fails if a file
//! has more violations of a rule than `baseline.txt` accepts. The baseline may only become shorter.
//! `UPDATE_PROSE=1 cargo test -p prose` writes lower numbers into the file.

mod baseline;
mod rules;
mod text;
mod workspace;

pub use baseline::Baseline;
pub use rules::{Rule, Violation, find_violations};
pub use text::{Passage, PassageKind, extract_passages};
pub use workspace::{read_prose_files, workspace_root};
