//! `component …`: the pay components of a company.

use crate::commands::table::{
    CHANGED_SINCE_PARAMETER, CommandNoun, LIMIT_PARAMETER, OFFSET_PARAMETER, ObjectCommands, Parameter,
    TableColumn,
};

pub(in crate::commands) const COMPONENT: CommandNoun = CommandNoun {
    name: "component",
    about: "Manage the pay components of a company",
    extra_help: "",
    example: "component create EXAMPLE-1 --file hourly.json --set componentId=hourly",
    rows: &[&ObjectCommands {
        about: [
            "List the pay components of a company",
            "Show a pay component",
            "Create a pay component",
            "Change fields of a pay component",
            "Delete a pay component",
        ],
        list: "companies/{company}/paycomponents",
        object_path: "companies/{company}/paycomponents/{component}",
        filters: &[
            Parameter::query("name", "PART", "name", "Show only components with this text in their name"),
            Parameter::query(
                "effect",
                "EFFECT",
                "effectonpay",
                "Show only components with this effect on pay, such as REDUCTION",
            ),
            Parameter::query(
                "classification",
                "TYPE",
                "classificationtype",
                "Show only components of this classification",
            ),
            CHANGED_SINCE_PARAMETER,
            OFFSET_PARAMETER,
            LIMIT_PARAMETER,
        ],
        columns: &[
            TableColumn::value("COMPONENT", "/componentId"),
            TableColumn::value("NAME", "/name"),
            TableColumn::value("CODE", "/code"),
            TableColumn::value("CLASSIFICATION", "/classificationType"),
            TableColumn::value("EFFECT ON PAY", "/effectOnPay"),
            TableColumn::day("START", "/startDate"),
            TableColumn::day("END", "/endDate"),
        ],
        messages: [
            "Pay component {/componentId} was created.",
            "Pay component {component} was changed.",
            "Pay component {component} was deleted.",
        ],
    }
    .rows()],
};
