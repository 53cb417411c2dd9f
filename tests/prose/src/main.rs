//! Prints the violations of all prose rules, or of one rule: `cargo run -p prose -- word`.

#![expect(clippy::print_stdout, reason = "its report is what it prints")]

use std::collections::BTreeMap;

fn main() -> std::io::Result<()> {
    let rule_name = std::env::args().nth(1);
    let mut counts = BTreeMap::new();
    for (name, text) in prose::read_prose_files(prose::workspace_root())? {
        // The rules do not apply to the word list and its tests.
        if name.starts_with("tests/prose/") {
            continue;
        }
        for violation in prose::find_violations(&name, &prose::extract_passages(&name, &text)) {
            if rule_name.as_deref().is_none_or(|rule| rule == violation.rule.name()) {
                println!("{name}:{}: {}: {}", violation.line, violation.rule.name(), violation.text);
                *counts.entry(violation.rule.name()).or_insert(0_usize) += 1;
            }
        }
    }
    for (rule, count) in counts {
        println!("{rule}: {count}");
    }
    Ok(())
}
