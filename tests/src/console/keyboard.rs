//! Operates pages by keyboard only. Tab and Shift+Tab move the focus to an element, which then gets Enter,
//! Space or text. The test fails if the keyboard cannot reach an element.

use serde_json::{Value, json};

use super::browser::Browser;

const TAB_KEY: &str = "\u{E004}";
const SHIFT_KEY: &str = "\u{E008}";
const ENTER_KEY: &str = "\u{E007}";
const SPACE_KEY: &str = " ";
const DOWN_KEY: &str = "\u{E015}";
/// The number of times that Shift+Tab must be pressed in a date field to get from its button to the month.
const SHIFT_TABS_TO_MONTH: u32 = 3;
/// The keys that select the text of a field: Ctrl+A, and then the release of Ctrl.
const SELECT_ALL_KEYS: &str = "\u{E009}a\u{E000}";
/// The maximum number of times that Tab is pressed to reach an element. After that the test fails.
const MAX_TABS: u32 = 300;

/// A script that finds the button, link or section title with the text `text`, which is `arguments[0]`.
const PRESSABLE_SCRIPT: &str = "[...within.querySelectorAll('button, a, summary')]
    .find(it => it.textContent.trim() === text && !it.disabled)";
/// A script that finds the field whose label starts with `text`, which is `arguments[0]`.
const FIELD_SCRIPT: &str = "(() => {
    const label = [...within.querySelectorAll('label')].find(it => it.textContent.trim().startsWith(text));
    return label && (label.control ?? label.querySelector('input, select, textarea'));
})()";
/// A script that finds the checkbox with the label `text`, which is `arguments[0]`.
const CHECKBOX_SCRIPT: &str = "[...within.querySelectorAll('label')]
    .find(it => it.textContent.trim() === text)?.querySelector('input[type=checkbox]')";
/// A script that finds the first warning of a completion that is not ticked.
const OPEN_WARNING_SCRIPT: &str =
    "[...within.querySelectorAll('main .warned input[type=checkbox]')].find(it => !it.checked)";

/// A script that finds an element with one of the scripts above and stores it in `window.target`. Returns the
/// number of focusable elements between the focus and the found element. The number is negative if the
/// element is before the focus. Returns null if no enabled and visible element has the text.
const FIND_FOCUS_SCRIPT: &str = "const within = document.querySelector('dialog[open]') ?? document;
    const text = arguments[0];
    const found = FOUND;
    window.target = found;
    if (!found || found.disabled || !found.checkVisibility()) return null;
    const all = [...document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]')];
    return all.indexOf(found) - all.indexOf(document.activeElement)";

/// Whether the focus was before or after the element that now has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FocusPosition {
    Before,
    After,
}

impl Browser {
    /// Presses the button or link with this text.
    pub(super) async fn press_by_keyboard(&self, text: &str) {
        self.focus_by_tab_key(PRESSABLE_SCRIPT, text).await;
        self.send_keys(ENTER_KEY).await;
    }

    /// Types into the field with this label, or selects this option.
    pub(super) async fn fill_by_keyboard(&self, label: &str, value: &str) {
        let from = self.focus_by_tab_key(FIELD_SCRIPT, label).await;
        let kind = self.run_script("return window.target.type").await;
        let typed = match kind.as_str().unwrap_or_default() {
            "date" => {
                for _ in 0..if from == FocusPosition::After { SHIFT_TABS_TO_MONTH } else { 0 } {
                    self.press_keys(&[SHIFT_KEY, TAB_KEY]).await;
                }
                to_american_order(value)
            }
            // Typing selects the option whose text starts with the typed characters.
            "select-one" => self.option_text(value).await,
            _ => format!("{SELECT_ALL_KEYS}{value}"),
        };
        self.send_keys(&typed).await;
        self.wait_for_script_result("return window.target.value", &json!(value)).await;
    }

    /// Ticks the checkbox with this label.
    pub(super) async fn tick_by_keyboard(&self, label: &str) {
        self.focus_by_tab_key(CHECKBOX_SCRIPT, label).await;
        self.send_keys(SPACE_KEY).await;
        self.wait_for_script_result("return window.target.checked", &json!(true)).await;
    }

    /// Searches in the field with this label, and selects the result that starts with the text.
    pub(super) async fn choose_by_keyboard(&self, label: &str, text: &str) {
        self.focus_by_tab_key(FIELD_SCRIPT, label).await;
        self.send_keys(&format!("{SELECT_ALL_KEYS}{text}")).await;
        let listed = "const options = [...document.querySelectorAll('[role=option]')].filter(it => it.checkVisibility());
            return options.findIndex(it => it.textContent.trim().startsWith('TEXT')) === 0".replace("TEXT", text);
        self.wait_for_script_result(&listed, &json!(true)).await;
        self.send_keys(&format!("{DOWN_KEY}{ENTER_KEY}")).await;
        self.wait_for_script_result("return window.target.getAttribute('aria-expanded')", &json!("false"))
            .await;
    }

    /// Ticks all warnings of a completion.
    pub(super) async fn confirm_warnings_by_keyboard(&self) {
        let open =
            "return document.querySelectorAll('main .warned input[type=checkbox]:not(:checked)').length";
        while self.run_script(open).await != 0 {
            self.focus_by_tab_key(OPEN_WARNING_SCRIPT, "").await;
            self.send_keys(SPACE_KEY).await;
        }
    }

    /// Presses several keys together in the focused element. A file field accepts such key presses but no
    /// text.
    pub(super) async fn press_keys(&self, keys: &[&str]) {
        let down = keys.iter().map(|key| json!({"type": "keyDown", "value": key}));
        let up = keys.iter().rev().map(|key| json!({"type": "keyUp", "value": key}));
        let actions: Vec<Value> = down.chain(up).collect();
        let all = json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]});
        self.driver.post_command("actions", &all).await;
    }

    /// Waits for an element, and moves the focus to it. Returns whether the previous focus was before or
    /// after the element.
    async fn focus_by_tab_key(&self, found: &str, text: &str) -> FocusPosition {
        let script = FIND_FOCUS_SCRIPT.replace("FOUND", found);
        let (mut distance, mut from) = (Value::Null, FocusPosition::Before);
        for _ in 0..MAX_TABS {
            distance = self.run_script_with(&script, json!(text)).await;
            match distance.as_i64() {
                Some(0) => return from,
                Some(distance) if distance < 0 => {
                    from = FocusPosition::After;
                    self.press_keys(&[SHIFT_KEY, TAB_KEY]).await;
                }
                Some(_) => {
                    from = FocusPosition::Before;
                    self.press_keys(&[TAB_KEY]).await;
                }
                None => tokio::time::sleep(super::browser::POLL_INTERVAL).await,
            }
        }
        panic!("the keyboard does not reach {text} ({distance}); there is:\n{}", self.page_text().await);
    }

    /// Returns the visible text of the option with this value in the found list.
    async fn option_text(&self, value: &str) -> String {
        let script = "return [...window.target.options].find(it => it.value === arguments[0])?.textContent";
        let text = self.run_script_with(script, json!(value)).await;
        text.as_str().unwrap_or_else(|| panic!("there is no option {value}")).to_owned()
    }
}

/// Returns a date in the order in which Americans type it into a date field: month, day, year.
fn to_american_order(date: &str) -> String {
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.try_into().expect("a date");
    format!("{month}{day}{year}")
}
