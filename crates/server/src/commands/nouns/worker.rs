//! `worker …`: workers, and the commands for their data.

use crate::commands::table::{
    CHANGED_SINCE_PARAMETER, CommandNoun, CommandRow, LIMIT_PARAMETER, OFFSET_PARAMETER, ObjectCommands,
    PAGING_PARAMETERS, Parameter, TableColumn,
};
use crate::operator::Method;

pub(in crate::commands) const WORKER: CommandNoun = CommandNoun {
    name: "worker",
    about: "Manage the workers of a company",
    extra_help: "",
    example: "worker change EXAMPLE-1 EXAMPLE-1-W1 --set name.familyName=Sample",
    rows: &[&ObjectCommands {
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
            Parameter::query("name", "PART", "name", "Show only workers with this text in their name"),
            Parameter::query(
                "given-name",
                "NAME",
                "givenname",
                "Show only workers with this complete given name",
            ),
            Parameter::query(
                "family-name",
                "NAME",
                "familyname",
                "Show only workers with this complete family name",
            ),
            Parameter::query("employee-id", "ID", "employeeid", "Show only the worker with this employee id"),
            Parameter::query(
                "legal-last-four",
                "DIGITS",
                "legallastfour",
                "Show only workers whose SSN ends with these digits",
            ),
            Parameter::query("location-id", "ID", "locationid", "Show only workers at this location"),
            Parameter::queries(
                "status",
                "STATUS",
                "status",
                "Show only workers with this status. You can repeat this option",
            ),
            Parameter::query(
                "from",
                "DATE",
                "from",
                "Show only workers whose status began on this day or later",
            ),
            Parameter::query(
                "to",
                "DATE",
                "to",
                "Show only workers whose status began on this day or earlier",
            ),
            CHANGED_SINCE_PARAMETER,
            OFFSET_PARAMETER,
            LIMIT_PARAMETER,
        ],
        columns: &[
            TableColumn::value("WORKER", "/workerId"),
            TableColumn::value("EMPLOYEE", "/employeeId"),
            TableColumn::value("FAMILY NAME", "/name/familyName"),
            TableColumn::value("GIVEN NAME", "/name/givenName"),
            TableColumn::value("TYPE", "/workerType"),
            TableColumn::value("STATUS", "/currentStatus/statusType"),
            TableColumn::day("SINCE", "/currentStatus/effectiveDate"),
        ],
        messages: [
            "Worker {/workerId} was created.",
            "Worker {worker} was changed.",
            "Worker {worker} was deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const RATE: CommandNoun = CommandNoun {
    name: "rate",
    about: "Manage the pay rates of a worker",
    extra_help: "",
    example: "rate create EXAMPLE-1 EXAMPLE-1-W1 --set rateNumber=RATE_2 --set rateType=HOURLY_RATE --set amount=25.00",
    rows: &[&ObjectCommands {
        about: [
            "List the pay rates of a worker",
            "Show a pay rate",
            "Create a pay rate",
            "Change fields of a pay rate",
            "Delete a pay rate",
        ],
        list: "companies/{company}/workers/{worker}/payrates",
        object_path: "companies/{company}/workers/{worker}/payrates/{rate}",
        filters: PAGING_PARAMETERS,
        columns: &[
            TableColumn::value("RATE", "/rateId"),
            TableColumn::value("NUMBER", "/rateNumber"),
            TableColumn::value("TYPE", "/rateType"),
            TableColumn::value("AMOUNT", "/amount"),
            TableColumn::value("DEFAULT", "/default"),
            TableColumn::day("START", "/startDate"),
            TableColumn::value("DESCRIPTION", "/description"),
        ],
        messages: [
            "Pay rate {/rateId} was created.",
            "Pay rate {rate} was changed.",
            "Pay rate {rate} was deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const RECURRING_COMPONENT: CommandNoun = CommandNoun {
    name: "recurring-component",
    about: "Manage the recurring pay components of a worker",
    extra_help: "",
    example: "recurring-component list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&ObjectCommands {
        about: [
            "List the recurring pay components of a worker",
            "Show a recurring pay component",
            "Create a recurring pay component",
            "Change fields of a recurring pay component",
            "Delete a recurring pay component",
        ],
        list: "companies/{company}/workers/{worker}/recurringcomponents",
        object_path: "companies/{company}/workers/{worker}/recurringcomponents/{recurring-component}",
        filters: PAGING_PARAMETERS,
        columns: &[
            TableColumn::value("RECURRING COMPONENT", "/workerComponentId"),
            TableColumn::value("COMPONENT", "/componentId"),
            TableColumn::value("CALCULATION", "/calculationType"),
            TableColumn::value("BASE", "/calculationBaseId"),
            TableColumn::value("VALUE", "/value"),
            TableColumn::day("START", "/startDate"),
            TableColumn::day("END", "/endDate"),
        ],
        messages: [
            "Recurring component {/workerComponentId} was created.",
            "Recurring component {recurring-component} was changed.",
            "Recurring component {recurring-component} was deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const DIRECT_DEPOSIT: CommandNoun = CommandNoun {
    name: "direct-deposit",
    about: "Manage the bank accounts for the pay of a worker",
    extra_help: "",
    example: "direct-deposit list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[
        &ObjectCommands {
            about: [
                "List the direct deposits of a worker",
                "Show a direct deposit",
                "Create a direct deposit",
                "Change fields of a direct deposit",
                "Delete a direct deposit",
            ],
            list: "companies/{company}/workers/{worker}/directdeposits",
            object_path: "companies/{company}/workers/{worker}/directdeposits/{direct-deposit}",
            filters: PAGING_PARAMETERS,
            columns: &[
                TableColumn::value("DIRECT DEPOSIT", "/directDepositId"),
                TableColumn::value("PRIORITY", "/priority"),
                TableColumn::value("PAYMENT", "/paymentType"),
                TableColumn::value("VALUE", "/value"),
                TableColumn::value("ACCOUNT", "/accountNumber"),
                TableColumn::value("STATUS", "/status"),
                TableColumn::day("START", "/startDate"),
            ],
            messages: [
                "Direct deposit {/directDepositId} was created.",
                "Direct deposit {direct-deposit} was changed.",
                "Direct deposit {direct-deposit} was deleted.",
            ],
        }
        .rows(),
        DEPOSIT_DECISIONS,
    ],
};

/// The commands to list, approve and reject pending bank accounts.
const DEPOSIT_DECISIONS: &[CommandRow] = &[
    CommandRow::list(
        "requests",
        "List the bank accounts that applications added or changed and that are pending approval",
        "depositrequests",
        &[
            TableColumn::value("COMPANY", "/companyId"),
            TableColumn::value("WORKER", "/workerId"),
            TableColumn::value("DIRECT DEPOSIT", "/directDepositId"),
            TableColumn::value("PAYMENT", "/paymentType"),
            TableColumn::value("VALUE", "/value"),
            TableColumn::value("NEW VALUE", "/pendingChange/value"),
            TableColumn::value("ACCOUNT", "/accountNumber"),
            TableColumn::value("REQUESTED BY", "/requestedBy"),
            TableColumn::day("REQUESTED", "/requestedDate"),
        ],
    ),
    CommandRow::send(
        Method::Post,
        "approve",
        "Approve a bank account that an application has added or changed. Pay then goes to this account",
        "companies/{company}/workers/{worker}/directdeposits/{direct-deposit}/approve",
    )
    .with_sentence("Direct deposit {direct-deposit} is approved."),
    CommandRow::send(
        Method::Post,
        "refuse",
        "Reject a bank account that an application has added or changed. No pay goes to this account",
        "companies/{company}/workers/{worker}/directdeposits/{direct-deposit}/refuse",
    )
    .with_sentence("The request for direct deposit {direct-deposit} is rejected."),
];

pub(in crate::commands) const CONTACT: CommandNoun = CommandNoun {
    name: "contact",
    about: "Manage the contacts of a worker",
    extra_help: "",
    example: "contact list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&ObjectCommands {
        about: [
            "List the contacts of a worker",
            "Show a contact",
            "Create a contact",
            "Change fields of a contact",
            "Delete a contact",
        ],
        list: "companies/{company}/workers/{worker}/contacts",
        object_path: "companies/{company}/workers/{worker}/contacts/{contact}",
        filters: PAGING_PARAMETERS,
        columns: &[
            TableColumn::value("CONTACT", "/contactId"),
            TableColumn::value("TYPE", "/contactType/contactTypeId"),
            TableColumn::value("PRIMARY", "/relationship/primary"),
            TableColumn::value("FAMILY NAME", "/relationship/person/name/familyName"),
            TableColumn::value("GIVEN NAME", "/relationship/person/name/givenName"),
            TableColumn::value("ENTITY", "/relationship/entity/entityName"),
        ],
        messages: [
            "Contact {/contactId} was created.",
            "Contact {contact} was changed.",
            "Contact {contact} was deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const CUSTOM_VALUE: CommandNoun = CommandNoun {
    name: "custom-value",
    about: "Manage the custom field values of a worker",
    extra_help: "",
    example: "custom-value list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&ObjectCommands {
        about: [
            "List the values of custom fields of a worker",
            "Show a value of a custom field",
            "Create a value of a custom field",
            "Change fields of a value of a custom field",
            "Delete a value of a custom field",
        ],
        list: "companies/{company}/workers/{worker}/customfields",
        object_path: "companies/{company}/workers/{worker}/customfields/{custom-value}",
        filters: PAGING_PARAMETERS,
        columns: &[
            TableColumn::value("VALUE", "/workerCustomFieldId"),
            TableColumn::value("FIELD", "/customFieldId"),
            TableColumn::value("CHOICE", "/dropdownId"),
            TableColumn::value("TEXT", "/textValue"),
            TableColumn::value("NUMBER", "/numericValue"),
            TableColumn::day("DATE", "/dateValue"),
            TableColumn::value("YES OR NO", "/booleanValue"),
            TableColumn::day("START", "/startDate"),
            TableColumn::day("END", "/endDate"),
        ],
        messages: [
            "Value {/workerCustomFieldId} was created.",
            "Value {custom-value} was changed.",
            "Value {custom-value} was deleted.",
        ],
    }
    .rows()],
};
