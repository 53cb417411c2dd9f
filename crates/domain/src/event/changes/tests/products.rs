//! The events for changes of a company's products.

use serde_json::json;

use super::{company_document, find_fired_events};

/// Returns the events for a change of the products. Each product is given as `(code, start, end)`.
fn find_product_events(before: &[(&str, &str, &str)], after: &[(&str, &str, &str)]) -> String {
    let with = |products: &[(&str, &str, &str)]| {
        let mut document = company_document();
        let products = products.iter().map(|(code, start, end)| match *end {
            "" => json!({"productCode": code, "startDate": start}),
            end => json!({"productCode": code, "startDate": start, "endDate": end}),
        });
        document["products"] = products.collect();
        document
    };
    find_fired_events(&with(before), &with(after)).unwrap()
}

#[test]
fn only_the_removal_and_the_end_of_a_product_fire_events() {
    const PRODUCT_A: (&str, &str, &str) = ("A", "2020-01-01", "");
    const MOVED_START: (&str, &str, &str) = ("A", "2019-01-01", "");
    const WITH_END: (&str, &str, &str) = ("A", "2020-01-01", "2026-12-31");
    const LATER_START: (&str, &str, &str) = ("A", "2028-01-01", "");
    const PRODUCT_B: (&str, &str, &str) = ("B", "2020-01-01", "2026-12-31");
    let cases: [(&[_], &[_], &str); 11] = [
        (&[PRODUCT_A], &[PRODUCT_A, PRODUCT_B], ""),
        (&[PRODUCT_A, PRODUCT_B], &[PRODUCT_B, PRODUCT_A], ""),
        (&[PRODUCT_A], &[MOVED_START], ""),
        (&[PRODUCT_A], &[WITH_END], "CLT_PROD UPDATE"),
        (&[WITH_END], &[PRODUCT_A], ""),
        (&[PRODUCT_A], &[("A", "2019-01-01", "2026-12-31")], "CLT_PROD UPDATE"),
        (&[PRODUCT_A, PRODUCT_B], &[PRODUCT_A], "CLT_PROD DELETE"),
        (&[PRODUCT_A, PRODUCT_B], &[WITH_END], "CLT_PROD UPDATE"),
        (&[WITH_END], &[WITH_END, LATER_START], ""),
        (&[WITH_END, LATER_START], &[WITH_END], "CLT_PROD DELETE"),
        (&[WITH_END, LATER_START], &[WITH_END, ("A", "2029-01-01", "")], ""),
    ];
    for (before, after, expected) in cases {
        assert_eq!(find_product_events(before, after), expected, "{before:?} {after:?}");
    }
}
