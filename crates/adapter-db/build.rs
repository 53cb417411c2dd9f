//! Builds the crate again when a migration changes: they are embedded, and cargo does not see it.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
