//! `component …`: the pay components of a company.

use crate::commands::table::{CHANGED_SINCE, Column, LIMIT, Noun, OFFSET, Objects, Parameter};

pub(in crate::commands) const COMPONENT: Noun = Noun {
    name: "component",
    about: "Manage the pay components of a company",
    extra_help: "",
    example: "component create EXAMPLE-1 --file hourly.json --set componentId=hourly",
    rows: &[&Objects {
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
            Parameter::query("name", "PART", "name", "Only components with this text in their name"),
            Parameter::query(
                "effect",
                "EFFECT",
                "effectonpay",
                "Only components with this effect on pay, such as REDUCTION",
            ),
            Parameter::query(
                "classification",
                "TYPE",
                "classificationtype",
                "Only components of this classification",
            ),
            CHANGED_SINCE,
            OFFSET,
            LIMIT,
        ],
        columns: &[
            Column::value("COMPONENT", "/componentId"),
            Column::value("NAME", "/name"),
            Column::value("CODE", "/code"),
            Column::value("CLASSIFICATION", "/classificationType"),
            Column::value("EFFECT ON PAY", "/effectOnPay"),
            Column::day("START", "/startDate"),
            Column::day("END", "/endDate"),
        ],
        messages: [
            "Pay component {/componentId} is created.",
            "Pay component {component} is changed.",
            "Pay component {component} is deleted.",
        ],
    }
    .rows()],
};
