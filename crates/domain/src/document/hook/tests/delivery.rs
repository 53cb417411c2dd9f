//! Tests for a hook's delivery options, such as ordered delivery and the limit of attempts.

use serde_json::json;

use super::{faults, hook, hook_with, read_change, read_hook};
use crate::hook::{DeliveryOption, DeliveryOptions, Hook};

#[test]
fn options_of_delivery_are_read_and_written_back() {
    let read =
        read_hook(&hook_with(&json!({"ordered": true, "maxAttempts": 3, "maxPerSecond": "7"}))).unwrap();
    let options = DeliveryOptions { ordered: true, max_attempts: Some(3), max_per_second: Some(7) };
    assert_eq!(read.delivery, options);
    let shown = crate::document::write_hook(&Hook { delivery: options, ..hook() }, None);
    assert!(shown.contains(r#""active":true,"ordered":true,"maxAttempts":3,"maxPerSecond":7,"#), "{shown}");
    let absent = read_hook(&hook_with(&json!({"ordered": null, "maxAttempts": null}))).unwrap();
    assert_eq!(absent.delivery, DeliveryOptions::default());
    let invalid = json!({"ordered": "yes", "maxAttempts": 0, "maxPerSecond": 1_001});
    assert_eq!(
        faults(read_hook(&hook_with(&invalid))),
        ["API-48 /maxAttempts", "API-48 /maxPerSecond", "API-48 /ordered"]
    );
    for value in [json!(1.5), json!(-1), json!("many"), json!([]), json!(4_294_967_297_u64)] {
        assert_eq!(faults(read_hook(&hook_with(&json!({"maxAttempts": value})))), ["API-48 /maxAttempts"]);
    }
}

#[test]
fn a_change_of_options_contains_only_the_members_that_were_sent() {
    assert_eq!(read_change(r#"{"domains": ["WRKR_ADD"]}"#).unwrap().delivery, []);
    let read = read_change(r#"{"maxPerSecond": null, "ordered": false, "maxAttempts": 1000}"#).unwrap();
    let expected = [
        DeliveryOption::Ordered(false),
        DeliveryOption::MaxAttempts(Some(1_000)),
        DeliveryOption::MaxPerSecond(None),
    ];
    assert_eq!(read.delivery, expected);
    assert_eq!(faults(read_change(r#"{"ordered": ""}"#)), ["API-46 /ordered"]);
    assert_eq!(faults(read_change(r#"{"ordered": true, "ordered": false}"#)), ["API-47 /ordered"]);
}
