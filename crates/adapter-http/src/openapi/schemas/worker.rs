//! Workers in each of their representations, and their pay rates (specification §11.13, §11.14).

use payroll_domain::worker::{EmploymentType, ExemptionType, PayRate, Sex, StatusType, WorkerType};
use serde_json::Value;

use super::super::schema::{
    Member, date, described_with, id, list, object, optional, reference, required, text, word,
};
use super::named::Named;

pub(super) fn schemas() -> Named {
    let everything = key().into_iter().chain(employment()).chain(person()).chain(place()).chain(last());
    let impersonal = || {
        let members = key().into_iter().chain(employment()).chain(place()).chain(last());
        members.chain([impersonal_supervisor()])
    };
    let roster = key().into_iter().chain([name_member()]).chain(place()).chain(last());
    vec![
        ("Worker", object("A worker.", everything.chain([supervisor(), communications()]))),
        ("ImpersonalWorker", object("A worker, without anything personal.", impersonal())),
        (
            "ReachableWorker",
            object(
                "A worker, without anything personal but communications.",
                impersonal().chain([communications()]),
            ),
        ),
        ("RosterWorker", object("A worker, as a roster lists them.", roster)),
        ("WorkerName", name()),
        ("WorkerStatus", status()),
        ("JobTitle", job()),
        ("WorkersUnit", unit()),
        ("PayRate", pay_rate()),
    ]
}

fn key() -> [Member; 5] {
    [
        required("workerId", id("The id in paths.")),
        optional("employeeId", text("A short number.")),
        optional("clockId", text("The id for time clocks.")),
        required("workerType", word("How they stand to the company.", WorkerType::ALL)),
        optional("employmentType", word("How much they work.", EmploymentType::ALL)),
    ]
}

fn employment() -> [Member; 6] {
    let custom = object(
        "The company's own kind of employment.",
        [
            required("customEmploymentTypeId", id("Its id.")),
            optional("customEmploymentTypeName", text("Its name.")),
        ],
    );
    [
        optional("customEmploymentType", custom),
        optional("exemptionType", word("Exempt from overtime or not.", ExemptionType::ALL)),
        optional("workState", text("The state that they work in.")),
        optional("hireDate", date("The day they were hired.")),
        optional("jobId", id("The job that their work is booked on.")),
        optional("laborAssignmentId", id("The labor assignment that their work is booked on.")),
    ]
}

fn person() -> [Member; 5] {
    [
        name_member(),
        optional("birthDate", date("The birth date.")),
        optional("sex", word("The sex.", Sex::ALL)),
        optional("ethnicityCode", text("A code for their ethnicity.")),
        optional("legalId", reference("LegalId")),
    ]
}

fn name_member() -> Member {
    required("name", reference("WorkerName"))
}

fn place() -> [Member; 3] {
    [
        optional("locationId", id("Where they work.")),
        optional("job", reference("JobTitle")),
        optional("organization", reference("WorkersUnit")),
    ]
}

fn last() -> [Member; 2] {
    [
        optional("currentStatus", reference("WorkerStatus")),
        required(
            "links",
            list("`self`, and to what the caller may read: `communications`, `payRates`.", reference("Link")),
        ),
    ]
}

fn supervisor() -> Member {
    let name = object(
        "Their name.",
        [required("familyName", text("The family name.")), required("givenName", text("The given name."))],
    );
    let members = [required("workerId", id("The worker above them.")), optional("name", name)];
    optional("supervisor", object("The worker above them.", members))
}

fn impersonal_supervisor() -> Member {
    let members = [required("workerId", id("The worker above them."))];
    optional("supervisor", object("The worker above them.", members))
}

fn communications() -> Member {
    optional("communications", list("What they can be reached by.", reference("Communication")))
}

fn name() -> Value {
    object(
        "A worker's name.",
        [
            required("familyName", text("The family name.")),
            required("givenName", text("The given name.")),
            optional("middleName", text("The middle name.")),
            optional("preferredName", text("What they want to be called.")),
            optional("qualificationAffixCode", text("Such as Jr.")),
            optional("titleAffixCode", text("Such as Dr.")),
        ],
    )
}

fn status() -> Value {
    object(
        "Where a worker is in their time with the company.",
        [
            required("workerStatusId", id("Its id.")),
            required("statusType", word("The state.", StatusType::ALL)),
            optional("statusReason", text("Such as HIRED or RESIGNED.")),
            required("effectiveDate", date("Since when.")),
        ],
    )
}

fn job() -> Value {
    object("A job title.", [required("jobTitleId", id("Its id.")), required("title", text("Its text."))])
}

fn unit() -> Value {
    object(
        "The unit of the company that a worker belongs to.",
        [
            required("organizationId", id("Its id.")),
            required("name", text("Its name.")),
            optional("number", text("Its number.")),
        ],
    )
}

fn pay_rate() -> Value {
    described_with::<PayRate>([required("links", list("`self`.", reference("Link")))])
}
