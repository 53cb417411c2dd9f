//! `worker …`: workers, and the commands for their data.

use crate::commands::table::{CHANGED_SINCE, Column, LIMIT, Noun, OFFSET, Objects, PAGING, Parameter, Row};
use crate::operator::Method;

pub(in crate::commands) const WORKER: Noun = Noun {
    name: "worker",
    about: "Manage the workers of a company",
    extra_help: "",
    example: "worker change EXAMPLE-1 EXAMPLE-1-W1 --set name.familyName=Sample",
    rows: &[&Objects {
        about: [
            "List the workers of a company",
            "Show a worker",
            "Create a worker",
            "Change fields of a worker",
            "Delete a worker",
        ],
        list: "companies/{company}/workers",
        object_path: "companies/{company}/workers/{worker}",
        filters: &[
            Parameter::query("name", "PART", "name", "Only workers with this text in their name"),
            Parameter::query("given-name", "NAME", "givenname", "Only workers with this complete given name"),
            Parameter::query(
                "family-name",
                "NAME",
                "familyname",
                "Only workers with this complete family name",
            ),
            Parameter::query("employee-id", "ID", "employeeid", "Only the worker with this employee id"),
            Parameter::query(
                "legal-last-four",
                "DIGITS",
                "legallastfour",
                "Only workers whose SSN ends with these digits",
            ),
            Parameter::query("location-id", "ID", "locationid", "Only workers at this location"),
            Parameter::queries(
                "status",
                "STATUS",
                "status",
                "Only workers with this status. Can be repeated",
            ),
            Parameter::query("from", "DATE", "from", "Only workers whose status began on this day or later"),
            Parameter::query("to", "DATE", "to", "Only workers whose status began on this day or earlier"),
            CHANGED_SINCE,
            OFFSET,
            LIMIT,
        ],
        columns: &[
            Column::value("WORKER", "/workerId"),
            Column::value("EMPLOYEE", "/employeeId"),
            Column::value("FAMILY NAME", "/name/familyName"),
            Column::value("GIVEN NAME", "/name/givenName"),
            Column::value("TYPE", "/workerType"),
            Column::value("STATUS", "/currentStatus/statusType"),
            Column::day("SINCE", "/currentStatus/effectiveDate"),
        ],
        messages: [
            "Worker {/workerId} is created.",
            "Worker {worker} is changed.",
            "Worker {worker} is deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const RATE: Noun = Noun {
    name: "rate",
    about: "Manage the pay rates of a worker",
    extra_help: "",
    example: "rate create EXAMPLE-1 EXAMPLE-1-W1 --set rateNumber=RATE_2 --set rateType=HOURLY_RATE --set amount=25.00",
    rows: &[&Objects {
        about: [
            "List the pay rates of a worker",
            "Show a pay rate",
            "Create a pay rate",
            "Change fields of a pay rate",
            "Delete a pay rate",
        ],
        list: "companies/{company}/workers/{worker}/payrates",
        object_path: "companies/{company}/workers/{worker}/payrates/{rate}",
        filters: PAGING,
        columns: &[
            Column::value("RATE", "/rateId"),
            Column::value("NUMBER", "/rateNumber"),
            Column::value("TYPE", "/rateType"),
            Column::value("AMOUNT", "/amount"),
            Column::value("DEFAULT", "/default"),
            Column::day("START", "/startDate"),
            Column::value("DESCRIPTION", "/description"),
        ],
        messages: [
            "Pay rate {/rateId} is created.",
            "Pay rate {rate} is changed.",
            "Pay rate {rate} is deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const RECURRING_COMPONENT: Noun = Noun {
    name: "recurring-component",
    about: "Manage the recurring pay components of a worker",
    extra_help: "",
    example: "recurring-component list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&Objects {
        about: [
            "List the recurring pay components of a worker",
            "Show a recurring pay component",
            "Create a recurring pay component",
            "Change fields of a recurring pay component",
            "Delete a recurring pay component",
        ],
        list: "companies/{company}/workers/{worker}/recurringcomponents",
        object_path: "companies/{company}/workers/{worker}/recurringcomponents/{recurring-component}",
        filters: PAGING,
        columns: &[
            Column::value("RECURRING COMPONENT", "/workerComponentId"),
            Column::value("COMPONENT", "/componentId"),
            Column::value("CALCULATION", "/calculationType"),
            Column::value("BASE", "/calculationBaseId"),
            Column::value("VALUE", "/value"),
            Column::day("START", "/startDate"),
            Column::day("END", "/endDate"),
        ],
        messages: [
            "Recurring component {/workerComponentId} is created.",
            "Recurring component {recurring-component} is changed.",
            "Recurring component {recurring-component} is deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const DIRECT_DEPOSIT: Noun = Noun {
    name: "direct-deposit",
    about: "Manage the bank accounts for the pay of a worker",
    extra_help: "",
    example: "direct-deposit list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[
        &Objects {
            about: [
                "List the direct deposits of a worker",
                "Show a direct deposit",
                "Create a direct deposit",
                "Change fields of a direct deposit",
                "Delete a direct deposit",
            ],
            list: "companies/{company}/workers/{worker}/directdeposits",
            object_path: "companies/{company}/workers/{worker}/directdeposits/{direct-deposit}",
            filters: PAGING,
            columns: &[
                Column::value("DIRECT DEPOSIT", "/directDepositId"),
                Column::value("PRIORITY", "/priority"),
                Column::value("PAYMENT", "/paymentType"),
                Column::value("VALUE", "/value"),
                Column::value("ACCOUNT", "/accountNumber"),
                Column::value("STATUS", "/status"),
                Column::day("START", "/startDate"),
            ],
            messages: [
                "Direct deposit {/directDepositId} is created.",
                "Direct deposit {direct-deposit} is changed.",
                "Direct deposit {direct-deposit} is deleted.",
            ],
        }
        .rows(),
        DEPOSIT_DECISIONS,
    ],
};

/// The commands to list, approve and reject pending bank accounts.
const DEPOSIT_DECISIONS: &[Row] = &[
    Row::list(
        "requests",
        "List the bank accounts that applications added or changed and that are pending approval",
        "depositrequests",
        &[
            Column::value("COMPANY", "/companyId"),
            Column::value("WORKER", "/workerId"),
            Column::value("DIRECT DEPOSIT", "/directDepositId"),
            Column::value("PAYMENT", "/paymentType"),
            Column::value("VALUE", "/value"),
            Column::value("NEW VALUE", "/pendingChange/value"),
            Column::value("ACCOUNT", "/accountNumber"),
            Column::value("REQUESTED BY", "/requestedBy"),
            Column::day("REQUESTED", "/requestedDate"),
        ],
    ),
    Row::send(
        Method::Post,
        "approve",
        "Approve a bank account that an application has added or changed",
        "companies/{company}/workers/{worker}/directdeposits/{direct-deposit}/approve",
    )
    .says("Direct deposit {direct-deposit} is approved."),
    Row::send(
        Method::Post,
        "refuse",
        "Reject a bank account that an application has added or changed",
        "companies/{company}/workers/{worker}/directdeposits/{direct-deposit}/refuse",
    )
    .says("The request for direct deposit {direct-deposit} is rejected."),
];

pub(in crate::commands) const CONTACT: Noun = Noun {
    name: "contact",
    about: "Manage the contacts of a worker",
    extra_help: "",
    example: "contact list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&Objects {
        about: [
            "List the contacts of a worker",
            "Show a contact",
            "Create a contact",
            "Change fields of a contact",
            "Delete a contact",
        ],
        list: "companies/{company}/workers/{worker}/contacts",
        object_path: "companies/{company}/workers/{worker}/contacts/{contact}",
        filters: PAGING,
        columns: &[
            Column::value("CONTACT", "/contactId"),
            Column::value("TYPE", "/contactType/contactTypeId"),
            Column::value("PRIMARY", "/relationship/primary"),
            Column::value("FAMILY NAME", "/relationship/person/name/familyName"),
            Column::value("GIVEN NAME", "/relationship/person/name/givenName"),
            Column::value("ENTITY", "/relationship/entity/entityName"),
        ],
        messages: [
            "Contact {/contactId} is created.",
            "Contact {contact} is changed.",
            "Contact {contact} is deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const CUSTOM_VALUE: Noun = Noun {
    name: "custom-value",
    about: "Manage the custom field values of a worker",
    extra_help: "",
    example: "custom-value list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&Objects {
        about: [
            "List the values of custom fields of a worker",
            "Show a value of a custom field",
            "Create a value of a custom field",
            "Change fields of a value of a custom field",
            "Delete a value of a custom field",
        ],
        list: "companies/{company}/workers/{worker}/customfields",
        object_path: "companies/{company}/workers/{worker}/customfields/{custom-value}",
        filters: PAGING,
        columns: &[
            Column::value("VALUE", "/workerCustomFieldId"),
            Column::value("FIELD", "/customFieldId"),
            Column::value("CHOICE", "/dropdownId"),
            Column::value("TEXT", "/textValue"),
            Column::value("NUMBER", "/numericValue"),
            Column::day("DATE", "/dateValue"),
            Column::value("YES OR NO", "/booleanValue"),
            Column::day("START", "/startDate"),
            Column::day("END", "/endDate"),
        ],
        messages: [
            "Value {/workerCustomFieldId} is created.",
            "Value {custom-value} is changed.",
            "Value {custom-value} is deleted.",
        ],
    }
    .rows()],
};
