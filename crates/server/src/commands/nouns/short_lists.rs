//! The nouns for a company's short lists, such as job titles. The commands of these nouns differ only in
//! their texts. One row in this file therefore declares a noun, and the path parameter for the id of the
//! noun's objects.

use crate::commands::table::{CommandNoun, ObjectCommands, PAGING_PARAMETERS, PathParameter, TableColumn};

/// Declares the nouns of short lists. Each row starts with the name in four forms: as an identifier, as text,
/// at the start of a sentence, and as a column header. The plural, the path segment, the JSON members of the
/// id and the name, and an example of a name follow.
macro_rules! short_lists {
    ($(
        $name:literal: $one:literal $One:literal $ONE:literal, many $many:literal, at $segment:literal,
            members $id:literal $named:literal, such as $example:literal;
    )+) => {
        /// The nouns of all short lists.
        pub(super) const NOUNS: &[CommandNoun] = &[$(CommandNoun {
            name: $name,
            about: concat!("Manage the ", $many, " of a company"),
            extra_help: "",
            example: concat!($name, " create EXAMPLE-1 --set ", $named, "=", $example),
            rows: &[&ObjectCommands {
                about: [
                    concat!("List the ", $many, " of a company"),
                    concat!("Show a ", $one),
                    concat!("Create a ", $one),
                    concat!("Change fields of a ", $one),
                    concat!("Delete a ", $one),
                ],
                list: concat!("companies/{company}/", $segment),
                object_path: concat!("companies/{company}/", $segment, "/{", $name, "}"),
                filters: PAGING_PARAMETERS,
                columns: &[
                    TableColumn::value($ONE, concat!("/", $id)),
                    TableColumn::value("NAME", concat!("/", $named)),
                ],
                messages: [
                    concat!($One, " {/", $id, "} was created."),
                    concat!($One, " {", $name, "} was changed."),
                    concat!($One, " {", $name, "} was deleted."),
                ],
            }
            .rows()],
        }),+];

        /// The path parameters for the ids of these nouns.
        pub(super) const PATH_PARAMETERS: &[PathParameter] = &[$(PathParameter::id($name, concat!("The ", $one, "'s id"))),+];
    };
}

short_lists! {
    "employment-type": "custom employment type" "Employment type" "EMPLOYMENT TYPE",
        many "custom employment types", at "customemploymenttypes",
        members "customEmploymentTypeId" "customEmploymentTypeName", such as "Hybrid";
    "contact-type": "contact type" "Contact type" "CONTACT TYPE", many "contact types", at "contacttypes",
        members "contactTypeId" "contactTypeName", such as "'Emergency Contact'";
    "calculation-base": "calculation base" "Calculation base" "CALCULATION BASE",
        many "calculation bases", at "calculationbases",
        members "calculationBaseId" "calculationBaseName", such as "'All earnings'";
    "job-title": "job title" "Job title" "JOB TITLE", many "job titles", at "jobtitles",
        members "jobTitleId" "title", such as "Baker";
    "labor-assignment": "labor assignment" "Labor assignment" "LABOR ASSIGNMENT",
        many "labor assignments", at "laborassignments",
        members "laborAssignmentId" "name", such as "'Night shift'";
    "location": "location" "Location" "LOCATION", many "locations", at "locations",
        members "locationId" "name", such as "Shop";
    "job": "job" "Job" "JOB", many "jobs", at "jobs", members "jobId" "jobName", such as "'Bridge repair'";
    "job-segment": "job segment" "Job segment" "JOB SEGMENT", many "job segments", at "jobsegments",
        members "jobSegmentId" "name", such as "'Location code' --set segmentNumber=1 --set segmentLength=3";
    "worker-status": "worker status" "Worker status" "WORKER STATUS", many "worker statuses", at "workerstatuses",
        members "workerStatusId" "statusReason", such as "HIRED --set statusType=ACTIVE";
    "document-category": "document category" "Document category" "DOCUMENT CATEGORY",
        many "document categories", at "documentcategories",
        members "categoryId" "categoryName", such as "Certificates";
    "user": "user" "User" "USER", many "users", at "users", members "userId" "title", such as
            "Clerk --set active=true --set name.givenName=Ada --set name.familyName=Example";
    "pay-frequency": "pay frequency" "Pay frequency" "PAY FREQUENCY", many "pay frequencies", at "payfrequencies",
        members "payFrequencyId" "payFrequency", such as
            "WEEKLY --set payComponentFrequency.applied=BY_PAY_PERIOD --set payComponentFrequency.occurrence=EVERY";
}
