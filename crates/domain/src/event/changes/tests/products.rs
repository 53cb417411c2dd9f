//! The events for changes of a company's products.

use serde_json::json;

use super::{document, fired_events};

/// Returns the events for a change of the products. Each product is given as `(code, start, end)`.
fn events_of_products(before: &[(&str, &str, &str)], after: &[(&str, &str, &str)]) -> String {
    let with = |products: &[(&str, &str, &str)]| {
        let mut document = document();
        let products = products.iter().map(|(code, start, end)| match *end {
            "" => json!({"productCode": code, "startDate": start}),
            end => json!({"productCode": code, "startDate": start, "endDate": end}),
        });
        document["products"] = products.collect();
        document
    };
    fired_events(&with(before), &with(after)).unwrap()
}

#[test]
fn only_the_removal_and_the_end_of_a_product_fire_events() {
    const A: (&str, &str, &str) = ("A", "2020-01-01", "");
    const MOVED: (&str, &str, &str) = ("A", "2019-01-01", "");
    const ENDING: (&str, &str, &str) = ("A", "2020-01-01", "2026-12-31");
    const AGAIN: (&str, &str, &str) = ("A", "2028-01-01", "");
    const B: (&str, &str, &str) = ("B", "2020-01-01", "2026-12-31");
    let cases: [(&[_], &[_], &str); 11] = [
        (&[A], &[A, B], ""),
        (&[A, B], &[B, A], ""),
        (&[A], &[MOVED], ""),
        (&[A], &[ENDING], "CLT_PROD UPDATE"),
        (&[ENDING], &[A], ""),
        (&[A], &[("A", "2019-01-01", "2026-12-31")], "CLT_PROD UPDATE"),
        (&[A, B], &[A], "CLT_PROD DELETE"),
        (&[A, B], &[ENDING], "CLT_PROD UPDATE"),
        (&[ENDING], &[ENDING, AGAIN], ""),
        (&[ENDING, AGAIN], &[ENDING], "CLT_PROD DELETE"),
        (&[ENDING, AGAIN], &[ENDING, ("A", "2029-01-01", "")], ""),
    ];
    for (before, after, expected) in cases {
        assert_eq!(events_of_products(before, after), expected, "{before:?} {after:?}");
    }
}
