//! A browser without a window, driven through chromedriver: what tests see and do in it. When it ends, it
//! has run no foreign script, reported no error, and requested nothing of another host.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::common::command::Command as DriverCommand;

use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

use crate::support::{OPERATOR_KEY, Server, Settings, on_every_database_with};

/// Looks for something that a page is to show, before it counts as not there: a minute of a busy machine.
const MAX_LOOKS: u32 = 1200;
/// The time between two of them.
const EVERY: Duration = Duration::from_millis(50);

/// Flags without which a browser of a test calls its maker, or does not start in a container.
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

/// A browser that shows the console of a server.
pub(super) struct Browser {
    driver: WebDriver,
    program: Child,
    /// The address of the console.
    base: String,
    _profile: tempfile::TempDir,
}

/// Runs a test with a browser on every database at hand; without a browser, nothing.
pub(super) fn in_a_browser(test: impl AsyncFn(&mut Server, &Browser)) {
    in_a_browser_with(|_| (), test);
}

/// The same on a server with other settings.
pub(super) fn in_a_browser_with(change: impl Fn(&mut Settings), test: impl AsyncFn(&mut Server, &Browser)) {
    let Some(program) = std::env::var_os("TEST_BROWSER") else { return };
    on_every_database_with(change, async |server| {
        let browser = Browser::start(&program, &server.operator_address).await;
        test(server, &browser).await;
        browser.end().await;
    });
}

impl Browser {
    async fn start(program: &std::ffi::OsStr, address: &str) -> Self {
        let mut child = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("TEST_BROWSER names chromedriver");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let said = lines.find_map(|line| {
            let line = line.expect("a line");
            line.split("successfully on port ").nth(1).map(|rest| rest.trim_end_matches('.').to_owned())
        });
        let port = said.expect("chromedriver says its port");
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().expect("a folder");
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities(&profile)).await;
        let base = format!("http://{address}/");
        Self { driver: driver.expect("a browser"), program: child, base, _profile: profile }
    }

    /// Goes to a page of the console: what stands behind `#`.
    pub(super) async fn go(&self, page: &str) {
        self.driver.goto(format!("{}#{page}", self.base)).await.expect("the page");
    }

    /// Signs in with the key that may do everything.
    pub(super) async fn sign_in(&self) {
        self.sign_in_with(OPERATOR_KEY).await;
        self.sees("Sign out").await;
    }

    pub(super) async fn sign_in_with(&self, key: &str) {
        self.go("/").await;
        self.fill("Operator key", key).await;
        self.press("Sign in").await;
    }

    /// The text that the page shows.
    pub(super) async fn text(&self) -> String {
        let text = self.run("return document.body.innerText").await;
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows a text.
    pub(super) async fn sees(&self, wanted: &str) {
        self.until(wanted, async || self.text().await.contains(wanted)).await;
    }

    /// Waits until the page shows a text no more.
    pub(super) async fn sees_no(&self, unwanted: &str) {
        self.until(&format!("no {unwanted}"), async || !self.text().await.contains(unwanted)).await;
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

    /// Presses the button or follows the link with that text: of a dialog, if there is one.
    pub(super) async fn press(&self, text: &str) {
        let script = "const within = document.querySelector('dialog[open]') ?? document;
            const wanted = arguments[0];
            const found = [...within.querySelectorAll('button, a, summary')]
                .find(it => it.textContent.trim() === wanted && !it.disabled);
            found?.click();
            return found !== undefined";
        self.until(text, async || self.run_with(script, json!(text)).await == true).await;
    }

    /// Presses the button with that text of a dialog that is about to open.
    pub(super) async fn confirm(&self, text: &str) {
        let opened = "return document.querySelector('dialog[open]') !== null";
        self.until(&format!("a dialog with {text}"), async || self.run(opened).await == true).await;
        self.press(text).await;
    }

    /// Types into the field with that label, or chooses that.
    pub(super) async fn fill(&self, label: &str, value: &str) {
        let script = "const within = document.querySelector('dialog[open]') ?? document;
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

    /// Sends keys to whatever has the focus.
    pub(super) async fn keys(&self, keys: &str) {
        self.driver.active_element().await.expect("a focus").send_keys(keys).await.expect("keys");
    }

    /// Runs a script of the test in the page; what it returns.
    pub(super) async fn run(&self, script: &str) -> Value {
        self.run_with(script, Value::Null).await
    }

    async fn run_with(&self, script: &str, argument: Value) -> Value {
        let ran = self.driver.execute(script, vec![argument]).await;
        ran.map(|result| result.json().clone()).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Loads the page anew.
    pub(super) async fn reload(&self) {
        self.driver.refresh().await.expect("the page");
    }

    /// Shows the page on a screen of that width, in the dark or not.
    pub(super) async fn shown_on(&self, width: u32, dark: bool) {
        let tools = self.driver.cdp();
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        for (command, parameters) in
            [("Emulation.setDeviceMetricsOverride", metrics), ("Emulation.setEmulatedMedia", media)]
        {
            tools.send_raw(command, parameters).await.expect("the screen");
        }
    }

    /// A picture of the page, where `CONSOLE_PICTURES` is set: those of the documentation.
    pub(super) async fn picture(&self, name: &str) {
        if std::env::var_os("CONSOLE_PICTURES").is_none() {
            return;
        }
        let folder = root().join("docs/console");
        std::fs::create_dir_all(&folder).expect("a folder");
        self.driver.screenshot(&folder.join(format!("{name}.png"))).await.expect("a picture");
    }

    /// What axe-core finds against the page.
    pub(super) async fn faults_of_access(&self) -> Vec<Value> {
        let file = root().join("crates/console/node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(&file).expect("axe-core: run crates/console/check.sh once");
        self.run(&format!("{axe}; return 1")).await;
        let script = "const done = arguments[arguments.length - 1];
            axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
                .then(found => done(found.violations.map(it => ({id: it.id, nodes: it.nodes.map(node => node.html)}))))";
        let found = self.driver.execute_async(script, Vec::new()).await.expect("axe-core");
        found.json().as_array().cloned().unwrap_or_default()
    }

    /// Ends it, and looks at what it has reported meanwhile.
    async fn end(self) {
        for entry in self.driver.get_log("browser").await.expect("the log") {
            // A status of the API that is no success is reported too, and is what the test is about.
            let is_status = entry.source.as_deref() == Some("network");
            assert!(is_status || entry.level != "SEVERE", "{entry:?}");
        }
        for entry in self.driver.get_log("performance").await.expect("the log") {
            let event: Value = serde_json::from_str(&entry.message).expect("an event");
            let address = &event["message"]["params"]["request"]["url"];
            if event["message"]["method"] == "Network.requestWillBeSent" {
                let address = address.as_str().expect("an address");
                let is_own =
                    ["data:", "blob:", "chrome:", &*self.base].iter().any(|own| address.starts_with(own));
                assert!(is_own, "{address} was requested");
            }
        }
        let Self { driver, mut program, .. } = self;
        driver.cmd(DriverCommand::DeleteSession).await.expect("the end");
        driver.leak().expect("it has ended");
        program.kill().expect("chromedriver runs");
        program.wait().expect("it ends");
    }
}

fn capabilities(profile: &tempfile::TempDir) -> ChromeCapabilities {
    let mut capabilities = DesiredCapabilities::chrome();
    let folder = format!("--user-data-dir={}", profile.path().display());
    for flag in FLAGS.iter().copied().chain([folder.as_str()]) {
        capabilities.add_arg(flag).expect("a flag");
    }
    for log in ["browser", "performance"] {
        capabilities.set_logging_prefs(log, LoggingPrefsLogLevel::All).expect("a log");
    }
    capabilities
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
