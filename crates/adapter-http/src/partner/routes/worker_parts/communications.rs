//! The partners' rules for changing communications of a worker.

use payroll_domain::code::Reason;
use payroll_domain::company::{Communication, CommunicationType};
use payroll_domain::date::Date;
use payroll_domain::input::Node;
use payroll_domain::violation::{DocumentPosition, Violation};

use crate::partner::parts::PartnerListElement;
use crate::shared::media_type::VendorTypes;
use crate::shared::objects::side::{ElementChange, ElementOperation};

/// Members that PATCH cannot change. A client deletes the communication and creates another communication
/// instead.
const UNCHANGEABLE_MEMBERS: &[&str] = &["type", "usageType", "postOfficeBox"];

impl PartnerListElement for Communication {
    const DELETE_RETURNS_REMAINING: bool = true;
    const HAS_LINKS: bool = false;
    const REASONS: &'static [(&'static str, Reason)] = &[
        ("dialCountry", Reason::TelephoneInvalid),
        ("dialArea", Reason::TelephoneInvalid),
        ("dialNumber", Reason::TelephoneInvalid),
        ("dialExtension", Reason::TelephoneInvalid),
        ("streetLineOne", Reason::StreetInvalid),
        ("streetLineTwo", Reason::StreetInvalid),
    ];

    type Facts = ();

    fn media_types(types: &VendorTypes) -> [&str; 2] {
        [&types.communications_of_worker, &types.communication_of_worker]
    }

    fn find_change_faults(change: ElementChange<'_, '_>, _: Date) -> Vec<Violation> {
        match (change.operation, change.before) {
            (ElementOperation::Delete, Some(before)) => find_deletion_fault(before).into_iter().collect(),
            (ElementOperation::Patch, Some(before)) => UNCHANGEABLE_MEMBERS
                .iter()
                .filter_map(|member| find_member_change_fault(member, before, &change))
                .collect(),
            (ElementOperation::Create, _) => find_creation_faults(&change),
            (_, _) => Vec::new(),
        }
    }
}

/// Returns a fault if the communication is an address, because the addresses of a worker cannot be deleted.
fn find_deletion_fault(before: &Node<'_>) -> Option<Violation> {
    let is_address = matches!(
        communication_type(before),
        Some(CommunicationType::StreetAddress | CommunicationType::PoBoxAddress)
    );
    is_address.then(|| Violation::new(Reason::NotDeletable, "an address of a worker cannot be deleted"))
}

fn find_member_change_fault(
    member: &'static str,
    before: &Node<'_>,
    change: &ElementChange<'_, '_>,
) -> Option<Violation> {
    let (before, after) = (before.member(member).and_then(Node::as_text), change.text(member));
    // If a required member is removed, the parser reports the fault, so this function does not report it
    // too.
    let differs = before != after && (after.is_some() || member == "postOfficeBox");
    let sentence = || format!("{member} cannot be changed");
    differs.then(|| {
        Violation::new(Reason::FieldInvalid, sentence())
            .at_position(format!("/{member}"), DocumentPosition::default())
    })
}

/// Returns the faults of a new communication. The parser reports an unknown type.
fn find_creation_faults(change: &ElementChange<'_, '_>) -> Vec<Violation> {
    use CommunicationType as Type;
    let Some(kind) = change.after.and_then(communication_type) else { return Vec::new() };
    let mut faults = Vec::new();
    let mut fault = |reason, member: &str, sentence: String| {
        faults.push(
            Violation::new(reason, sentence).at_position(format!("/{member}"), DocumentPosition::default()),
        );
    };
    let usage = change.text("usageType");
    let usages: &[&str] = match kind {
        Type::Phone | Type::Email => &["BUSINESS", "PERSONAL"],
        Type::MobilePhone | Type::Fax | Type::Pager => &["BUSINESS"],
        Type::StreetAddress | Type::PoBoxAddress => &[],
    };
    if let Some(usage) = usage.filter(|usage| !usages.is_empty() && !usages.contains(usage)) {
        let sentence = format!("usageType of {kind} must be {}, not {usage}", usages.join(" or "));
        fault(Reason::FieldInvalid, "usageType", sentence);
    }
    let (reason, member) = match kind {
        Type::Phone | Type::MobilePhone | Type::Fax | Type::Pager => (Reason::TelephoneInvalid, "dialNumber"),
        Type::StreetAddress => (Reason::StreetInvalid, "streetLineOne"),
        Type::Email => (Reason::FieldMissing, "uri"),
        Type::PoBoxAddress => (Reason::FieldMissing, "postOfficeBox"),
    };
    if change
        .after
        .is_some_and(|after| after.member(member).is_none_or(|value| value.value.is_null_or_empty_text()))
    {
        fault(reason, member, format!("{member} is missing: a communication of type {kind} requires it"));
    }
    let same = |other: &&Node<'_>| {
        let text = |member| other.member(member).and_then(Node::as_text);
        text("type") == change.text("type") && text("usageType") == usage
    };
    if change.others.iter().any(same) {
        let sentence = format!("the worker already has a communication of type {kind} with this usageType");
        fault(Reason::AlreadyUsed, "type", sentence);
    }
    faults
}

fn communication_type(communication: &Node<'_>) -> Option<CommunicationType> {
    communication.member("type").and_then(Node::as_text).and_then(CommunicationType::parse)
}
