//! Reads a new category of custom fields from the caller's document (specification §6.10).

#[cfg(feature = "server")]
use super::CustomFieldCategory;
use super::{CustomFieldFacts, MAX_NAME_LENGTH};
use crate::code::Reason;
#[cfg(feature = "server")]
use crate::document;
#[cfg(feature = "server")]
use crate::input::Value;
use crate::input::{Members, Node, values};
use crate::report::{Fault, Report};
#[cfg(feature = "server")]
use crate::resource::Resource;
use crate::violation::Violations;

/// The sort rank of the fault for a missing name. The name is the only required member.
const NAME_FAULT_RANK: u8 = 1;

/// A category without its id, as in a request to create a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryDefinition {
    /// The name, which must be unique among the categories of the company.
    pub category_name: String,
    /// Whether new fields without a category are assigned to this category.
    pub default: bool,
}

/// Reads a new category.
///
/// ```
/// use payroll_domain::custom_field::{CustomFieldFacts, read_category};
/// use payroll_domain::input::parse;
/// let sent = parse(br#"{"categoryName": "Uniform"}"#).unwrap();
/// let category = read_category(&sent, &CustomFieldFacts::default()).unwrap();
/// assert_eq!((category.category_name.as_str(), category.default), ("Uniform", false));
/// ```
///
/// # Errors
/// Returns only one fault for a document that is not an object or is an empty object. Otherwise, every fault
/// of the category is returned.
pub fn read_category(
    document: &Node<'_>,
    facts: &CustomFieldFacts,
) -> Result<CategoryDefinition, Violations> {
    read_definition(document, facts, false)
}

/// Reads a category. `is_default` is true for the default category, which must remain the default.
fn read_definition(
    document: &Node<'_>,
    facts: &CustomFieldFacts,
    is_default: bool,
) -> Result<CategoryDefinition, Violations> {
    let members = Members::from_body(document, "the body must be a JSON object with one category")?;
    let mut report = Report::new(Reason::FieldMissing);
    let name =
        members.read_required("categoryName", NAME_FAULT_RANK, &mut report, |node| read_name(node, facts));
    let default =
        members.read_optional("default", &mut report, |node| read_is_default(node, facts, is_default));
    report.into_result(|| {
        let category_name = (*name.value()?).to_owned();
        Some(CategoryDefinition { category_name, default: default.into_value().unwrap_or(false) })
    })
}

/// Applies a JSON merge patch to a category and validates the result.
///
/// ```
/// use payroll_domain::custom_field::{CustomFieldCategory, CustomFieldFacts, read_category_change};
/// use payroll_domain::input::parse;
/// let stored = CustomFieldCategory {
///     category_id: "C-1".parse().unwrap(),
///     category_name: "Uniform".to_owned(),
///     default: true,
/// };
/// let facts = CustomFieldFacts { categories: vec![stored.clone()], ..CustomFieldFacts::default() };
/// let patch = parse(br#"{"categoryName": "Clothing"}"#).unwrap();
/// let category = read_category_change(&stored, patch, facts).unwrap();
/// assert_eq!((category.category_name.as_str(), category.default), ("Clothing", true));
/// ```
///
/// # Errors
/// Returns only one fault for a patch that is not an object or is an empty object. Otherwise, every fault of
/// the patched category is returned.
#[cfg(feature = "server")]
pub fn read_category_change(
    stored: &CustomFieldCategory,
    mut patch: Node<'_>,
    mut facts: CustomFieldFacts,
) -> Result<CategoryDefinition, Violations> {
    Members::from_body(&patch, "the body must be a JSON object with the members to change")?;
    let before = document::to_resource_node(&Resource::CustomFieldCategory(stored.clone()));
    facts.categories.retain(|category| category.category_id != stored.category_id);
    if let Value::Object(members) = &mut patch.value {
        let removed =
            members.iter_mut().filter(|(name, node)| name == "default" && node.value.is_null_or_empty_text());
        removed.for_each(|(_, node)| node.value = Value::Bool(false));
    }
    read_definition(&document::merge_documents(before, patch), &facts, stored.default)
}

fn read_name<'n>(node: &'n Node<'n>, facts: &CustomFieldFacts) -> Result<&'n str, Fault> {
    let name = values::read_plain_text(node, MAX_NAME_LENGTH)?;
    if facts.categories.iter().any(|category| category.category_name == name) {
        return Err(Fault::invalid("is the name of another category of custom fields of this company"));
    }
    Ok(name)
}

/// Reads `default`. A company has at most one default category, and only an operator can replace it.
fn read_is_default(node: &Node<'_>, facts: &CustomFieldFacts, is_default: bool) -> Result<bool, Fault> {
    let default = values::read_flag(node)?;
    if is_default && !default {
        return Err(Fault::invalid("must be true: only an operator can replace the default category"));
    }
    if default && facts.default_category().is_some() {
        return Err(Fault::invalid("must be false: the company has a default category"));
    }
    Ok(default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom_field::CustomFieldCategory;
    use crate::input::parse;

    fn find_faults(sent: &str) -> Vec<String> {
        let general = CustomFieldCategory {
            category_id: "general".parse().unwrap(),
            category_name: "General".to_owned(),
            default: true,
        };
        let facts = CustomFieldFacts { categories: vec![general], ..CustomFieldFacts::default() };
        let read = parse(sent.as_bytes()).map_err(Violations::from);
        let faults = read.and_then(|node| read_category(&node, &facts)).err().into_iter().flatten();
        faults.map(|it| format!("{} {}", it.reason.code(), it.pointer.unwrap_or_default())).collect()
    }

    #[test]
    fn each_fault_has_its_code_and_pointer() {
        let long = format!(r#"{{"categoryName": "{}"}}"#, "x".repeat(101));
        for (sent, expected) in [
            ("{}", vec!["API-52 "]),
            ("[]", vec!["API-52 "]),
            ("7", vec!["API-40 "]),
            (r#"{"default": false}"#, vec!["API-46 /categoryName"]),
            (r#"{"categoryName": ""}"#, vec!["API-46 /categoryName"]),
            (r#"{"categoryName": "General"}"#, vec!["API-48 /categoryName"]),
            (long.as_str(), vec!["API-48 /categoryName"]),
            (r#"{"categoryName": 7, "default": true}"#, vec!["API-48 /categoryName", "API-48 /default"]),
            (r#"{"categoryName": "A", "categoryName": "B"}"#, vec!["API-47 /categoryName"]),
            (r#"{"categoryName": "A", "default": "no"}"#, vec!["API-48 /default"]),
            (r#"{"categoryName": "A", "default": false, "categoryId": 7, "colour": "red"}"#, vec![]),
        ] {
            assert_eq!(find_faults(sent), expected, "{sent}");
        }
    }
}
