//! Tests of company objects: each is created, listed, shown, changed and deleted with the same five verbs.

use serde_json::Value;

use crate::support::BARE;
use crate::support::command_line::{CommandLine, both_ways};

/// A noun of the command line: the ids of its parents, the id of a new object, its values, and a member to
/// change.
struct Noun {
    name: &'static str,
    above: &'static [&'static str],
    id: (&'static str, &'static str),
    document: &'static str,
    changed: (&'static str, &'static str),
}

const WORKER: Noun = Noun {
    name: "worker",
    above: &[BARE],
    id: ("workerId", "W"),
    document: r#"{"workerType": "EMPLOYEE", "exemptionType": "NON_EXEMPT",
        "name": {"givenName": "Ann", "familyName": "Example"}, "currentStatus":
        {"statusType": "ACTIVE", "statusReason": "HIRED", "effectiveDate": "2026-01-01"}}"#,
    changed: ("name.familyName", "Sample"),
};

/// The nouns that need only a company, in the order of their creation.
const NOUNS: &[Noun] = &[
    Noun {
        name: "organization",
        above: &[BARE],
        id: ("organizationId", "UNIT"),
        document: r#"{"name": "Unit", "number": "1", "level": 1}"#,
        changed: ("name", "Team"),
    },
    WORKER,
    Noun {
        name: "employment-type",
        above: &[BARE],
        id: ("customEmploymentTypeId", "REMOTE"),
        document: r#"{"customEmploymentTypeName": "Remote"}"#,
        changed: ("customEmploymentTypeName", "Hybrid"),
    },
    Noun {
        name: "contact-type",
        above: &[BARE],
        id: ("contactTypeId", "EMERGENCY"),
        document: r#"{"contactTypeName": "Emergency"}"#,
        changed: ("contactTypeName", "Family"),
    },
    Noun {
        name: "component",
        above: &[BARE],
        id: ("componentId", "HOURLY"),
        document: r#"{"name": "Hourly", "classificationType": "REGULAR", "effectOnPay": "ADDITION"}"#,
        changed: ("name", "By the hour"),
    },
    Noun {
        name: "calculation-base",
        above: &[BARE],
        id: ("calculationBaseId", "ALL"),
        document: r#"{"calculationBaseName": "All earnings"}"#,
        changed: ("calculationBaseName", "Earnings"),
    },
    Noun {
        name: "job-title",
        above: &[BARE],
        id: ("jobTitleId", "BAKER"),
        document: r#"{"title": "Baker", "startDate": "2026-01-01"}"#,
        changed: ("title", "Master baker"),
    },
    Noun {
        name: "labor-assignment",
        above: &[BARE],
        id: ("laborAssignmentId", "NIGHT"),
        document: r#"{"name": "Night shift", "rate": "21.50"}"#,
        changed: ("name", "Nights"),
    },
    Noun {
        name: "location",
        above: &[BARE],
        id: ("locationId", "SHOP"),
        document: r#"{"name": "Shop", "address": {"streetLineOne": "1 Road", "city": "Sampleton"}}"#,
        changed: ("name", "Corner shop"),
    },
    Noun {
        name: "worker-status",
        above: &[BARE],
        id: ("workerStatusId", "HIRED"),
        document: r#"{"statusType": "ACTIVE", "statusReason": "HIRED"}"#,
        changed: ("statusReason", "REHIRED"),
    },
    Noun {
        name: "document-category",
        above: &[BARE],
        id: ("categoryId", "CERTIFICATES"),
        document: r#"{"categoryName": "Certificates"}"#,
        changed: ("categoryName", "Diplomas"),
    },
    Noun {
        name: "user",
        above: &[BARE],
        id: ("userId", "CLERK"),
        document: r#"{"name": {"givenName": "Kim", "familyName": "Sample"}, "title": "Clerk", "active": true}"#,
        changed: ("title", "Head clerk"),
    },
    Noun {
        name: "job",
        above: &[BARE],
        id: ("jobId", "CAKES"),
        document: r#"{"jobName": "Cakes", "jobNumber": {"segment1": "A1"}}"#,
        changed: ("jobName", "Wedding cakes"),
    },
    Noun {
        name: "job-segment",
        above: &[BARE],
        id: ("jobSegmentId", "PLACE"),
        document: r#"{"segmentNumber": 1, "name": "Place", "segmentLength": 2}"#,
        changed: ("name", "Site"),
    },
    Noun {
        name: "pay-frequency",
        above: &[BARE],
        id: ("payFrequencyId", "WEEKS"),
        document: r#"{"payFrequency": "WEEKLY",
            "payComponentFrequency": {"applied": "BY_PAY_PERIOD", "occurrence": "EVERY"}}"#,
        changed: ("payFrequency", "MONTHLY"),
    },
    Noun {
        name: "period",
        above: &[BARE],
        id: ("payPeriodId", "WEEK"),
        document: r#"{"intervalCode": "WEEKLY", "status": "INITIAL", "startDate": "2026-01-05",
            "endDate": "2026-01-11", "checkDate": "2026-01-16"}"#,
        changed: ("description", "The first week"),
    },
    Noun {
        name: "category",
        above: &[BARE],
        id: ("categoryId", "EQUIPMENT"),
        document: r#"{"categoryName": "Equipment"}"#,
        changed: ("categoryName", "Things"),
    },
    Noun {
        name: "custom-field",
        above: &[BARE],
        id: ("customFieldId", "BADGE"),
        document: r#"{"customFieldName": "Badge", "type": "TEXT"}"#,
        changed: ("customFieldName", "Badge number"),
    },
    Noun {
        name: "rate",
        above: &[BARE, "W"],
        id: ("rateId", "RATE"),
        document: r#"{"rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "21.50", "startDate": "2026-01-01"}"#,
        changed: ("description", "By day"),
    },
    Noun {
        name: "recurring-component",
        above: &[BARE, "W"],
        id: ("workerComponentId", "WEEKLY"),
        document: r#"{"componentId": "HOURLY", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "12.50"}"#,
        changed: ("value", "13.5000"),
    },
    Noun {
        name: "direct-deposit",
        above: &[BARE, "W"],
        id: ("directDepositId", "ACCOUNT"),
        document: r#"{"startDate": "2026-01-01", "paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING",
            "value": "12.50", "routingNumber": "122100024", "accountNumber": "1234567865", "priority": "1"}"#,
        changed: ("value", "13.5000"),
    },
    Noun {
        name: "contact",
        above: &[BARE, "W"],
        id: ("contactId", "AUNT"),
        document: r#"{"contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {"entity": {"entityName": "Aunt",
            "communication": {"telecom": {"dialNumber": "5550198"}}}}}"#,
        changed: ("relationship.entity.entityName", "Aunts"),
    },
    Noun {
        name: "custom-value",
        above: &[BARE, "W"],
        id: ("workerCustomFieldId", "SIZE"),
        document: r#"{"customFieldId": "BADGE", "textValue": "7"}"#,
        changed: ("textValue", "8"),
    },
];

impl Noun {
    /// Returns a command line for this noun. The words in `behind` follow the ids of the parents.
    fn line(&self, verb: &'static str, behind: &[&'static str]) -> Vec<&'static str> {
        [&[self.name, verb], self.above, behind].concat()
    }

    /// Creates an object with an explicit id.
    fn create(&self, line: &CommandLine<'_>) {
        let id = format!("{}={}", self.id.0, self.id.1);
        let arguments = [&self.line("create", &["--file", "-", "--set"])[..], &[&id]].concat();
        let reported = line.run_on(&arguments, self.document);
        assert_eq!(reported.code, Some(0), "{arguments:?}: {reported:?}");
        assert!(reported.out.contains(&format!("{} is created.", self.id.1)), "{reported:?}");
    }

    fn show(&self, line: &CommandLine<'_>) -> Value {
        line.json(&self.line("show", &[self.id.1]))["content"][0].clone()
    }

    fn change(&self, line: &CommandLine<'_>) {
        let set = format!("{}={}", self.changed.0, self.changed.1);
        line.run_successfully(&[&self.line("change", &[self.id.1, "--set"])[..], &[&set]].concat());
        let member = format!("/{}", self.changed.0.replace('.', "/"));
        assert_eq!(self.show(line).pointer(&member), Some(&self.changed.1.into()), "{}", self.name);
    }
}

#[test]
fn every_object_is_created_listed_changed_and_deleted() {
    both_ways(async |line| {
        for noun in NOUNS {
            noun.create(line);
            let listed = line.run_successfully(&noun.line("list", &["--limit", "50"]));
            assert!(listed.lines().skip(1).any(|row| row.starts_with(noun.id.1)), "{listed}");
            assert_eq!(noun.show(line)[noun.id.0], noun.id.1);
            noun.change(line);
        }
        for noun in NOUNS.iter().rev() {
            line.run_successfully(&noun.line("delete", &[noun.id.1, "--yes"]));
            assert_eq!(line.run(&noun.line("show", &[noun.id.1])).code, Some(1), "{}", noun.name);
        }
    });
}

#[test]
fn a_company_is_created_changed_and_deleted() {
    both_ways(async |line| {
        let document = r#"{"displayId": "00990001", "legalName": "New Example LLC"}"#;
        let reported = line.run_on(&["company", "create", "--file", "-", "--set", "companyId=NEW"], document);
        assert!(reported.out.starts_with("Company NEW is created."), "{reported:?}");
        line.run_successfully(&["company", "change", "NEW", "--set", "legalName=Newer Example LLC"]);
        assert!(line.run_successfully(&["company", "show", "NEW"]).contains("Newer Example LLC"));
        line.run_successfully(&["company", "delete", "NEW", "--yes"]);
        assert_eq!(line.run(&["company", "show", "NEW"]).code, Some(1));
    });
}

#[test]
fn nothing_is_deleted_without_a_terminal_for_the_question() {
    both_ways(async |line| {
        WORKER.create(line);
        let reported = line.run(&WORKER.line("delete", &["W"]));
        assert!(reported.code == Some(1) && reported.errors.contains("--yes"), "{reported:?}");
        assert_eq!(WORKER.show(line)["workerId"], "W");
    });
}

#[test]
fn a_change_requires_the_named_version() {
    both_ways(async |line| {
        WORKER.create(line);
        let change = |version: &'static str| {
            line.run(&WORKER.line("change", &["W", "--set", "clockId=7", "--if-match", version]))
        };
        let stale = change("\"0-stale\"");
        assert!(stale.code == Some(1) && stale.errors.contains("API-412"), "{stale:?}");
        assert_eq!(change("*").code, Some(0));
    });
}

#[test]
fn faults_of_a_document_are_reported_with_their_pointers() {
    both_ways(async |line| {
        let reported = line.run_on(&["worker", "create", BARE, "--file", "-"], r#"{"workerType": "ROBOT"}"#);
        assert!(reported.code == Some(1) && reported.errors.contains("(/workerType)"), "{reported:?}");
        let set = line.run(&["worker", "create", BARE, "--set", "name"]);
        assert!(set.code == Some(2) && set.errors.contains("MEMBER=VALUE"), "{set:?}");
    });
}
