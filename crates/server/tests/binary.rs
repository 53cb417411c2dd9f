//! Tests the binary itself. Because this file exists, `cargo test --workspace` builds the binary with the
//! same features as all tests. The acceptance tests run this binary.

use std::process::Command;

#[test]
fn the_binary_prints_its_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_payroll-server")).arg("--version").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let version = format!("payroll-server {} (schema ", env!("CARGO_PKG_VERSION"));
    assert!(printed.starts_with(&version), "{printed:?} does not start with {version:?}");
}
