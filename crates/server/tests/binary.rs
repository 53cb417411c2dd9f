//! Tests the binary itself. With this file, `cargo test --workspace` builds the binary with the features that
//! all tests use, and the acceptance tests run it.

use std::process::Command;

#[test]
fn the_binary_prints_its_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_payroll-server")).arg("--version").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let version = format!("payroll-server {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), version);
}
