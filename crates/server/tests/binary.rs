//! Tests the binary itself. With this file, `cargo test --workspace` builds the binary with the features that
//! all tests use, and the acceptance tests run it.

use std::process::Command;

#[test]
fn the_binary_prints_its_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_payroll-server")).arg("--version").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let version = format!("payroll-server {} (schema ", env!("CARGO_PKG_VERSION"));
    assert!(printed.starts_with(&version), "{printed:?} does not start with {version:?}");
}
