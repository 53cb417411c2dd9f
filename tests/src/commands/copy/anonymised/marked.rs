//! A company in which each member that may identify a person or a company contains a unique, searchable text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

/// The id of the company with searchable texts.
pub(super) const COMPANY_ID: &str = "C-1";

/// The members of any object that may contain any text and identify a person or a company.
const TEXT_MEMBERS: [&str; 33] = [
    "entityName",
    "legalName",
    "streetLineOne",
    "streetLineTwo",
    "city",
    "wagesExpenseAccount",
    "wagesPayableAccount",
    "employerTaxExpenseAccount",
    "taxesPayableAccount",
    "deductionsPayableAccount",
    "holder",
    "reason",
    "name",
    "contactTypeName",
    "relationshipTypeName",
    "customEmploymentTypeName",
    "categoryName",
    "customFieldName",
    "dropdownValue",
    "textValue",
    "calculationBaseName",
    "description",
    "debitAccount",
    "creditAccount",
    "familyName",
    "givenName",
    "middleName",
    "preferredName",
    "title",
    "filingStatusType",
    "displayId",
    "checkType",
    "checkCorrelationId",
];

/// The members that require a specific format, each with a recognizable valid value.
const FORMATTED_MEMBERS: [(&str, &str); 17] = [
    ("extension", "44332211"),
    ("legalIdValue", "871236540"),
    ("dialArea", "9178881"),
    ("dialNumber", "8675309"),
    ("dialExtension", "99887766"),
    ("postalCode", "902107654"),
    ("postalCodeExtension", "8765432"),
    ("postOfficeBox", "55667788"),
    ("number", "ORG-445566"),
    ("employeeId", "EMP-7654321"),
    ("clockId", "99120345"),
    ("checkNumber", "20260991234"),
    ("uri", "jane.original@example.com"),
    ("birthDate", "1990-02-03"),
    ("ethnicityCode", "ETHNIC-ORIGINAL"),
    ("qualificationAffixCode", "AFFIX-ORIGINAL"),
    ("titleAffixCode", "TITLE-ORIGINAL"),
];

/// Returns the company, and all texts that anonymised copies of the company must not contain.
pub(super) fn marked_company() -> (Value, Vec<String>) {
    let complete = include_str!("../../../../../crates/domain/src/document/tests/complete_company.json");
    let mut company: Value = serde_json::from_str(complete).expect("JSON");
    company.as_object_mut().expect("an object").remove("parentCompanyId");
    let mut texts = Vec::new();
    mark_texts(&mut company, &mut texts);
    // An object repeats the name of each object to which it refers, so both names must be equal.
    let employment = company["customEmploymentTypes"][0]["customEmploymentTypeName"].clone();
    let unit = company["organizations"][1].clone();
    let worker = &mut company["workers"][0];
    worker["customEmploymentType"]["customEmploymentTypeName"] = employment;
    for member in ["name", "number"] {
        worker["organization"][member] = unit[member].clone();
    }
    let contact = &mut worker["contacts"][0];
    contact["contactType"].as_object_mut().expect("an object").remove("contactTypeName");
    let relationship = contact.pointer_mut("/relationship/relationshipType").expect("a type");
    relationship.as_object_mut().expect("an object").remove("relationshipTypeName");
    worker["supervisor"].as_object_mut().expect("an object").remove("name");
    texts.sort();
    texts.dedup();
    let here = company.to_string();
    texts.retain(|text| here.contains(text.as_str()));
    (company, texts)
}

fn mark_texts(value: &mut Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mark_texts(item, texts)),
        Value::Object(members) => {
            for (name, member) in members {
                let form = FORMATTED_MEMBERS
                    .iter()
                    .find(|(form, _)| form == name)
                    .map(|(_, text)| (*text).to_owned());
                let marked =
                    TEXT_MEMBERS.contains(&name.as_str()).then(|| format!("Origin-{:03}", texts.len()));
                match (member.is_string(), form.or(marked)) {
                    (true, Some(text)) => {
                        *member = Value::String(text.clone());
                        texts.push(text);
                    }
                    (true, None) | (false, _) => mark_texts(member, texts),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the forms in which an anonymised copy could still contain a text: other letter cases, hexadecimal
/// and base64.
pub(super) fn possible_spellings(text: &str) -> Vec<String> {
    let plain: String = text.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    // In base64, the bits of a text can be shifted by the bytes before it. The test creates each possible
    // shift, and searches only for those characters that do not depend on the neighbouring bytes.
    let moved = [0, 2, 3].into_iter().enumerate().map(|(audit, foreign)| {
        let encoded = STANDARD_NO_PAD.encode([&b"  "[..audit], text.as_bytes()].concat());
        encoded.chars().take((text.len() + audit) * 8 / 6).skip(foreign).collect()
    });
    let all = [text.to_owned(), text.to_lowercase(), text.to_uppercase(), plain, hex.to_uppercase(), hex];
    all.into_iter().chain(moved).filter(|spelled: &String| spelled.chars().count() >= 6).collect()
}
