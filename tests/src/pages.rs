//! Runs the commands in the documentation as a reader would. All commands of a page run in one shell, with a
//! separate demo or server for each page.
//!
//! The text after the language of a code block states the expected result. Without such a text, every request
//! must succeed. `refused` means that requests fail. `not-run: …` gives the reason why no test runs the
//! block.

mod code_blocks;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use clap::Parser;
use payroll_server::cli::Cli;

use crate::support::Demo;
use crate::support::process::is_installed;
use code_blocks::{CodeBlock, Page, page_paths};

/// Returns the shell variables that a reader sets first on a page. The variables contain the URLs and secrets
/// of a running demo.
fn page_variables(demo: &Demo) -> BTreeMap<&'static str, String> {
    let value = |name: &str| {
        let line = demo.page.lines().find(|line| line.trim().starts_with(name)).expect("the demo prints it");
        line.split_whitespace().last().expect("a value").to_owned()
    };
    BTreeMap::from([
        ("BASE", value("base address")),
        ("KEY", value("client_id")),
        ("SECRET", value("client_secret")),
        ("OPERATOR", format!("{}/operator/v1", value("operator "))),
        ("OPERATOR_KEY", value("operator_key")),
    ])
}

/// A running demo and its folder.
struct RunningDemo {
    _folder: tempfile::TempDir,
    demo: Demo,
}

fn start_demo() -> RunningDemo {
    let folder = tempfile::tempdir().expect("a folder");
    // Some commands send an incomplete body. A short timeout ends these requests quickly.
    let arguments = ["--body-timeout-seconds", "1"];
    let demo = Demo::start_with(folder.path().to_str().expect("Unicode"), &arguments);
    RunningDemo { _folder: folder, demo }
}

/// Runs the code blocks of a page in one shell. Returns the output of each block. The output contains a line
/// `HTTP …` for each request.
fn run_code_blocks(demo: &Demo, page: &Page) -> Vec<String> {
    const BLOCK_SEPARATOR: &str = "~~~ the next block ~~~";
    // The script replaces `sleep` by a pause of two seconds, so that the test does not wait as long as a
    // reader.
    let mut script = String::from(
        "exec 2>&1\numask 022\nsleep() { command sleep 2; }\ncurl() { command curl -w '\\nHTTP %{http_code}\\n' \"$@\"; }\n",
    );
    for block in page.shell_blocks() {
        let lines = block.without_demo_secrets().replace("http://127.0.0.1:8080", "$BASE");
        script.push_str(&format!("echo '{BLOCK_SEPARATOR}'\n{lines}\n"));
    }
    let mut shell = Command::new("bash");
    let folder = tempfile::tempdir().expect("a folder");
    shell.args(["-c", &script]).current_dir(folder.path()).envs(page_variables(demo)).stdin(Stdio::null());
    let printed = String::from_utf8_lossy(&shell.output().expect("bash").stdout).into_owned();
    assert_secret_files_are_private(folder.path());
    printed.split(BLOCK_SEPARATOR).skip(1).map(str::to_owned).collect()
}

/// The prefixes by which the tests recognize secrets in files.
const SECRET_PREFIXES: [&str; 4] = ["pks_", "opk_", "whsec_", "eyJ"];

/// Verifies that only the owner can read files that contain a secret.
fn assert_secret_files_are_private(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    for file in fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file")) {
        let text = fs::read(file.path()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let secret = text.is_ok_and(|text| SECRET_PREFIXES.iter().any(|beginning| text.contains(beginning)));
        let mode = file.metadata().expect("a mode").permissions().mode() & 0o777;
        assert!(!secret || mode == 0o600, "{:?} has mode {mode:o}", file.path());
    }
}

fn printed_statuses(printed: &str) -> Vec<&str> {
    printed.lines().filter_map(|line| line.strip_prefix("HTTP ")).collect()
}

#[test]
fn every_command_for_the_demo_works_as_documented() {
    // `docs/errors.md` provokes errors, so it has its own test.
    for path in TESTED_PAGES.iter().copied().filter(|path| *path != "docs/errors.md") {
        let (page, running) = (Page::read(path), start_demo());
        let mut pasted = run_code_blocks(&running.demo, &page);
        if path == "docs/sandbox.md" {
            // The commands of docs/sandbox.md are run twice, because the commands must also work for a reader
            // who repeats them.
            pasted = run_code_blocks(&running.demo, &page);
        }
        for (block, printed) in page.shell_blocks().zip(pasted) {
            if block.text.contains("hooks/failing/deliveries") {
                let count = |text| printed.matches(text).count();
                let (attempts, unavailable) = (count("\"number\":"), count("\"status\":503"));
                assert!(attempts > 0 && attempts == unavailable, "each attempt is answered 503: {printed}");
            }
            let statuses = printed_statuses(&printed);
            let well = statuses.iter().all(|status| status.starts_with('2'));
            let asks = block.text.lines().any(|line| line.starts_with("curl "));
            assert!(!asks || !statuses.is_empty(), "{path}: {}\n{printed}", block.text);
            assert_eq!(well, !block.is_refused(), "{path}: {}\n{printed}", block.text);
        }
    }
}

#[test]
fn every_documented_command_provokes_its_error_code() {
    let (page, running) = (Page::read("docs/errors.md"), start_demo());
    let mut provoked = 0;
    for (block, printed) in page.shell_blocks().zip(run_code_blocks(&running.demo, &page)) {
        let Some((status, code)) = block.heading.split_once(" API-") else { continue };
        let reported = format!("\"code\":\"API-{code}\"");
        assert!(printed.contains(&reported), "{}\n{}\n{printed}", block.heading, block.text);
        assert!(printed_statuses(&printed).contains(&status), "{}\n{}\n{printed}", block.heading, block.text);
        let throttled = code == "429" && printed_statuses(&printed).last() != Some(&"200");
        assert!(!throttled, "who pastes the lines is throttled behind them: {printed}");
        provoked += 1;
    }
    assert!(provoked > 30, "{provoked}");
}

#[test]
fn the_first_programs_of_the_page_add_checks() {
    let page = Page::read("docs/getting-started.md");
    let running = start_demo();
    for (language, interpreter, file) in [("python", "python3", "first.py"), ("js", "node", "first.mjs")] {
        let programs: Vec<&CodeBlock> =
            page.blocks.iter().filter(|block| block.language == language).collect();
        assert_eq!(programs.len(), 1, "{language}");
        let lines = programs[0].text.lines().count();
        assert!(lines <= 32, "the {language} program has grown to {lines} lines");
        if is_installed(interpreter) {
            let run = || run_program(&running.demo, interpreter, file, &programs[0].text);
            let (printed, again) = (run(), run());
            assert!(printed.starts_with("added 10 of "), "{language}: {printed}");
            assert_eq!(printed, again, "the second run pays nothing twice");
        }
    }
}

fn run_program(demo: &Demo, interpreter: &str, file: &str, program: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(file), program).expect("written");
    let output = Command::new(interpreter)
        .arg(file)
        .current_dir(folder.path())
        .envs(page_variables(demo))
        .output()
        .expect("it runs");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// The pages whose commands this test runs. Any other page states the reason, or the test that runs its
/// commands.
const TESTED_PAGES: &[&str] = &[
    "README.md",
    "docs/api.md",
    "docs/errors.md",
    "docs/getting-started.md",
    "docs/guides/agents.md",
    "docs/guides/change-workers.md",
    "docs/guides/operator-api.md",
    "docs/guides/send-hours.md",
    "docs/sandbox.md",
    "docs/webhooks.md",
];

/// The page with the tutorial. The module `operator::story` runs its numbered sections.
const TUTORIAL_PAGE: &str = "docs/operating/tutorial.md";

#[test]
fn every_code_block_is_run_or_has_a_skip_reason() {
    let known = ["bash", "ini", "js", "json", "nginx", "python", "rust", "sh", "text", "toml", "ts", "yaml"];
    let mut silent = Vec::new();
    for path in page_paths() {
        let run = TESTED_PAGES.contains(&path.as_str());
        for block in Page::read(&path).blocks {
            let run = run
                || (path == TUTORIAL_PAGE && block.heading.starts_with(|first: char| first.is_ascii_digit()));
            let lines = matches!(block.language.as_str(), "bash" | "sh" | "python" | "js");
            if !known.contains(&block.language.as_str()) || (lines && !run && !block.has_skip_reason()) {
                silent.push(format!("{path}: {} block below “{}”", block.language, block.heading));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn samples_report_errors_and_use_variable_names_consistently() {
    let mut wrong = Vec::new();
    for path in page_paths() {
        for block in Page::read(&path).blocks.iter().filter(|block| block.language == "sh") {
            let silent = block.text.contains("curl -s ");
            let header = ["TOKEN", "KEY", "OPERATOR_KEY"].iter().any(|name| {
                block.text.contains(&format!("{name}=\"Authorization"))
                    || block.text.contains(&format!("-H \"${name}\""))
            });
            let operators = block.text.contains("Bearer $KEY") || block.text.contains(" KEY=opk");
            if silent || header || operators {
                wrong.push(format!("{path}: {}", block.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the lines of a block that call `payroll-server`, without redirections and comments.
fn server_command_lines(block: &CodeBlock) -> Vec<String> {
    let whole = block.text.replace("\\\n", " ");
    let lines = whole.lines().map(str::trim).filter(|line| line.starts_with("payroll-server "));
    let ends = |line: &str| [" | ", " > ", " #"].iter().filter_map(|end| line.find(end)).min();
    lines.map(|line| line[..ends(line).unwrap_or(line.len())].to_owned()).collect()
}

/// Returns the words of a command line, split like in a shell.
fn split_words(line: &str) -> Vec<String> {
    let output = Command::new("bash").args(["-c", &format!("printf '%s\\n' {line}")]).output();
    let printed = output.expect("bash").stdout;
    String::from_utf8(printed).expect("Unicode").lines().map(str::to_owned).collect()
}

#[test]
fn every_documented_command_line_is_valid() {
    let mut seen = 0;
    for path in page_paths() {
        for block in Page::read(&path).blocks.iter().filter(|block| block.language == "sh") {
            for line in server_command_lines(block) {
                let parsed = Cli::try_parse_from(split_words(&line));
                // The parser also returns an error for `--version` and `--help`, but with the exit code 0.
                let rejected = parsed.err().filter(|error| error.exit_code() != 0);
                assert!(rejected.is_none(), "{path}: {line}\n{rejected:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 25, "{seen}");
}
