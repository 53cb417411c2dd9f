//! A headless browser that chromedriver controls. At the end of each test, the browser must have run no
//! injected script, logged no error and contacted no other host.

mod looks;

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::driver::{DriverProcess, DriverSession};
use crate::support::{
    CLIENT_ID, CLIENT_SECRET, DatabaseKind, OPERATOR_KEY, Server, Settings, on_databases_with,
};

/// The number of attempts to find an element before a test fails. This many attempts take a minute.
const MAX_POLLS: u32 = 1200;
/// The pause between two attempts to find an element.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The number of attempts to start chromedriver.
const MAX_STARTS: u8 = 3;

/// Command-line flags of the browser. Without these flags, the browser contacts its vendor or does not start
/// in a container.
const BROWSER_FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--lang=en-US",
    "--window-size=1280,900",
];

/// The widths of a desktop, a tablet and a phone in pixels, and whether the browser prefers dark pages.
pub(super) const SCREEN_SIZES: [(u32, bool); 3] = [(1440, false), (1024, true), (390, true)];

/// A browser that shows the console or the portal of a server.
pub(super) struct Browser {
    pub(super) driver: DriverSession,
    _process: DriverProcess,
    /// The beginning of all URLs of the server: scheme, host and port.
    origin: String,
    /// The URL of the console or of the portal.
    base: String,
    /// Whether the browser is operated only by keyboard.
    by_keyboard: Cell<bool>,
    _profile: tempfile::TempDir,
}

/// Runs a test with a browser on one of the available databases, because pages look the same on each. Without
/// a browser, the test is skipped.
pub(super) fn run_in_browser(test: impl AsyncFn(&mut Server, &Browser)) {
    run_in_browser_with(|_| (), test);
}

/// Runs a test like [`run_in_browser`], with changed settings of the server.
pub(super) fn run_in_browser_with(change: impl Fn(&mut Settings), test: impl AsyncFn(&mut Server, &Browser)) {
    run_in_browser_on(&[DatabaseKind::pick_for_test()], change, test);
}

/// Runs a test like [`run_in_browser_with`], on each available database.
pub(super) fn run_in_browser_on_every_database(
    change: impl Fn(&mut Settings),
    test: impl AsyncFn(&mut Server, &Browser),
) {
    run_in_browser_on(&DatabaseKind::available(), change, test);
}

fn run_in_browser_on(
    kinds: &[DatabaseKind],
    change: impl Fn(&mut Settings),
    test: impl AsyncFn(&mut Server, &Browser),
) {
    run_in_browser_at(kinds, change, |server| (server.operator_address.clone(), ""), test);
}

/// Runs a test like [`run_in_browser_with`], with a browser that shows the portal.
pub(super) fn run_in_portal(test: impl AsyncFn(&mut Server, &Browser)) {
    let change = |settings: &mut Settings| settings.portal = true;
    run_in_browser_at(
        &[DatabaseKind::pick_for_test()],
        change,
        |server| (server.address.clone(), "portal/"),
        test,
    );
}

/// Runs a test on these kinds of database, with a browser that shows the page at this address and path.
fn run_in_browser_at(
    kinds: &[DatabaseKind],
    change: impl Fn(&mut Settings),
    page: impl Fn(&Server) -> (String, &'static str),
    test: impl AsyncFn(&mut Server, &Browser),
) {
    let Some(program) = std::env::var_os("TEST_BROWSER") else { return };
    on_databases_with(kinds, change, async |server| {
        let (address, path) = page(server);
        let browser = Browser::start(&program, &address, path).await;
        test(server, &browser).await;
        browser.end_session().await;
    });
}

impl Browser {
    async fn start(program: &std::ffi::OsStr, address: &str, page: &str) -> Self {
        let mut started = (0..MAX_STARTS).filter_map(|_| DriverProcess::start(program));
        let (process, port) = started.next().expect("chromedriver says its port");
        let profile = tempfile::tempdir().expect("a folder");
        let folder = format!("--user-data-dir={}", profile.path().display());
        let flags: Vec<&str> = BROWSER_FLAGS.iter().copied().chain([folder.as_str()]).collect();
        let shell = std::env::var("TEST_HEADLESS_SHELL").ok();
        let driver = DriverSession::new(&format!("http://127.0.0.1:{port}"), shell.as_deref(), &flags).await;
        let origin = format!("http://{address}/");
        let base = format!("{origin}{page}");
        Self { driver, _process: process, origin, base, by_keyboard: Cell::new(false), _profile: profile }
    }

    /// Opens a page of the console. `page` is the fragment after `#`.
    pub(super) async fn open_page(&self, page: &str) {
        self.driver.post_command("url", &json!({"url": format!("{}#{page}", self.base)})).await;
    }

    /// Opens a page outside the console. `path` follows the server's name.
    pub(super) async fn open(&self, path: &str) {
        self.driver.post_command("url", &json!({"url": format!("{}{path}", self.origin)})).await;
    }

    /// Uses only the keyboard from now on.
    pub(super) fn switch_to_keyboard_only(&self) {
        self.by_keyboard.set(true);
    }

    /// Signs in with the administrator's key.
    pub(super) async fn sign_in(&self) {
        self.sign_in_with(OPERATOR_KEY).await;
        self.wait_for_text("Sign out").await;
    }

    pub(super) async fn sign_in_with(&self, key: &str) {
        self.open_page("/").await;
        self.fill_field("Operator key", key).await;
        self.click_button("Sign in").await;
    }

    pub(super) async fn sign_in_to_the_portal(&self) {
        self.open_page("/").await;
        self.fill_field("API key", CLIENT_ID).await;
        self.fill_field("Secret", CLIENT_SECRET).await;
        self.click_button("Sign in").await;
        self.wait_for_text("Sign out").await;
    }

    /// Returns the visible text of the page.
    pub(super) async fn page_text(&self) -> String {
        let text = self.run_script("return document.body.innerText").await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows a text.
    pub(super) async fn wait_for_text(&self, text: &str) {
        self.wait_until(text, async || self.page_text().await.contains(text)).await;
    }

    /// Waits until the page no longer shows a text.
    pub(super) async fn wait_until_text_is_gone(&self, unwanted: &str) {
        self.wait_until(&format!("no {unwanted}"), async || !self.page_text().await.contains(unwanted)).await;
    }

    /// Waits until the page shows its heading. On a busy machine, the page may stay empty for a while.
    pub(super) async fn wait_for_heading(&self) {
        let there = "return document.querySelector('h1') !== null";
        self.wait_until("a heading", async || self.run_script(there).await == true).await;
    }

    async fn wait_until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        for _ in 0..MAX_POLLS {
            if holds().await {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        panic!("{what} does not come; there is:\n{}", self.page_text().await);
    }

    /// Presses the button or link with this text. If a dialog is open, only the dialog is searched.
    pub(super) async fn click_button(&self, text: &str) {
        if self.by_keyboard.get() {
            return self.press_by_keyboard(text).await;
        }
        let script = "const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
            const wanted = arguments[0];
            const found = [...within.querySelectorAll('button, a, summary')]
                .find(it => it.textContent.trim() === wanted && !it.disabled);
            found?.click();
            return found !== undefined";
        self.wait_until(text, async || self.run_script_with(script, json!(text)).await == true).await;
    }

    /// Waits for a dialog and presses its button with this text.
    pub(super) async fn confirm_dialog(&self, text: &str) {
        let opened = "return document.querySelector('dialog[open]') !== null";
        self.wait_until(&format!("a dialog with {text}"), async || self.run_script(opened).await == true)
            .await;
        self.click_button(text).await;
    }

    /// Types into the field with this label, or selects this option.
    pub(super) async fn fill_field(&self, label: &str, value: &str) {
        if self.by_keyboard.get() {
            return self.fill_by_keyboard(label, value).await;
        }
        let script = "const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
            const [name, value] = arguments[0];
            const label = [...within.querySelectorAll('label')].find(it => it.textContent.trim().startsWith(name));
            const field = label && (label.control ?? label.querySelector('input, select, textarea'));
            if (!field || field.disabled) return false;
            field.focus();
            const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
            own.set.call(field, value);
            field.dispatchEvent(new Event('input', {bubbles: true}));
            field.dispatchEvent(new Event('change', {bubbles: true}));
            return field.value === value";
        self.wait_until(label, async || self.run_script_with(script, json!([label, value])).await == true)
            .await;
    }

    /// Waits for the checkbox with this label and ticks it.
    pub(super) async fn set_checkbox(&self, label: &str) {
        if self.by_keyboard.get() {
            return self.tick_by_keyboard(label).await;
        }
        let script = "const box = [...document.querySelectorAll('label')]
                .find(it => it.textContent.trim() === arguments[0])?.querySelector('input[type=checkbox]');
            box?.click();
            return box !== undefined";
        self.wait_until(label, async || self.run_script_with(script, json!(label)).await == true).await;
    }

    /// Searches in the field with this label, and selects the result that starts with the text.
    pub(super) async fn select_option(&self, label: &str, text: &str) {
        if self.by_keyboard.get() {
            return self.choose_by_keyboard(label, text).await;
        }
        self.fill_field(label, text).await;
        let script = "const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
            const option = [...within.querySelectorAll('[role=option]')]
                .find(it => it.checkVisibility() && it.textContent.trim().startsWith(arguments[0]));
            option?.dispatchEvent(new MouseEvent('mousedown', {bubbles: true, cancelable: true}));
            return option !== undefined";
        self.wait_until(text, async || self.run_script_with(script, json!(text)).await == true).await;
    }

    /// Opens the section of a form with this title, if it is closed.
    pub(super) async fn open_section(&self, title: &str) {
        let script = "const summary = [...document.querySelectorAll('dialog[open] summary')]
                .find(it => it.textContent.trim().startsWith(arguments[0]));
            if (summary && !summary.parentElement.open) summary.click();
            return summary !== undefined";
        self.wait_until(title, async || self.run_script_with(script, json!(title)).await == true).await;
    }

    /// Ticks the checkbox of a scope in a dialog.
    pub(super) async fn tick_scope(&self, scope: &str) {
        let script = "const code = [...document.querySelectorAll('dialog[open] label code')]
                .find(it => it.textContent === arguments[0]);
            code?.closest('label').querySelector('input').click();
            return code !== undefined";
        self.wait_until(scope, async || self.run_script_with(script, json!(scope)).await == true).await;
    }

    /// Ticks the warnings of a completion until the button that completes the pay period is enabled.
    pub(super) async fn confirm_warnings(&self) {
        if self.by_keyboard.get() {
            return self.confirm_warnings_by_keyboard().await;
        }
        let script = "for (const box of document.querySelectorAll('main .warned input[type=checkbox]')) {
                if (!box.checked) box.click();
            }
            const names = ['Complete', 'Request completion', 'Approve'];
            const button = [...document.querySelectorAll('main button')].find(it => names.includes(it.textContent.trim()));
            return button !== undefined && !button.disabled";
        self.wait_until("a completion without open warnings", async || self.run_script(script).await == true)
            .await;
    }

    /// Waits for the file field with this id and selects a file with this content.
    pub(super) async fn upload_file(&self, field: &str, name: &str, text: &str) {
        let script = "const [id, name, text] = arguments[0];
            const field = document.getElementById(id);
            if (!field) return false;
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            field.files = data.files;
            field.dispatchEvent(new Event('change', {bubbles: true}));
            return true";
        self.wait_until(field, async || {
            self.run_script_with(script, json!([field, name, text])).await == true
        })
        .await;
    }

    /// Waits until a script returns this value.
    pub(super) async fn wait_for_script_result(&self, script: &str, expected: &Value) {
        self.wait_until(&format!("{expected}"), async || self.run_script(script).await == *expected).await;
    }

    /// Sends keys to the focused element.
    pub(super) async fn send_keys(&self, keys: &str) {
        let element = self.driver.get("element/active").await;
        let id = element.as_object().and_then(|members| members.values().next()).expect("a focus").clone();
        let path = format!("element/{}/value", id.as_str().expect("an id"));
        self.driver.post_command(&path, &json!({"text": keys})).await;
    }

    /// Runs a script in the page and returns its result.
    pub(super) async fn run_script(&self, script: &str) -> Value {
        self.run_script_with(script, Value::Null).await
    }

    pub(super) async fn run_script_with(&self, script: &str, argument: Value) -> Value {
        self.driver.post_command("execute/sync", &json!({"script": script, "args": [argument]})).await
    }

    /// Reloads the page in the browser.
    pub(super) async fn reload(&self) {
        self.driver.post_command("refresh", &json!({})).await;
    }
}

fn repository_root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
