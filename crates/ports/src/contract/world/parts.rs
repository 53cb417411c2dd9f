//! The data of the test worker that has every possible member.

use payroll_domain::company::UsageType;
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::worker::{
    AssignmentDistribution, ContactEmail, ContactEntity, ContactPerson, ContactPostal, ContactRelationship,
    ContactTelecom, EntityCommunication, I9Status, I9Step, Name, PersonCommunication, StateTaxDeduction,
    StatusEntry, StatusType, TelecomType, TimeOff, TimeOffMeasure, WorkerContact, WorkerCustomField,
};

use super::values::{day, id};

pub(super) fn custom_value(worker_id: &str) -> WorkerCustomField {
    WorkerCustomField {
        worker_custom_field_id: id(&format!("{worker_id}-shirt")),
        custom_field_id: id("field-shirt"),
        dropdown_id: None,
        text_value: None,
        numeric_value: None,
        date_value: None,
        boolean_value: Some(false),
        start_date: Some(day("2020-01-01")),
        end_date: None,
    }
}

/// Returns two contacts of a worker: the spouse, who is the primary contact, and a company.
pub(super) fn contacts(worker_id: &str) -> Vec<WorkerContact> {
    let contact = |name: &str, primary: bool| WorkerContact {
        contact_id: id(&format!("{worker_id}-{name}")),
        contact_type_id: id("contact"),
        relationship: ContactRelationship {
            relationship_id: Some(id("relationship")),
            related_id: Some(id("related")),
            // The contract tests replace contact types with all their relationship types. A contact that
            // refers to a relationship type would prevent the replacement.
            relationship_type_id: None,
            primary,
            person: None,
            entity: None,
        },
    };
    let mut spouse = contact("spouse", true);
    spouse.relationship.person = Some(ContactPerson {
        name: Name {
            family_name: "Sample".to_owned(),
            given_name: "Cy".to_owned(),
            middle_name: None,
            preferred_name: None,
            qualification_affix_code: None,
            title_affix_code: None,
        },
        communication: Some(PersonCommunication {
            telecom: vec![telephone_contact("T2", "5550101"), telephone_contact("T1", "5550102")],
            postal: vec![postal_contact()],
            email: vec![email_contact()],
        }),
    });
    let mut care = contact("care", false);
    care.relationship.entity = Some(ContactEntity {
        entity_id: Some(id("care")),
        entity_name: "Care Inc.".to_owned(),
        communication: Some(EntityCommunication {
            telecom: Some(telephone_contact("T1", "5550103")),
            postal: Some(postal_contact()),
            email: Some(email_contact()),
        }),
    });
    vec![spouse, care]
}

fn telephone_contact(communication_id: &str, number: &str) -> ContactTelecom {
    ContactTelecom {
        communication_id: Some(id(communication_id)),
        dial_country: Some("1".to_owned()),
        dial_area: Some("555".to_owned()),
        dial_number: number.to_owned(),
        telecom_type: Some(TelecomType::Phone),
        usage_type: Some(UsageType::Personal),
        extension: Some("7".to_owned()),
    }
}

fn postal_contact() -> ContactPostal {
    ContactPostal {
        communication_id: Some(id("P1")),
        street_line_one: Some("1 Main St".to_owned()),
        street_line_two: None,
        post_office_box: Some("12".to_owned()),
        city: Some("ALBANY".to_owned()),
        postal_code: Some("12207".to_owned()),
        country_subdivision_code: Some("NY".to_owned()),
        country_code: Some("US".to_owned()),
    }
}

fn email_contact() -> ContactEmail {
    ContactEmail {
        communication_id: Some(id("E1")),
        uri: "cy@example.org".to_owned(),
        usage_type: Some(UsageType::Home),
    }
}

/// Returns a vacation balance of minus one day.
pub(super) fn time_off() -> TimeOff {
    TimeOff {
        policy_id: id("vacation"),
        time_off_type: "Vacation".to_owned(),
        name: "Vacation of bakers".to_owned(),
        balance: Quantity::parse("-7.5").unwrap(),
        measure: TimeOffMeasure::Hours,
    }
}

/// Returns a state tax deduction that contains a number of allowances.
pub(super) fn state_tax_deduction(deduction_id: &str, count: u32) -> StateTaxDeduction {
    StateTaxDeduction {
        deduction_id: id(deduction_id),
        name: "Total Number of Allowances".to_owned(),
        amount: Amount::parse("12.5").ok().filter(|_| count > 0),
        quantity: Quantity::parse(&count.to_string()).ok(),
    }
}

/// Returns two distributions of a worker's work.
pub(super) fn distributions() -> Vec<AssignmentDistribution> {
    let part = |job: Option<&str>, assignment: Option<&str>, value: &str| AssignmentDistribution {
        job_id: job.map(id),
        labor_assignment_id: assignment.map(id),
        value: Rate::parse(value).unwrap(),
    };
    vec![part(Some("cakes"), None, "33.3333"), part(None, Some("night"), "66.6667")]
}

/// Returns a status before the current status, and another status on the same day as the current one.
pub(super) fn statuses(worker_id: &str) -> Vec<StatusEntry> {
    let entry =
        |status: Option<&str>, status_type: StatusType, reason: &str, on: &str, order: u32| StatusEntry {
            worker_status_id: status.map(|status| id(&format!("{worker_id}-{status}"))),
            status_type,
            status_reason: Some(reason.to_owned()),
            effective_date: day(on),
            order,
        };
    vec![
        entry(None, StatusType::InProgress, "PENDING_HIRE", "2019-12-01", 0),
        entry(Some("before"), StatusType::Pending, "HIRED", "2020-01-01", 0),
        entry(Some("status"), StatusType::Active, "HIRED", "2020-01-01", 3),
    ]
}

/// Returns the status of a completed Form I-9.
pub(super) fn i9_status() -> I9Status {
    I9Status {
        step: I9Step::Complete,
        completed_date: Some(day("2026-01-05")),
        expiration_date: Some(day("2030-01-05")),
    }
}
