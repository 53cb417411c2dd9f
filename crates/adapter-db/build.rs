//! Rebuilds the crate when a migration changes. The migrations are embedded in the binary, and cargo does not
//! detect changes to them.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
