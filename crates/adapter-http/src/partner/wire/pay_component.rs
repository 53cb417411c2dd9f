//! A pay component (specification §11.11).

use payroll_domain::pay_component::PayComponent;
use payroll_domain::worker::WorkerType;
use serde::Serialize;

use crate::shared::wire::value::Day;

/// A pay component.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PayComponentResource<'a> {
    component_id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    classification_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    effect_on_pay: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_date: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_date: Option<Day>,
    /// Absent: it applies to all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    applies_to_worker_types: Vec<&'static str>,
    overtime: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    required_product: Option<&'a str>,
}

impl<'a> PayComponentResource<'a> {
    pub(crate) fn new(component: &'a PayComponent) -> Self {
        let types = component.applies_to_worker_types.iter().copied().map(WorkerType::as_str);
        Self {
            component_id: component.component_id.as_str(),
            name: &component.name,
            code: component.code.as_deref(),
            classification_type: component.classification_type.as_str(),
            description: component.description.as_deref(),
            effect_on_pay: component.effect_on_pay.as_str(),
            start_date: component.start_date.map(Day),
            end_date: component.end_date.map(Day),
            applies_to_worker_types: types.collect(),
            overtime: component.overtime,
            required_product: component.required_product.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::pay_component::{ClassificationType, EffectOnPay};

    #[test]
    fn a_pay_component_shows_its_members_in_order_and_leaves_out_what_it_lacks() {
        let plain = PayComponent {
            component_id: samples::id("HOURLY"),
            name: "Hourly".to_owned(),
            code: None,
            classification_type: ClassificationType::Regular,
            description: None,
            effect_on_pay: EffectOnPay::Addition,
            start_date: None,
            end_date: None,
            applies_to_worker_types: Vec::new(),
            overtime: false,
            required_product: None,
        };
        let whole = PayComponent {
            code: Some("01".to_owned()),
            start_date: Some(samples::day("2020-01-01")),
            applies_to_worker_types: vec![WorkerType::Employee, WorkerType::Contractor],
            required_product: Some("RETIREMENT".to_owned()),
            ..plain.clone()
        };
        let shown = |component| serde_json::to_string(&PayComponentResource::new(component)).unwrap();
        let expected = concat!(
            r#"{"componentId":"HOURLY","name":"Hourly","classificationType":"REGULAR","#,
            r#""effectOnPay":"ADDITION","overtime":false}"#,
        );
        assert_eq!(shown(&plain), expected);
        let expected = concat!(
            r#"{"componentId":"HOURLY","name":"Hourly","code":"01","classificationType":"REGULAR","#,
            r#""effectOnPay":"ADDITION","startDate":"2020-01-01T00:00:00Z","#,
            r#""appliesToWorkerTypes":["EMPLOYEE","CONTRACTOR"],"overtime":false,"#,
            r#""requiredProduct":"RETIREMENT"}"#,
        );
        assert_eq!(shown(&whole), expected);
    }
}
