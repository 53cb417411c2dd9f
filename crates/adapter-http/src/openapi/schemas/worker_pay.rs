//! The pay of workers: compensation and direct deposits (specification §11.39, §11.40).

use payroll_domain::worker::{DirectDeposit, PayStandards};
use serde_json::{Value, json};

use super::super::documents::{SchemaUse, request_schema};
use super::super::schema::{
    amount_schema, created_object_schema, described_schema_with, enumeration_schema, id_schema, list_schema,
    object_schema, optional, required, schema_reference, with_keyword, with_member_schema,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("PayStandards", pay_standards_schema()),
        ("Compensation", compensation_schema()),
        ("CompensationLinks", compensation_links_schema()),
        ("DirectDeposit", direct_deposit_schema()),
        ("DirectDepositInput", new_deposit_schema()),
        ("DirectDepositChange", deposit_change_schema(&["paymentType", "value"])),
        ("NamedDirectDepositChange", bulk_change_item_schema()),
        ("CreatedDirectDeposit", created_object_schema(direct_deposit_schema(), "directDepositId")),
    ]
}

fn pay_standards_schema() -> Value {
    let history = "The sum of the gross earnings of the worker's processed checks with a check date in the \
        last 365 days.";
    described_schema_with::<PayStandards>([
        optional(
            "calculatedPayPeriod",
            amount_schema("The calculated pay of the worker for one pay period."),
        ),
        optional("calculatedAnnualSalary", amount_schema("The calculated pay of the worker for one year.")),
        optional("calculatedAnnualSalaryFromHistory", amount_schema(history)),
    ])
}

fn compensation_schema() -> Value {
    object_schema(
        "The compensation of a worker.",
        [
            optional("payStandards", schema_reference("PayStandards")),
            required("payRates", list_schema("The pay rates of the worker.", schema_reference("PayRate"))),
        ],
    )
}

fn compensation_links_schema() -> Value {
    let nothing = with_keyword(
        list_schema("Always empty: the links lead to the compensation.", schema_reference("Compensation")),
        "maxItems",
        0,
    );
    object_schema(
        "Links to the compensation of a worker.",
        [
            required("content", nothing),
            required(
                "links",
                list_schema("The links `self`, `payRates` and `payStandards`.", schema_reference("Link")),
            ),
        ],
    )
}

fn direct_deposit_schema() -> Value {
    let schema = described_schema_with::<DirectDeposit>([
        required(
            "directDepositType",
            enumeration_schema("The kind of pay from which the deposit is taken.", ["Net Pay"]),
        ),
        required("links", list_schema("The link `self` to the object.", schema_reference("Link"))),
    ]);
    let words = "The account number at the bank: unmasked in responses to GET, masked such as `*****7865` \
        in responses to changes.";
    with_member_schema(schema, "accountNumber", json!({"type": "string", "description": words}))
}

/// Returns the schema of a direct deposit in a request that adds the deposit.
fn new_deposit_schema() -> Value {
    without_members(
        request_schema::<DirectDeposit>(SchemaUse::Request, &["startDate"]),
        &["directDepositId", "priority", "status", "pendingChange", "requestedBy", "requestedDate"],
    )
}

/// Returns the schema of a request that changes a direct deposit and may contain only these members.
fn deposit_change_schema(members: &[&str]) -> Value {
    let mut schema = request_schema::<DirectDeposit>(SchemaUse::Patch, &[]);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| members.contains(&name.as_str()));
    }
    schema
}

fn bulk_change_item_schema() -> Value {
    let mut schema = deposit_change_schema(&["directDepositId", "paymentType", "value", "priority"]);
    if let Some(members) = schema.as_object_mut() {
        members.insert("required".to_owned(), json!(["directDepositId"]));
    }
    with_member_schema(schema, "directDepositId", id_schema("The direct deposit to change."))
}

fn without_members(mut schema: Value, members: &[&str]) -> Value {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !members.contains(&name.as_str()));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !members.contains(&name)));
    }
    schema
}
