//! The lookup lists and other lists of the test companies, with one object of each kind.

use payroll_domain::lookup::{
    Address, CalculationBase, CompanyJob, CompanyJobTitle, CompanyStatus, CompanyUser, ComponentFrequency,
    CustomEmploymentType, DocumentCategory, JobNumber, JobSegment, LaborAssignment, Location, LookupLists,
    PayFrequency,
};
use payroll_domain::money::Rate;
use payroll_domain::pay_period::IntervalCode;
use payroll_domain::worker::{FrequencyApplied, FrequencyIntervals, Name, StatusType};

use super::values::{day, id};

/// Returns one lookup object of each kind.
pub(super) fn lookups() -> LookupLists {
    LookupLists {
        calculation_bases: vec![CalculationBase {
            calculation_base_id: id("base"),
            calculation_base_name: "All earnings".to_owned(),
        }],
        custom_employment_types: vec![CustomEmploymentType {
            custom_employment_type_id: id("remote"),
            custom_employment_type_name: "Remote".to_owned(),
        }],
        job_titles: vec![CompanyJobTitle {
            job_title_id: id("baker"),
            title: "Baker".to_owned(),
            start_date: Some(day("2025-01-01")),
            end_date: Some(day("2026-12-31")),
        }],
        labor_assignments: vec![LaborAssignment {
            labor_assignment_id: id("night"),
            name: "Night shift".to_owned(),
            start_date: None,
            end_date: None,
            organization_id: Some(id("unit")),
            position_id: None,
            location_id: Some(id("shop")),
            rate: Rate::from_ten_thousandths(215_000),
        }],
        locations: vec![location()],
        jobs: vec![CompanyJob {
            job_id: id("cakes"),
            job_correlation_id: Some("their-1".to_owned()),
            job_name: "Cakes".to_owned(),
            job_number: Some(JobNumber { first: "A1".to_owned(), second: Some("B".to_owned()), third: None }),
            start_date: Some(day("2026-01-01")),
            end_date: None,
        }],
        worker_statuses: vec![CompanyStatus {
            worker_status_id: id("hired"),
            status_type: StatusType::Active,
            status_reason: "HIRED".to_owned(),
        }],
        job_segments: vec![JobSegment {
            job_segment_id: id("first"),
            segment_number: 1,
            name: "Place".to_owned(),
            segment_length: 2,
        }],
        document_categories: vec![DocumentCategory {
            document_category_id: id("certificates"),
            category_name: "Certificates".to_owned(),
        }],
        users: vec![CompanyUser {
            user_id: id("clerk"),
            name: Name {
                family_name: "Sample".to_owned(),
                given_name: "Kim".to_owned(),
                middle_name: None,
                preferred_name: None,
                qualification_affix_code: None,
                title_affix_code: None,
            },
            email: Some("kim@example.org".to_owned()),
            title: Some("Clerk".to_owned()),
            active: true,
        }],
        pay_frequencies: vec![pay_frequency()],
    }
}

fn location() -> Location {
    Location {
        location_id: id("shop"),
        name: "Shop".to_owned(),
        address: Some(Address {
            communication_id: None,
            street_line_one: Some("1 Example Street".to_owned()),
            street_line_two: None,
            post_office_box: None,
            city: Some("Springfield".to_owned()),
            postal_code: None,
            postal_code_extension: None,
            country_subdivision_code: None,
            country_code: Some("US".to_owned()),
        }),
        moved_in: Some(day("2026-01-01")),
        moved_out: None,
    }
}

fn pay_frequency() -> PayFrequency {
    PayFrequency {
        pay_frequency_id: id("weekly"),
        pay_frequency: IntervalCode::Weekly,
        component_frequency: ComponentFrequency {
            applied: FrequencyApplied::ByPayPeriod,
            occurrence: "SEMI_MONTHLY".to_owned(),
            intervals: Some(FrequencyIntervals { first: "1".to_owned(), second: Some("Last".to_owned()) }),
        },
    }
}
