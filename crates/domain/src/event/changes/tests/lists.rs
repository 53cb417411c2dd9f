//! Tests the events for added, removed and changed elements of lists.

use serde_json::{Value, json};

use super::*;

/// Lists of elements, each with the domain and the worker of the expected events.
const LISTS: [(&str, &str, &str); 6] = [
    ("/communications", "CLT_DEM", ""),
    ("/organizations", "CLT_ORG", ""),
    ("/workers/0/communications", "WRKR_DEM", " W-1"),
    ("/workers/0/payRates", "WRKR_CMP", " W-1"),
    ("/workers/0/recurringComponents", "WRKR_CMP", " W-1"),
    ("/workers/0/taxes/states", "WRKR_TAX", " W-1"),
];

/// Returns a copy of the first element of the list with a new id.
fn copy_with_new_id(list: &Value) -> Value {
    let mut item = list[0].clone();
    let ids = ["communicationId", "organizationId", "rateId", "workerComponentId", "countrySubdivisionCode"];
    let id = ids.iter().find(|id| item.get(**id).is_some() && **id != "countrySubdivisionCode");
    item[*id.unwrap_or(&"countrySubdivisionCode")] = json!("VT");
    if item.get("rateId").is_some() {
        item["default"] = json!(false);
    }
    item
}

#[test]
fn added_items_fire_add_and_removed_items_fire_delete() {
    for (list, domain, who) in LISTS {
        let came = find_event_of_change(list, |list| {
            let item = copy_with_new_id(list);
            list.as_array_mut().unwrap().push(item);
        });
        assert_eq!(came.unwrap(), format!("{domain} ADD{who}"), "{list}");
        let gone = find_event_of_change(list, |list| *list = json!(list.as_array().unwrap()[1..]));
        assert_eq!(gone.unwrap(), format!("{domain} DELETE{who}"), "{list}");
    }
}

#[test]
fn mixed_changes_of_items_fire_an_update() {
    for (list, domain, who) in LISTS {
        let replaced = find_event_of_change(list, |list| list[0] = copy_with_new_id(list));
        assert_eq!(replaced.unwrap(), format!("{domain} UPDATE{who}"), "{list}");
        if list == "/organizations" {
            continue; // Organizations are stored one by one, without an order in a list.
        }
        let mut both = company_document();
        let items = both.pointer_mut(list).unwrap();
        let item = copy_with_new_id(items);
        items.as_array_mut().unwrap().push(item);
        let mut reversed = both.clone();
        reversed.pointer_mut(list).unwrap().as_array_mut().unwrap().reverse();
        assert_eq!(find_fired_events(&both, &reversed).unwrap(), format!("{domain} UPDATE{who}"), "{list}");
    }
}

#[test]
fn an_added_item_with_another_change_of_its_domain_fires_an_update() {
    let add = |list: &mut Value| {
        let item = copy_with_new_id(list);
        list.as_array_mut().unwrap().push(item);
    };
    let reported = find_event_of_change("/workers/0", |worker| {
        add(&mut worker["communications"]);
        worker["sex"] = json!("MALE");
        add(&mut worker["payRates"]);
        worker["recurringComponents"] = json!([]);
        add(&mut worker["taxes"]["states"]);
        worker["clockId"] = json!("other");
    });
    let expected = ["WRKR_DEM UPDATE", "WRKR_EMPL UPDATE", "WRKR_TAX ADD", "WRKR_CMP UPDATE"];
    assert_eq!(reported.unwrap(), expected.map(|words| format!("{words} W-1")).join(", "));
}
