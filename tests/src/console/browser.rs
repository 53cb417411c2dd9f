//! A headless browser that chromedriver controls. When a test ends, it checks that no foreign script ran, no
//! error was logged, and no other host was contacted.

use std::cell::Cell;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::driver::{Driver, start_driver};
use crate::support::{CLIENT_ID, CLIENT_SECRET, Kind, OPERATOR_KEY, Server, Settings, on_databases_with};

/// The number of attempts to find an element before a test fails. They take a minute.
const MAX_LOOKS: u32 = 1200;
/// The pause between two attempts.
pub(super) const EVERY: Duration = Duration::from_millis(50);
/// The number of attempts to start chromedriver.
const STARTS: u8 = 3;

/// Flags without which the browser contacts its vendor or does not start in a container.
const FLAGS: &[&str] = &[
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
pub(super) const SCREENS: [(u32, bool); 3] = [(1440, false), (1024, true), (390, true)];

/// A browser that shows the console or the portal of a server.
pub(super) struct Browser {
    pub(super) driver: Driver,
    program: Child,
    /// The origin of the server's URLs.
    origin: String,
    /// The URL of the page.
    base: String,
    /// Whether the browser is operated only by keyboard.
    by_keyboard: Cell<bool>,
    _profile: tempfile::TempDir,
}

/// Runs a test with a browser on one of the available databases, because pages look the same on each. Without
/// a browser, the test is skipped.
pub(super) fn in_a_browser(test: impl AsyncFn(&mut Server, &Browser)) {
    in_a_browser_with(|_| (), test);
}

/// Runs a test like [`in_a_browser`], with changed settings of the server.
pub(super) fn in_a_browser_with(change: impl Fn(&mut Settings), test: impl AsyncFn(&mut Server, &Browser)) {
    in_a_browser_on(&[Kind::for_this_test()], change, test);
}

/// Runs a test like [`in_a_browser_with`], on each available database.
pub(super) fn in_a_browser_on_every_database(
    change: impl Fn(&mut Settings),
    test: impl AsyncFn(&mut Server, &Browser),
) {
    in_a_browser_on(&Kind::available(), change, test);
}

fn in_a_browser_on(
    kinds: &[Kind],
    change: impl Fn(&mut Settings),
    test: impl AsyncFn(&mut Server, &Browser),
) {
    in_a_browser_at(kinds, change, |server| (server.operator_address.clone(), ""), test);
}

/// Runs a test like [`in_a_browser_with`], with a browser that shows the portal.
pub(super) fn in_the_portal(test: impl AsyncFn(&mut Server, &Browser)) {
    let change = |settings: &mut Settings| settings.portal = true;
    in_a_browser_at(&[Kind::for_this_test()], change, |server| (server.address.clone(), "portal/"), test);
}

/// Runs a test on these kinds of database, with a browser that shows the page at this address and path.
fn in_a_browser_at(
    kinds: &[Kind],
    change: impl Fn(&mut Settings),
    page: impl Fn(&Server) -> (String, &'static str),
    test: impl AsyncFn(&mut Server, &Browser),
) {
    let Some(program) = std::env::var_os("TEST_BROWSER") else { return };
    on_databases_with(kinds, change, async |server| {
        let (address, path) = page(server);
        let browser = Browser::start(&program, &address, path).await;
        test(server, &browser).await;
        browser.end().await;
    });
}

impl Browser {
    async fn start(program: &std::ffi::OsStr, address: &str, page: &str) -> Self {
        let mut started = (0..STARTS).filter_map(|_| start_driver(program));
        let (child, port) = started.next().expect("chromedriver says its port");
        let profile = tempfile::tempdir().expect("a folder");
        let folder = format!("--user-data-dir={}", profile.path().display());
        let flags: Vec<&str> = FLAGS.iter().copied().chain([folder.as_str()]).collect();
        let driver = Driver::new(&format!("http://127.0.0.1:{port}"), &flags).await;
        let origin = format!("http://{address}/");
        let base = format!("{origin}{page}");
        Self { driver, program: child, origin, base, by_keyboard: Cell::new(false), _profile: profile }
    }

    /// Opens a page of the console. `page` is the fragment after `#`.
    pub(super) async fn open_page(&self, page: &str) {
        self.driver.post("url", &json!({"url": format!("{}#{page}", self.base)})).await;
    }

    /// Opens a page outside the console. `path` follows the server's name.
    pub(super) async fn open(&self, path: &str) {
        self.driver.post("url", &json!({"url": format!("{}{path}", self.origin)})).await;
    }

    /// Uses only the keyboard from now on.
    pub(super) fn without_a_mouse(&self) {
        self.by_keyboard.set(true);
    }

    /// Signs in with the administrator's key.
    pub(super) async fn sign_in(&self) {
        self.sign_in_with(OPERATOR_KEY).await;
        self.wait_for_text("Sign out").await;
    }

    pub(super) async fn sign_in_with(&self, key: &str) {
        self.open_page("/").await;
        self.fill("Operator key", key).await;
        self.click_button("Sign in").await;
    }

    /// Signs in to the portal.
    pub(super) async fn sign_in_to_the_portal(&self) {
        self.open_page("/").await;
        self.fill("API key", CLIENT_ID).await;
        self.fill("Secret", CLIENT_SECRET).await;
        self.click_button("Sign in").await;
        self.wait_for_text("Sign out").await;
    }

    /// Returns the visible text of the page.
    pub(super) async fn text(&self) -> String {
        let text = self.run("return document.body.innerText").await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows a text.
    pub(super) async fn wait_for_text(&self, text: &str) {
        self.until(text, async || self.text().await.contains(text)).await;
    }

    /// Waits until the page no longer shows a text.
    pub(super) async fn sees_no(&self, unwanted: &str) {
        self.until(&format!("no {unwanted}"), async || !self.text().await.contains(unwanted)).await;
    }

    /// Waits until the page shows its heading. On a busy machine the page may be empty before it shows that
    /// it is loading.
    pub(super) async fn sees_heading(&self) {
        let there = "return document.querySelector('h1') !== null";
        self.until("a heading", async || self.run(there).await == true).await;
    }

    async fn until(&self, what: &str, holds: impl AsyncFn() -> bool) {
        for _ in 0..MAX_LOOKS {
            if holds().await {
                return;
            }
            tokio::time::sleep(EVERY).await;
        }
        panic!("{what} does not come; there is:\n{}", self.text().await);
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
        self.until(text, async || self.run_with(script, json!(text)).await == true).await;
    }

    /// Waits for a dialog and presses its button with this text.
    pub(super) async fn confirm(&self, text: &str) {
        let opened = "return document.querySelector('dialog[open]') !== null";
        self.until(&format!("a dialog with {text}"), async || self.run(opened).await == true).await;
        self.click_button(text).await;
    }

    /// Types into the field with this label, or selects this option.
    pub(super) async fn fill(&self, label: &str, value: &str) {
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
        self.until(label, async || self.run_with(script, json!([label, value])).await == true).await;
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
        self.until(label, async || self.run_with(script, json!(label)).await == true).await;
    }

    /// Searches in the field with this label, and selects the result that starts with the text.
    pub(super) async fn select_option(&self, label: &str, text: &str) {
        if self.by_keyboard.get() {
            return self.choose_by_keyboard(label, text).await;
        }
        self.fill(label, text).await;
        let script = "const within = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
            const option = [...within.querySelectorAll('[role=option]')]
                .find(it => it.checkVisibility() && it.textContent.trim().startsWith(arguments[0]));
            option?.dispatchEvent(new MouseEvent('mousedown', {bubbles: true, cancelable: true}));
            return option !== undefined";
        self.until(text, async || self.run_with(script, json!(text)).await == true).await;
    }

    /// Opens the section of a form with this title, if it is closed.
    pub(super) async fn open_section(&self, title: &str) {
        let script = "const summary = [...document.querySelectorAll('dialog[open] summary')]
                .find(it => it.textContent.trim().startsWith(arguments[0]));
            if (summary && !summary.parentElement.open) summary.click();
            return summary !== undefined";
        self.until(title, async || self.run_with(script, json!(title)).await == true).await;
    }

    /// Ticks the checkbox of a scope in a dialog.
    pub(super) async fn tick_scope(&self, scope: &str) {
        let script = "const code = [...document.querySelectorAll('dialog[open] label code')]
                .find(it => it.textContent === arguments[0]);
            code?.closest('label').querySelector('input').click();
            return code !== undefined";
        self.until(scope, async || self.run_with(script, json!(scope)).await == true).await;
    }

    /// Ticks all warnings of a completion until the button to store it is enabled.
    pub(super) async fn accept_warnings(&self) {
        if self.by_keyboard.get() {
            return self.accept_warnings_by_keyboard().await;
        }
        let script = "for (const box of document.querySelectorAll('main .warned input[type=checkbox]')) {
                if (!box.checked) box.click();
            }
            const names = ['Complete', 'Request completion', 'Approve'];
            const button = [...document.querySelectorAll('main button')].find(it => names.includes(it.textContent.trim()));
            return button !== undefined && !button.disabled";
        self.until("a completion without open warnings", async || self.run(script).await == true).await;
    }

    /// Waits for the file field with this id and selects a file with this content.
    pub(super) async fn upload(&self, field: &str, name: &str, text: &str) {
        let script = "const [id, name, text] = arguments[0];
            const field = document.getElementById(id);
            if (!field) return false;
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            field.files = data.files;
            field.dispatchEvent(new Event('change', {bubbles: true}));
            return true";
        self.until(field, async || self.run_with(script, json!([field, name, text])).await == true).await;
    }

    /// Waits until a script returns this value.
    pub(super) async fn until_run(&self, script: &str, expected: &Value) {
        self.until(&format!("{expected}"), async || self.run(script).await == *expected).await;
    }

    /// Sends keys to the focused element.
    pub(super) async fn keys(&self, keys: &str) {
        let element = self.driver.get("element/active").await;
        let id = element.as_object().and_then(|members| members.values().next()).expect("a focus").clone();
        let path = format!("element/{}/value", id.as_str().expect("an id"));
        self.driver.post(&path, &json!({"text": keys})).await;
    }

    /// Runs a script in the page and returns its result.
    pub(super) async fn run(&self, script: &str) -> Value {
        self.run_with(script, Value::Null).await
    }

    pub(super) async fn run_with(&self, script: &str, argument: Value) -> Value {
        self.driver.post("execute/sync", &json!({"script": script, "args": [argument]})).await
    }

    /// Reloads the page in the browser.
    pub(super) async fn reload(&self) {
        self.driver.post("refresh", &json!({})).await;
    }

    /// Shows the page on a screen of this width, with the light or dark theme.
    pub(super) async fn shown_on(&self, width: u32, dark: bool) {
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        for (command, parameters) in
            [("Emulation.setDeviceMetricsOverride", metrics), ("Emulation.setEmulatedMedia", media)]
        {
            let wanted = json!({"cmd": command, "params": parameters});
            self.driver.post("goog/cdp/execute", &wanted).await;
        }
    }

    /// Takes a screenshot for the documentation if `CONSOLE_PICTURES` is set.
    pub(super) async fn picture(&self, name: &str) {
        if std::env::var_os("CONSOLE_PICTURES").is_none() {
            return;
        }
        let folder = root().join("docs/console");
        std::fs::create_dir_all(&folder).expect("a folder");
        let picture = self.driver.get("screenshot").await;
        let picture = STANDARD.decode(picture.as_str().expect("base64")).expect("base64");
        std::fs::write(folder.join(format!("{name}.png")), picture).expect("a picture");
    }

    /// Prints the page and returns the PDF.
    pub(super) async fn printed(&self) -> Vec<u8> {
        let printed = self.driver.post("print", &json!({})).await;
        STANDARD.decode(printed.as_str().expect("base64")).expect("base64")
    }

    /// Returns the accessibility faults that axe-core finds in the page.
    pub(super) async fn faults_of_access(&self) -> Vec<Value> {
        let file = root().join("crates/console/node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(&file).expect("axe-core: run crates/console/check.sh once");
        self.run(&format!("{axe}; return 1")).await;
        let script = "const done = arguments[arguments.length - 1];
            axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
                .then(found => done(found.violations.map(it => ({id: it.id, nodes: it.nodes.map(node => node.html)}))))";
        let found = self.driver.post("execute/async", &json!({"script": script, "args": []})).await;
        found.as_array().cloned().expect("what axe-core has found")
    }

    async fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.driver.post("se/log", &json!({"type": kind})).await;
        entries.as_array().cloned().expect("a log")
    }

    /// Ends the session and checks what the browser has reported.
    async fn end(self) {
        for entry in self.log("browser").await {
            // The browser also reports error statuses of the API, which the tests cause on purpose.
            assert!(entry["source"] == "network" || entry["level"] != "SEVERE", "{entry}");
        }
        for entry in self.log("performance").await {
            let message = entry["message"].as_str().expect("a text");
            let event: Value = serde_json::from_str(message).expect("an event");
            if event["message"]["method"] == "Network.requestWillBeSent" {
                let address = event["message"]["params"]["request"]["url"].as_str().expect("an address");
                let is_own =
                    ["data:", "blob:", "chrome:", &*self.origin].iter().any(|own| address.starts_with(own));
                assert!(is_own, "{address} was requested");
            }
        }
        let Self { driver, mut program, .. } = self;
        driver.end().await;
        program.kill().expect("chromedriver runs");
        program.wait().expect("it ends");
    }
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
