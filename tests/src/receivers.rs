//! Tests of the example receivers in docs/webhooks.md, which run unchanged. The receivers accept each valid
//! notification once and reject all invalid ones.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::listener::{NOTIFICATION_BODY, SIGNING_SECRET, SentNotification, signature};
use crate::support::process::{OutputLines, is_installed};
use crate::support::raw;

const OTHER_SECRET: &str = "whsec_QW5vdGhlciBzZWNyZXQsIGFsc28gb2YgMzIgYnl0ZXM=";
const OTHER_ID: &str = "00000000-0000-4000-8000-000000000002";
const THIRD_ID: &str = "00000000-0000-4000-8000-000000000003";

fn read_page() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/webhooks.md")).expect("the page")
}

/// Returns the example program in this language from the page. The page must contain exactly one.
fn program_in_language(language: &str) -> String {
    let (page, fence) = (read_page(), format!("```{language}\n"));
    let programs: Vec<_> = page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(programs.len(), 1, "{language}");
    programs[0].to_owned()
}

/// A receiver of the page that runs as a process. Dropping this value kills the process.
struct RunningReceiver {
    child: Child,
    printed: OutputLines,
    address: String,
}

impl RunningReceiver {
    fn start(interpreter: &str, folder: &Path, file: &str) -> Self {
        let mut command = Command::new(interpreter);
        command.arg(file).current_dir(folder).stdout(Stdio::piped());
        command
            .env("SIGNING_SECRET", format!("{OTHER_SECRET} {SIGNING_SECRET}"))
            .env("PORT", "0")
            .env_remove("INBOX");
        let mut child = command.spawn().expect("it runs");
        let mut printed = OutputLines::from_child(&mut child);
        let reported = printed.next_line();
        let address = reported.strip_prefix("listening on ").expect("an address").to_owned();
        Self { child, printed, address }
    }

    fn next(&mut self) -> String {
        self.printed.next_line()
    }
}

impl Drop for RunningReceiver {
    fn drop(&mut self) {
        self.child.kill().expect("it was running");
        self.child.wait().expect("it is gone");
    }
}

async fn assert_accepts_notifications_once(interpreter: &str, language: &str, file: &str) {
    if !is_installed(interpreter) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(file), program_in_language(language)).expect("written");
    let (first, second) =
        (SentNotification::default(), SentNotification { id: OTHER_ID, ..SentNotification::default() });
    let third = SentNotification { id: THIRD_ID, ..first };
    let mut receiver = RunningReceiver::start(interpreter, folder.path(), file);
    for (sent, status) in [
        (SentNotification { secret: "whsec_AAAA", ..first }, 401),
        (SentNotification { signed_body: "{}", ..first }, 401),
        (SentNotification { seconds_ago: 400, ..first }, 401),
        (SentNotification { seconds_ago: -400, ..first }, 401),
        (first, 204),
        (SentNotification { seconds_ago: 60, ..first }, 204),
        (SentNotification { secret: OTHER_SECRET, ..first }, 204),
    ] {
        assert_eq!(sent.send_to(&receiver.address).await, status, "{sent:?}");
    }
    assert_eq!(receiver.next(), printed_line(first.id));
    let get = async |query: &str| {
        let request = format!("GET /in{query} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        raw::exchange_bytes(&receiver.address, request.as_bytes()).await
    };
    let repeated = get("?tenant=7&challenge=whc_0-_aZ").await;
    assert_eq!(raw::response_status(&repeated), 200, "{repeated}");
    assert!(repeated.contains("whc_0-_aZ"), "{repeated}");
    for query in ["", "?challenge=", "?challenge=%3Cscript%3E"] {
        assert_eq!(raw::response_status(&get(query).await), 405, "{query}");
    }
    // The receiver processes one notification at a time. The output of the second notification shows that the
    // first one is marked as done.
    assert_eq!(second.send_to(&receiver.address).await, 204);
    assert_eq!(receiver.next(), printed_line(second.id));
    drop(receiver);
    // The restarted receiver knows that it has processed the first notification. If the kill came before the
    // second notification was marked as done, the receiver processes that notification again.
    let mut receiver = RunningReceiver::start(interpreter, folder.path(), file);
    for sent in [first, second, third] {
        assert_eq!(sent.send_to(&receiver.address).await, 204);
    }
    let mut next = receiver.next();
    if next == printed_line(second.id) {
        next = receiver.next();
    }
    assert_eq!(next, printed_line(third.id));
}

/// Returns the line that a receiver prints for the notification with this id.
fn printed_line(id: &str) -> String {
    format!("WRKR_DEM UPDATE COMPANY {id}")
}

#[tokio::test]
async fn the_python_receiver_accepts_valid_notifications_once() {
    assert_accepts_notifications_once("python3", "python", "receiver.py").await;
}

#[tokio::test]
async fn the_javascript_receiver_accepts_valid_notifications_once() {
    assert_accepts_notifications_once("node", "js", "receiver.mjs").await;
}

/// Returns the output of the shell program for a notification.
fn run_shell_program(sent: &SentNotification<'_>) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("verify.sh"), program_in_language("bash")).expect("written");
    let [id, timestamp, signatures] = sent.headers().map(|(_, value)| value);
    let mut command = Command::new("bash");
    command.arg("verify.sh").args([id, timestamp, format!("v1,AAAA {signatures}")]);
    command.current_dir(folder.path()).env("SIGNING_SECRET", SIGNING_SECRET).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("bash");
    // The program may end before it has read the body, so an error of writing is ignored.
    let _written = child.stdin.take().expect("an input").write_all(sent.body.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

#[test]
fn a_receiver_without_a_secret_reports_the_missing_setting_in_one_line() {
    for (interpreter, language, file) in [("python3", "python", "inbox.py"), ("node", "js", "inbox.mjs")] {
        if !is_installed(interpreter) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(file), program_in_language(language)).expect("written");
        let mut command = Command::new(interpreter);
        command.arg(file).current_dir(folder.path()).env_remove("SIGNING_SECRET").stdin(Stdio::null());
        let output = command.output().expect("it runs");
        let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!output.status.success(), "{language}: {printed}");
        assert!(
            printed.starts_with("Set SIGNING_SECRET") && printed.lines().count() == 1,
            "{language}: {printed}"
        );
    }
}

#[test]
fn the_shell_receiver_reports_valid_notifications() {
    if !is_installed("openssl") {
        return;
    }
    let good = SentNotification::default();
    for (sent, reported) in [
        (good, "verified"),
        (SentNotification { body: "{}", ..good }, "no signature matches"),
        (SentNotification { secret: OTHER_SECRET, ..good }, "no signature matches"),
        (SentNotification { seconds_ago: 400, ..good }, "seconds old"),
    ] {
        assert!(run_shell_program(&sent).ends_with(reported), "{reported}: {}", run_shell_program(&sent));
    }
}

/// The page contains a signed request with which readers test their own receivers, so its signature must be
/// valid.
#[test]
fn the_request_in_the_page_has_a_valid_signature() {
    let page = read_page();
    let header = |name: &str| {
        let line = page.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).expect("a header");
        line.to_owned()
    };
    let body = page.lines().find(|line| line.starts_with("{\"companyId\"")).expect("a body");
    let secret = page
        .split("signed with the secret `")
        .nth(1)
        .and_then(|rest| rest.split('`').next())
        .expect("a secret");
    let [id, timestamp, shown] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header);
    assert_eq!(signature(secret, &id, &timestamp, body), shown);
    assert_eq!(header("content-length"), body.len().to_string());
    assert_eq!(body.replace("ACME", "COMPANY").replace("W-1", "WORKER"), NOTIFICATION_BODY);
}
