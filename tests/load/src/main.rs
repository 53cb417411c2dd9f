//! load
fn main() {}
