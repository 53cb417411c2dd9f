//! Rebuilds the crate when a migration changes. Migrations are embedded, which cargo does not detect.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
