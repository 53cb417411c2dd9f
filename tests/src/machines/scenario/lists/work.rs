//! Steps with lists of job titles, labor assignments, locations, worker statuses, document categories and
//! users.

use serde_json::json;

use super::round::{ListScenario, UNIT_ID};
use crate::machines::scenario::requests::{BAKERY_ID, company_path};

pub(super) fn job_title_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "jobtitles"),
        id: "jobTitleId",
        stays: json!({"jobTitleId": "BAKER", "title": "Baker", "startDate": "2020-01-01"}),
        change: json!({"endDate": "2051-12-31"}),
        replaced: ("title", json!("Master baker")),
        goes: json!({"jobTitleId": "STOKER", "title": "Stoker"}),
        reported: Vec::new(),
    }
}

pub(super) fn labor_assignment_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "laborassignments"),
        id: "laborAssignmentId",
        stays: json!({"laborAssignmentId": "EARLY", "name": "Early", "organizationId": UNIT_ID}),
        change: json!({"rate": "21.75"}),
        replaced: ("name", json!("Early shift")),
        goes: json!({"laborAssignmentId": "LATE", "name": "Late"}),
        reported: Vec::new(),
    }
}

pub(super) fn location_scenario() -> ListScenario<'static> {
    let address = json!({"streetLineOne": "1 Road", "city": "Sampleton"});
    ListScenario {
        list: company_path(BAKERY_ID, "locations"),
        id: "locationId",
        stays: json!({"locationId": "SHOP", "name": "Shop", "address": address}),
        change: json!({"address": {"streetLineTwo": "Yard"}}),
        replaced: ("name", json!("Corner shop")),
        goes: json!({"locationId": "MILL", "name": "Mill"}),
        reported: Vec::new(),
    }
}

pub(super) fn worker_status_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "workerstatuses"),
        id: "workerStatusId",
        stays: json!({"workerStatusId": "HIRED", "statusType": "ACTIVE", "statusReason": "HIRED"}),
        change: json!({"statusReason": "REHIRED"}),
        replaced: ("statusReason", json!("RETURN_TO_WORK")),
        goes: json!({"workerStatusId": "GONE", "statusType": "TERMINATED", "statusReason": "VOLUNTARY___OTHER"}),
        reported: Vec::new(),
    }
}

pub(super) fn document_category_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "documentcategories"),
        id: "categoryId",
        stays: json!({"categoryId": "CERTIFICATES", "categoryName": "Certificates"}),
        change: json!({"categoryName": "Diplomas"}),
        replaced: ("categoryName", json!("Certificates and diplomas")),
        goes: json!({"categoryId": "CONTRACTS", "categoryName": "Contracts"}),
        reported: Vec::new(),
    }
}

pub(super) fn user_scenario() -> ListScenario<'static> {
    let name = json!({"givenName": "Kim", "familyName": "Sample"});
    ListScenario {
        list: company_path(BAKERY_ID, "users"),
        id: "userId",
        stays: json!({"userId": "CLERK", "name": name, "title": "Clerk", "active": true}),
        change: json!({"active": false}),
        replaced: ("title", json!("Head clerk")),
        goes: json!({"userId": "INTERN", "name": name, "active": true}),
        reported: Vec::new(),
    }
}

pub(super) fn job_segment_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "jobsegments"),
        id: "jobSegmentId",
        stays: json!({"jobSegmentId": "PLACE", "segmentNumber": 1, "name": "Place", "segmentLength": 2}),
        change: json!({"segmentLength": 4}),
        replaced: ("name", json!("Site")),
        goes: json!({"jobSegmentId": "KIND", "segmentNumber": 2, "name": "Kind", "segmentLength": 1}),
        reported: Vec::new(),
    }
}

pub(super) fn job_scenario() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY_ID, "jobs"),
        id: "jobId",
        stays: json!({"jobId": "CAKES", "jobName": "Cakes", "jobNumber": {"segment1": "A1"}}),
        change: json!({"endDate": "2051-12-31"}),
        replaced: ("jobName", json!("Wedding cakes")),
        goes: json!({"jobId": "OVENS", "jobName": "Ovens"}),
        reported: Vec::new(),
    }
}

pub(super) fn pay_frequency_scenario() -> ListScenario<'static> {
    let frequency = |id: &str| {
        json!({"payFrequencyId": id, "payFrequency": "WEEKLY",
            "payComponentFrequency": {"applied": "BY_PAY_PERIOD", "occurrence": "EVERY"}})
    };
    ListScenario {
        list: company_path(BAKERY_ID, "payfrequencies"),
        id: "payFrequencyId",
        stays: frequency("WEEKS"),
        change: json!({"payComponentFrequency": {"occurrenceIntervals": {"interval1": "1", "interval2": "Last"}}}),
        replaced: ("payFrequency", json!("MONTHLY")),
        goes: frequency("WEEKS-2"),
        reported: Vec::new(),
    }
}
