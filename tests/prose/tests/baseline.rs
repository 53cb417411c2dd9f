//! Tests that no file has more violations of the prose rules than the baseline accepts.

use std::fs;

use prose::Baseline;

const HEADER: &str = "\
# Violations of the prose rules that existed before the rules: file, rule, count. No number may grow.
# `cargo run -p prose` prints the violations. `UPDATE_PROSE=1 cargo test -p prose` lowers the numbers.
";

#[test]
fn no_file_has_more_violations_than_before() {
    let path = prose::workspace_root().join("tests/prose/baseline.txt");
    let accepted = Baseline::parse(&fs::read_to_string(&path).unwrap_or_default()).expect("the baseline");
    let mut now = Baseline::default();
    let mut read = 0;
    for (name, text) in prose::read_prose_files(prose::workspace_root()).expect("the files of the workspace")
    {
        // The rules do not apply to the word list and its tests.
        if !name.starts_with("tests/prose/") {
            read += 1;
            prose::find_violations(&name, &prose::extract_passages(&name, &text))
                .iter()
                .for_each(|it| now.add(&name, it.rule));
        }
    }
    assert!(read > 500, "only {read} files were read");
    if std::env::var_os("UPDATE_PROSE").is_some() {
        let lower = if path.exists() { now.minimum(&accepted) } else { now.clone() };
        fs::write(&path, format!("{HEADER}{lower}")).expect("the baseline is written");
    }
    let more = now.counts_above(&accepted);
    let lines: Vec<String> = more
        .iter()
        .map(|(file, rule, count, accepted)| {
            format!("{file}: {count} violations of `{rule}`, {accepted} accepted")
        })
        .collect();
    assert!(lines.is_empty(), "run `cargo run -p prose`:\n{}", lines.join("\n"));
}

#[test]
fn a_baseline_survives_a_round_trip_and_only_decreases() {
    let before = Baseline::parse("# a comment\na.md word 3\nb.md word 1\n").unwrap();
    assert_eq!(Baseline::parse(&before.to_string()).unwrap(), before);
    let now = Baseline::parse("a.md word 4\nc.md word 2\n").unwrap();
    assert_eq!(now.minimum(&before).to_string(), "a.md word 3\n");
    assert_eq!(now.counts_above(&before).len(), 2);
    for wrong in ["a.md word", "a.md spelling 1", "a.md word many"] {
        assert_eq!(Baseline::parse(wrong), Err(wrong.to_owned()));
    }
}
