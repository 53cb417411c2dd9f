//! The appearance of a page: its screen size, screenshots, printed pages and accessibility.

use super::{Browser, repository_root};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

impl Browser {
    /// Shows the page on a screen of this width, with the light or dark theme.
    pub(in super::super) async fn set_screen(&self, width: u32, dark: bool) {
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        for (command, parameters) in
            [("Emulation.setDeviceMetricsOverride", metrics), ("Emulation.setEmulatedMedia", media)]
        {
            let body = json!({"cmd": command, "params": parameters});
            self.driver.post_command("goog/cdp/execute", &body).await;
        }
    }

    /// Takes a screenshot for the documentation if `CONSOLE_PICTURES` is set.
    pub(in super::super) async fn save_screenshot(&self, name: &str) {
        if std::env::var_os("CONSOLE_PICTURES").is_none() {
            return;
        }
        let folder = repository_root().join("docs/console");
        std::fs::create_dir_all(&folder).expect("a folder");
        let picture = self.driver.get("screenshot").await;
        let picture = STANDARD.decode(picture.as_str().expect("base64")).expect("base64");
        std::fs::write(folder.join(format!("{name}.png")), picture).expect("a picture");
    }

    /// Prints the page and returns the PDF.
    pub(in super::super) async fn print_pdf(&self) -> Vec<u8> {
        let printed = self.driver.post_command("print", &json!({})).await;
        STANDARD.decode(printed.as_str().expect("base64")).expect("base64")
    }

    /// Returns the accessibility faults that axe-core finds in the page.
    pub(in super::super) async fn accessibility_faults(&self) -> Vec<Value> {
        let file = repository_root().join("crates/console/node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(&file).expect("axe-core: run crates/console/check.sh once");
        self.run_script(&format!("{axe}; return 1")).await;
        let script = "const done = arguments[arguments.length - 1];
            axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
                .then(found => done(found.violations.map(it => ({id: it.id, nodes: it.nodes.map(node => node.html)}))))";
        let found = self.driver.post_command("execute/async", &json!({"script": script, "args": []})).await;
        found.as_array().cloned().expect("what axe-core has found")
    }

    pub(super) async fn read_log(&self, kind: &str) -> Vec<Value> {
        let entries = self.driver.post_command("se/log", &json!({"type": kind})).await;
        entries.as_array().cloned().expect("a log")
    }

    /// Ends the session. Verifies that the browser has logged no error and contacted no other host.
    pub(super) async fn end_session(self) {
        for entry in self.read_log("browser").await {
            // The browser also logs error statuses of the API. Tests cause such statuses on purpose.
            assert!(entry["source"] == "network" || entry["level"] != "SEVERE", "{entry}");
        }
        for entry in self.read_log("performance").await {
            let message = entry["message"].as_str().expect("a text");
            let event: Value = serde_json::from_str(message).expect("an event");
            if event["message"]["method"] == "Network.requestWillBeSent" {
                let address = event["message"]["params"]["request"]["url"].as_str().expect("an address");
                let is_own =
                    ["data:", "blob:", "chrome:", &*self.origin].iter().any(|own| address.starts_with(own));
                assert!(is_own, "{address} was requested");
            }
        }
        self.driver.end_session().await;
    }
}
