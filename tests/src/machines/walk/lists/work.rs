//! Steps with lists of work and places.

use serde_json::json;

use super::round::{ListScenario, UNIT};
use crate::machines::walk::requests::{BAKERY, company_path};

pub(super) fn titles() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "jobtitles"),
        id: "jobTitleId",
        stays: json!({"jobTitleId": "BAKER", "title": "Baker", "startDate": "2020-01-01"}),
        change: json!({"endDate": "2051-12-31"}),
        replaced: ("title", json!("Master baker")),
        goes: json!({"jobTitleId": "STOKER", "title": "Stoker"}),
        reported: Vec::new(),
    }
}

pub(super) fn assignments() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "laborassignments"),
        id: "laborAssignmentId",
        stays: json!({"laborAssignmentId": "EARLY", "name": "Early", "organizationId": UNIT}),
        change: json!({"rate": "21.75"}),
        replaced: ("name", json!("Early shift")),
        goes: json!({"laborAssignmentId": "LATE", "name": "Late"}),
        reported: Vec::new(),
    }
}

pub(super) fn locations() -> ListScenario<'static> {
    let address = json!({"streetLineOne": "1 Road", "city": "Sampleton"});
    ListScenario {
        list: company_path(BAKERY, "locations"),
        id: "locationId",
        stays: json!({"locationId": "SHOP", "name": "Shop", "address": address}),
        change: json!({"address": {"streetLineTwo": "Yard"}}),
        replaced: ("name", json!("Corner shop")),
        goes: json!({"locationId": "MILL", "name": "Mill"}),
        reported: Vec::new(),
    }
}

pub(super) fn worker_statuses() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "workerstatuses"),
        id: "workerStatusId",
        stays: json!({"workerStatusId": "HIRED", "statusType": "ACTIVE", "statusReason": "HIRED"}),
        change: json!({"statusReason": "REHIRED"}),
        replaced: ("statusReason", json!("RETURN_TO_WORK")),
        goes: json!({"workerStatusId": "GONE", "statusType": "TERMINATED", "statusReason": "VOLUNTARY___OTHER"}),
        reported: Vec::new(),
    }
}

pub(super) fn document_categories() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "documentcategories"),
        id: "categoryId",
        stays: json!({"categoryId": "CERTIFICATES", "categoryName": "Certificates"}),
        change: json!({"categoryName": "Diplomas"}),
        replaced: ("categoryName", json!("Certificates and diplomas")),
        goes: json!({"categoryId": "CONTRACTS", "categoryName": "Contracts"}),
        reported: Vec::new(),
    }
}

pub(super) fn users() -> ListScenario<'static> {
    let name = json!({"givenName": "Kim", "familyName": "Sample"});
    ListScenario {
        list: company_path(BAKERY, "users"),
        id: "userId",
        stays: json!({"userId": "CLERK", "name": name, "title": "Clerk", "active": true}),
        change: json!({"active": false}),
        replaced: ("title", json!("Head clerk")),
        goes: json!({"userId": "INTERN", "name": name, "active": true}),
        reported: Vec::new(),
    }
}

pub(super) fn job_segments() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "jobsegments"),
        id: "jobSegmentId",
        stays: json!({"jobSegmentId": "PLACE", "segmentNumber": 1, "name": "Place", "segmentLength": 2}),
        change: json!({"segmentLength": 4}),
        replaced: ("name", json!("Site")),
        goes: json!({"jobSegmentId": "KIND", "segmentNumber": 2, "name": "Kind", "segmentLength": 1}),
        reported: Vec::new(),
    }
}

pub(super) fn jobs() -> ListScenario<'static> {
    ListScenario {
        list: company_path(BAKERY, "jobs"),
        id: "jobId",
        stays: json!({"jobId": "CAKES", "jobName": "Cakes", "jobNumber": {"segment1": "A1"}}),
        change: json!({"endDate": "2051-12-31"}),
        replaced: ("jobName", json!("Wedding cakes")),
        goes: json!({"jobId": "OVENS", "jobName": "Ovens"}),
        reported: Vec::new(),
    }
}

pub(super) fn pay_frequencies() -> ListScenario<'static> {
    let frequency = |id: &str| {
        json!({"payFrequencyId": id, "payFrequency": "WEEKLY",
            "payComponentFrequency": {"applied": "BY_PAY_PERIOD", "occurrence": "EVERY"}})
    };
    ListScenario {
        list: company_path(BAKERY, "payfrequencies"),
        id: "payFrequencyId",
        stays: frequency("WEEKS"),
        change: json!({"payComponentFrequency": {"occurrenceIntervals": {"interval1": "1", "interval2": "Last"}}}),
        replaced: ("payFrequency", json!("MONTHLY")),
        goes: frequency("WEEKS-2"),
        reported: Vec::new(),
    }
}
