//! Generates examples of responses from the schemas. If this module lists a value under the name of a member,
//! the example contains this value. Otherwise the example contains the first value that the schema allows.
//! The acceptance tests validate each example against its schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::shared::lookup;

/// The maximum nesting of an example. Deeper optional members are omitted.
const MAX_DEPTH: usize = 8;

/// Generates examples for schemas. Referenced schemas are found by their names.
pub(super) struct ExampleGenerator<'s> {
    schemas: &'s BTreeMap<String, Value>,
}

impl<'s> ExampleGenerator<'s> {
    /// Creates a generator for these schemas.
    pub(super) const fn new(schemas: &'s BTreeMap<String, Value>) -> Self {
        Self { schemas }
    }

    /// Returns the media type object of a body with this schema. The example is generated from `narrower`,
    /// which is `schema` itself or a schema that allows fewer values.
    pub(super) fn media_type_object(&self, schema: &Value, narrower: &Value) -> Value {
        match self.value_example("", narrower, 0) {
            Some(example) => json!({"schema": schema, "examples": {"example": {"value": example}}}),
            None => json!({"schema": schema}),
        }
    }

    /// Returns an example for the member with this name; `None` if the member is nested too deeply, or is a
    /// text without a listed value.
    fn value_example(&self, name: &str, schema: &Value, depth: usize) -> Option<Value> {
        if let Some(reference) = schema["$ref"].as_str() {
            let (_, target) = reference.rsplit_once('/')?;
            if let Some(whole) = complete_example(target) {
                return Some(whole);
            }
            return self.value_example(name, self.schemas.get(target)?, depth);
        }
        if let Some(own) = schema["examples"].get(0) {
            return Some(own.clone());
        }
        if let Some(words) = schema["enum"].as_array() {
            return text_example(name)
                .filter(|sample| words.contains(sample))
                .or_else(|| words.first().cloned());
        }
        if let Some(first) = schema["oneOf"].get(0).or_else(|| schema["anyOf"].get(0)) {
            return self.value_example(name, first, depth);
        }
        match schema["type"].as_str()? {
            "object" => self.object_example(schema, depth),
            "array" if depth >= MAX_DEPTH => Some(json!([])),
            "array" if schema["maxItems"] == 0 => Some(json!([])),
            "array" => Some(json!([self.value_example(name, &schema["items"], depth + 1)?])),
            "string" => text_example(name),
            "integer" => Some(
                number_example(name).unwrap_or_else(|| schema.get("minimum").cloned().unwrap_or(json!(1))),
            ),
            "number" => Some(json!(42)),
            "boolean" => Some(json!(false)),
            _ => None,
        }
    }

    fn object_example(&self, schema: &Value, depth: usize) -> Option<Value> {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut members = Map::new();
        for (name, member) in schema["properties"].as_object()? {
            let is_required = required.iter().any(|it| it == name.as_str());
            if depth >= MAX_DEPTH && !is_required {
                continue;
            }
            match self.value_example(name, member, depth + 1) {
                Some(value) => drop(members.insert(name.clone(), value)),
                None if is_required => return None,
                None => {}
            }
        }
        Some(members.into())
    }
}

/// Returns a fixed example for a schema with members that exclude each other, such as `debit` and `credit`.
/// Returns `None` for any other schema.
fn complete_example(schema: &str) -> Option<Value> {
    match schema {
        "CompanyLock" => Some(json!({"holder": "month end", "reason": "Month end"})),
        "CustomField" => Some(json!({
            "customFieldId": "1-FIELD-1", "customFieldName": "Shoe size", "type": "NUMERIC", "required": false,
            "checkStub": false, "employeeEditable": true, "numericValue": 42,
        })),
        "ImportedLine" => Some(json!({
            "line": 1, "companyId": "00DEMO0001COMPANY001", "result": "stored",
            "counts": {"created": 1, "changed": 0, "unchanged": 0},
        })),
        "Journal" => Some(json!({
            "payPeriodId": "2027-01", "checkDate": "2027-01-15T00:00:00Z",
            "totalDebit": "966.25", "totalCredit": "966.25",
            "entries": [
                {"account": "Wages expense", "debit": "966.25", "kind": "COMPONENT", "componentId": "hourly",
                 "name": "Hourly", "effectOnPay": "ADDITION"},
                {"account": "Wages payable", "credit": "966.25", "kind": "COMPONENT", "componentId": "hourly",
                 "name": "Hourly", "effectOnPay": "ADDITION"},
            ],
        })),
        _ => None,
    }
}

/// Returns the example of a string member with this name.
fn text_example(name: &str) -> Option<Value> {
    let of_lookup = lookup::all_lookup_lists().flat_map(|(_, spec)| spec.texts);
    TEXT_EXAMPLES.iter().chain(of_lookup).find(|(member, _)| *member == name).map(|(_, text)| (*text).into())
}

/// Returns the example of a numeric member with this name.
fn number_example(name: &str) -> Option<Value> {
    NUMBER_EXAMPLES.iter().find(|(member, _)| *member == name).map(|(_, number)| (*number).into())
}

/// Example texts by member name. All texts are from the demo data or obviously fictitious.
const TEXT_EXAMPLES: &[(&str, &str)] = &[
    ("access_token", "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJl"),
    ("accountNumber", "1234567865"),
    ("accessRequestId", "01KXAMPLE0REQUEST000000001"),
    ("answer", "busy"),
    ("applicationId", "demo"),
    ("applicationName", "Demo partner"),
    ("approvalLink", "http://127.0.0.1:8081/approve/Zm9yLW9uZS11c2Utb25seQ"),
    ("categoryId", "851000000005001"),
    ("categoryName", "Equipment"),
    ("checkComponentId", "851000000009001"),
    ("checkCorrelationId", "time-clock-2026-06-05-1"),
    ("checkNumber", "1001"),
    ("checkType", "Regular"),
    ("city", "Springfield"),
    ("clientId", "pkc_example"),
    ("clientSecret", "a-secret-of-yours"),
    ("clockId", "4711"),
    ("code", "E1"),
    ("codes", "API-48"),
    ("communicationId", "851000000008001"),
    ("companyId", "00DEMO0001COMPANY001"),
    ("componentId", "851000000001001"),
    ("contactTypeId", "851000000004001"),
    ("contactTypeName", "Emergency"),
    ("correlationId", "time-clock-2026-06-05-1"),
    ("countryCode", "US"),
    ("countrySubdivisionCode", "NY"),
    ("countrySubdivisionCodes", "NY"),
    ("customFieldId", "1-FIELD-1"),
    ("customFieldName", "Shoe size"),
    ("csrfToken", "ZXhhbXBsZS1vZi1hLXRva2VuLWFnYWluc3QtZm9yZ2Vy"),
    ("deliveryId", "01KXAMPLE0DELIVERY00000001"),
    ("documentId", "01KXAMPLE0DOCUMENT00000001"),
    ("description", "Every second Friday"),
    ("dialArea", "212"),
    ("dialCountry", "1"),
    ("dialExtension", "12"),
    ("dialNumber", "5550100"),
    ("directDepositId", "851000000023001"),
    ("displayId", "00010001"),
    ("dropdownId", "851000000011001"),
    ("dropdownValue", "Blue"),
    ("email", "ada@example.org"),
    ("employeeId", "1001"),
    ("ethnicityCode", "1"),
    ("eventId", "4b1f6f0e-7c7a-4a51-9f0e-0d5f6a3c2b11"),
    ("familyName", "Example"),
    ("givenName", "Ada"),
    ("holder", "month end"),
    ("hookId", "demo"),
    ("href", "http://127.0.0.1:8080/companies/00DEMO0001COMPANY001"),
    ("id", "00DEMO0001WORKER0001"),
    ("imageId", "01KXAMPLE0IMAGE00000000001"),
    ("jobId", "851000000012001"),
    ("jobTitleId", "851000000013001"),
    ("keyId", "01KXAMPLE0KEY0000000000001"),
    ("laborAssignmentId", "851000000014001"),
    ("legalIdValue", "*****6789"),
    ("legalName", "Demo Bakery LLC"),
    ("locationId", "851000000015001"),
    ("method", "POST"),
    ("middleName", "B"),
    ("name", "Example"),
    ("nonProduction", "127.0.0.1"),
    ("notificationId", "4b1f6f0e-7c7a-4a51-9f0e-0d5f6a3c2b11"),
    ("notificationIds", "4b1f6f0e-7c7a-4a51-9f0e-0d5f6a3c2b11"),
    ("number", "100"),
    ("operatorName", "Ann"),
    ("organizationId", "851000000023001"),
    ("payPeriodETag", "\"1785199045149000\""),
    ("payPeriodId", "851000000002008"),
    ("payRateId", "851000000003001"),
    ("paycheckId", "01KXAMPLE0PAYCHECK00000001"),
    ("payperiodId", "851000000002008"),
    ("pointer", "/0/earnings/0/payHours"),
    ("policyId", "851000000024001"),
    ("postOfficeBox", "100"),
    ("postalCode", "10001"),
    ("postalCodeExtension", "0001"),
    ("preferredName", "Ada"),
    ("problem", "the storage does not respond, or cannot be written"),
    ("production", "192.0.2.10"),
    ("productCode", "PAYROLL"),
    ("qualificationAffixCode", "PHD"),
    ("rateId", "851000000003001"),
    ("reason", "Month end"),
    ("rel", "self"),
    ("relationshipTypeId", "851000000016001"),
    ("relationshipTypeName", "Sister"),
    ("requestId", "01KXAMPLE0REQUESTID0000001"),
    ("requiredProduct", "PAYROLL"),
    ("resourceId", "00DEMO0001WORKER0001"),
    ("route", "/companies/{companyId}/checks"),
    ("scope", "read:companies read:payroll write:payroll"),
    ("secretId", "01KXAMPLE0SECRET0000000001"),
    ("sessionId", "01KXAMPLE0SESSION000000001"),
    ("signingSecret", "whsec_ZXhhbXBsZS1vZi1hLXNpZ25pbmctc2VjcmV0"),
    ("routingNumber", "122100024"),
    ("statusReason", "Moved away"),
    ("streetLineOne", "1 Example Street"),
    ("streetLineTwo", "Floor 2"),
    ("taxStates", "NY"),
    ("taxId", "00DEMO0001WORKER0001"),
    ("textValue", "None"),
    ("title", "Baker"),
    ("titleAffixCode", "DR"),
    ("type", "Vacation"),
    ("unreadableCompanies", "00DEMO0001COMPANY001"),
    ("uri", "https://receiver.demo/notifications"),
    ("version", "0.1.0"),
    ("workState", "NY"),
    ("workerComponentId", "851000000017001"),
    ("workerCustomFieldId", "851000000018001"),
    ("contactId", "851000000019001"),
    ("workerId", "00DEMO0001WORKER0001"),
    ("workerStatusId", "851000000018001"),
    ("workerTaxId", "NY"),
];

/// Example numbers by member name. Other numbers use the minimum of their schema.
const NUMBER_EXAMPLES: &[(&str, i64)] = &[
    ("checkCount", 4),
    ("contentItemCount", 1),
    ("durationMicroseconds", 812),
    ("durationMilliseconds", 48),
    ("expires_in", 3_600),
    ("itemCount", 1),
    ("limit", 10),
    ("rateLimitPerMinute", 600),
    ("status", 200),
    ("total", 1),
];
