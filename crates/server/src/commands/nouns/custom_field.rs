//! `custom-field …` and `category …`: the definitions of a company's custom fields.

use crate::commands::table::{CommandNoun, ObjectCommands, PAGING_PARAMETERS, TableColumn};

pub(in crate::commands) const CUSTOM_FIELD: CommandNoun = CommandNoun {
    name: "custom-field",
    about: "Manage the custom fields of a company",
    extra_help: "",
    example: "custom-field create EXAMPLE-1 --set customFieldName='Badge number' --set type=TEXT",
    rows: &[&ObjectCommands {
        about: [
            "List the custom fields of a company",
            "Show a custom field",
            "Create a custom field",
            "Change fields of a custom field",
            "Delete a custom field",
        ],
        list: "companies/{company}/customfields",
        object_path: "companies/{company}/customfields/{custom-field}",
        filters: PAGING_PARAMETERS,
        columns: &[
            TableColumn::value("CUSTOM FIELD", "/customFieldId"),
            TableColumn::value("NAME", "/customFieldName"),
            TableColumn::value("TYPE", "/type"),
            TableColumn::value("CATEGORY", "/categoryId"),
            TableColumn::value("REQUIRED", "/required"),
        ],
        messages: [
            "Custom field {/customFieldId} was created.",
            "Custom field {custom-field} was changed.",
            "Custom field {custom-field} was deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const CATEGORY: CommandNoun = CommandNoun {
    name: "category",
    about: "Manage the categories of custom fields of a company",
    extra_help: "",
    example: "category create EXAMPLE-1 --set categoryName=Equipment",
    rows: &[&ObjectCommands {
        about: [
            "List the categories of custom fields of a company",
            "Show a category of custom fields",
            "Create a category of custom fields",
            "Change fields of a category of custom fields",
            "Delete a category of custom fields",
        ],
        list: "companies/{company}/customfieldscategories",
        object_path: "companies/{company}/customfieldscategories/{category}",
        filters: PAGING_PARAMETERS,
        columns: &[
            TableColumn::value("CATEGORY", "/categoryId"),
            TableColumn::value("NAME", "/categoryName"),
            TableColumn::value("DEFAULT", "/default"),
        ],
        messages: [
            "Category {/categoryId} was created.",
            "Category {category} was changed.",
            "Category {category} was deleted.",
        ],
    }
    .rows()],
};
