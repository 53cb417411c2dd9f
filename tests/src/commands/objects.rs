//! Tests of company objects: each is created, listed, shown, changed and deleted with the same five verbs.

use serde_json::Value;

use crate::support::BARE;
use crate::support::command_line::{ServerCommandLine, run_with_and_without_server};

/// A kind of object in the command line, such as `worker`: the ids of the parents, and the id and values of a
/// new object. `changed` is the member that the test changes, and its new value.
struct NounCase {
    name: &'static str,
    above: &'static [&'static str],
    id: (&'static str, &'static str),
    document: &'static str,
    changed: (&'static str, &'static str),
}

const WORKER_CASE: NounCase = NounCase {
    name: "worker",
    above: &[BARE],
    id: ("workerId", "W"),
    document: r#"{"workerType": "EMPLOYEE", "exemptionType": "NON_EXEMPT",
        "name": {"givenName": "Ann", "familyName": "Example"}, "currentStatus":
        {"statusType": "ACTIVE", "statusReason": "HIRED", "effectiveDate": "2026-01-01"}}"#,
    changed: ("name.familyName", "Sample"),
};

/// The kinds of objects whose only parent is the company. The test creates the objects in this order.
const NOUN_CASES: &[NounCase] = &[
    NounCase {
        name: "organization",
        above: &[BARE],
        id: ("organizationId", "UNIT"),
        document: r#"{"name": "Unit", "number": "1", "level": 1}"#,
        changed: ("name", "Team"),
    },
    WORKER_CASE,
    NounCase {
        name: "employment-type",
        above: &[BARE],
        id: ("customEmploymentTypeId", "REMOTE"),
        document: r#"{"customEmploymentTypeName": "Remote"}"#,
        changed: ("customEmploymentTypeName", "Hybrid"),
    },
    NounCase {
        name: "contact-type",
        above: &[BARE],
        id: ("contactTypeId", "EMERGENCY"),
        document: r#"{"contactTypeName": "Emergency"}"#,
        changed: ("contactTypeName", "Family"),
    },
    NounCase {
        name: "component",
        above: &[BARE],
        id: ("componentId", "HOURLY"),
        document: r#"{"name": "Hourly", "classificationType": "REGULAR", "effectOnPay": "ADDITION"}"#,
        changed: ("name", "By the hour"),
    },
    NounCase {
        name: "calculation-base",
        above: &[BARE],
        id: ("calculationBaseId", "ALL"),
        document: r#"{"calculationBaseName": "All earnings"}"#,
        changed: ("calculationBaseName", "Earnings"),
    },
    NounCase {
        name: "job-title",
        above: &[BARE],
        id: ("jobTitleId", "BAKER"),
        document: r#"{"title": "Baker", "startDate": "2026-01-01"}"#,
        changed: ("title", "Master baker"),
    },
    NounCase {
        name: "labor-assignment",
        above: &[BARE],
        id: ("laborAssignmentId", "NIGHT"),
        document: r#"{"name": "Night shift", "rate": "21.50"}"#,
        changed: ("name", "Nights"),
    },
    NounCase {
        name: "location",
        above: &[BARE],
        id: ("locationId", "SHOP"),
        document: r#"{"name": "Shop", "address": {"streetLineOne": "1 Road", "city": "Sampleton"}}"#,
        changed: ("name", "Corner shop"),
    },
    NounCase {
        name: "worker-status",
        above: &[BARE],
        id: ("workerStatusId", "HIRED"),
        document: r#"{"statusType": "ACTIVE", "statusReason": "HIRED"}"#,
        changed: ("statusReason", "REHIRED"),
    },
    NounCase {
        name: "document-category",
        above: &[BARE],
        id: ("categoryId", "CERTIFICATES"),
        document: r#"{"categoryName": "Certificates"}"#,
        changed: ("categoryName", "Diplomas"),
    },
    NounCase {
        name: "user",
        above: &[BARE],
        id: ("userId", "CLERK"),
        document: r#"{"name": {"givenName": "Kim", "familyName": "Sample"}, "title": "Clerk", "active": true}"#,
        changed: ("title", "Head clerk"),
    },
    NounCase {
        name: "job",
        above: &[BARE],
        id: ("jobId", "CAKES"),
        document: r#"{"jobName": "Cakes", "jobNumber": {"segment1": "A1"}}"#,
        changed: ("jobName", "Wedding cakes"),
    },
    NounCase {
        name: "job-segment",
        above: &[BARE],
        id: ("jobSegmentId", "PLACE"),
        document: r#"{"segmentNumber": 1, "name": "Place", "segmentLength": 2}"#,
        changed: ("name", "Site"),
    },
    NounCase {
        name: "pay-frequency",
        above: &[BARE],
        id: ("payFrequencyId", "WEEKS"),
        document: r#"{"payFrequency": "WEEKLY",
            "payComponentFrequency": {"applied": "BY_PAY_PERIOD", "occurrence": "EVERY"}}"#,
        changed: ("payFrequency", "MONTHLY"),
    },
    NounCase {
        name: "period",
        above: &[BARE],
        id: ("payPeriodId", "WEEK"),
        document: r#"{"intervalCode": "WEEKLY", "status": "INITIAL", "startDate": "2026-01-05",
            "endDate": "2026-01-11", "checkDate": "2026-01-16"}"#,
        changed: ("description", "The first week"),
    },
    NounCase {
        name: "category",
        above: &[BARE],
        id: ("categoryId", "EQUIPMENT"),
        document: r#"{"categoryName": "Equipment"}"#,
        changed: ("categoryName", "Things"),
    },
    NounCase {
        name: "custom-field",
        above: &[BARE],
        id: ("customFieldId", "BADGE"),
        document: r#"{"customFieldName": "Badge", "type": "TEXT"}"#,
        changed: ("customFieldName", "Badge number"),
    },
    NounCase {
        name: "rate",
        above: &[BARE, "W"],
        id: ("rateId", "RATE"),
        document: r#"{"rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "21.50", "startDate": "2026-01-01"}"#,
        changed: ("description", "By day"),
    },
    NounCase {
        name: "recurring-component",
        above: &[BARE, "W"],
        id: ("workerComponentId", "WEEKLY"),
        document: r#"{"componentId": "HOURLY", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "12.50"}"#,
        changed: ("value", "13.5000"),
    },
    NounCase {
        name: "direct-deposit",
        above: &[BARE, "W"],
        id: ("directDepositId", "ACCOUNT"),
        document: r#"{"startDate": "2026-01-01", "paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING",
            "value": "12.50", "routingNumber": "122100024", "accountNumber": "1234567865", "priority": "1"}"#,
        changed: ("value", "13.5000"),
    },
    NounCase {
        name: "contact",
        above: &[BARE, "W"],
        id: ("contactId", "AUNT"),
        document: r#"{"contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {"entity": {"entityName": "Aunt",
            "communication": {"telecom": {"dialNumber": "5550198"}}}}}"#,
        changed: ("relationship.entity.entityName", "Aunts"),
    },
    NounCase {
        name: "custom-value",
        above: &[BARE, "W"],
        id: ("workerCustomFieldId", "SIZE"),
        document: r#"{"customFieldId": "BADGE", "textValue": "7"}"#,
        changed: ("textValue", "8"),
    },
];

impl NounCase {
    /// Returns the arguments of a command for this kind of object. The words in `arguments` follow the ids of
    /// the parents.
    fn command_arguments(&self, verb: &'static str, arguments: &[&'static str]) -> Vec<&'static str> {
        [&[self.name, verb], self.above, arguments].concat()
    }

    /// Creates an object with an explicit id.
    fn create_object(&self, line: &ServerCommandLine<'_>) {
        let id = format!("{}={}", self.id.0, self.id.1);
        let arguments = [&self.command_arguments("create", &["--file", "-", "--set"])[..], &[&id]].concat();
        let reported = line.run_with_input(&arguments, self.document);
        assert_eq!(reported.code, Some(0), "{arguments:?}: {reported:?}");
        assert!(reported.out.contains(&format!("{} was created.", self.id.1)), "{reported:?}");
    }

    fn show_object(&self, line: &ServerCommandLine<'_>) -> Value {
        line.run_json(&self.command_arguments("show", &[self.id.1]))["content"][0].clone()
    }

    fn change_object(&self, line: &ServerCommandLine<'_>) {
        let set = format!("{}={}", self.changed.0, self.changed.1);
        line.run_successfully(
            &[&self.command_arguments("change", &[self.id.1, "--set"])[..], &[&set]].concat(),
        );
        let member = format!("/{}", self.changed.0.replace('.', "/"));
        assert_eq!(self.show_object(line).pointer(&member), Some(&self.changed.1.into()), "{}", self.name);
    }
}

#[test]
fn every_object_is_created_listed_changed_and_deleted() {
    run_with_and_without_server(async |line| {
        for noun in NOUN_CASES {
            noun.create_object(line);
            let listed = line.run_successfully(&noun.command_arguments("list", &["--limit", "50"]));
            assert!(listed.lines().skip(1).any(|row| row.starts_with(noun.id.1)), "{listed}");
            assert_eq!(noun.show_object(line)[noun.id.0], noun.id.1);
            noun.change_object(line);
        }
        for noun in NOUN_CASES.iter().rev() {
            line.run_successfully(&noun.command_arguments("delete", &[noun.id.1, "--yes"]));
            assert_eq!(
                line.run(&noun.command_arguments("show", &[noun.id.1])).code,
                Some(1),
                "{}",
                noun.name
            );
        }
    });
}

#[test]
fn a_company_is_created_changed_and_deleted() {
    run_with_and_without_server(async |line| {
        let document = r#"{"displayId": "00990001", "legalName": "New Example LLC"}"#;
        let reported =
            line.run_with_input(&["company", "create", "--file", "-", "--set", "companyId=NEW"], document);
        assert!(reported.out.starts_with("Company NEW was created."), "{reported:?}");
        line.run_successfully(&["company", "change", "NEW", "--set", "legalName=Newer Example LLC"]);
        assert!(line.run_successfully(&["company", "show", "NEW"]).contains("Newer Example LLC"));
        line.run_successfully(&["company", "delete", "NEW", "--yes"]);
        assert_eq!(line.run(&["company", "show", "NEW"]).code, Some(1));
    });
}

#[test]
fn without_a_terminal_an_unconfirmed_deletion_is_rejected() {
    run_with_and_without_server(async |line| {
        WORKER_CASE.create_object(line);
        let reported = line.run(&WORKER_CASE.command_arguments("delete", &["W"]));
        assert!(reported.code == Some(2) && reported.errors.contains("--yes"), "{reported:?}");
        assert_eq!(WORKER_CASE.show_object(line)["workerId"], "W");
    });
}

#[test]
fn a_change_requires_the_named_version() {
    run_with_and_without_server(async |line| {
        WORKER_CASE.create_object(line);
        let change = |version: &'static str| {
            line.run(
                &WORKER_CASE.command_arguments("change", &["W", "--set", "clockId=7", "--if-match", version]),
            )
        };
        let stale = change("\"0-stale\"");
        assert!(stale.code == Some(1) && stale.errors.contains("API-412"), "{stale:?}");
        assert_eq!(change("*").code, Some(0));
    });
}

#[test]
fn faults_of_a_document_are_reported_with_their_pointers() {
    run_with_and_without_server(async |line| {
        let reported =
            line.run_with_input(&["worker", "create", BARE, "--file", "-"], r#"{"workerType": "ROBOT"}"#);
        assert!(reported.code == Some(1) && reported.errors.contains("(/workerType)"), "{reported:?}");
        let set = line.run(&["worker", "create", BARE, "--set", "name"]);
        assert!(set.code == Some(2) && set.errors.contains("MEMBER=VALUE"), "{set:?}");
    });
}
