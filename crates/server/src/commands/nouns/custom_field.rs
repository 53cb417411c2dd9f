//! `custom-field …` and `category …`: the definitions of a company's custom fields.

use crate::commands::table::{Column, Noun, Objects, PAGING};

pub(in crate::commands) const CUSTOM_FIELD: Noun = Noun {
    name: "custom-field",
    about: "Manage the custom fields of a company",
    extra_help: "",
    example: "custom-field create EXAMPLE-1 --set customFieldName='Badge number' --set type=TEXT",
    rows: &[&Objects {
        about: [
            "List the custom fields of a company",
            "Show a custom field",
            "Create a custom field",
            "Change fields of a custom field",
            "Delete a custom field",
        ],
        list: "companies/{company}/customfields",
        object_path: "companies/{company}/customfields/{custom-field}",
        filters: PAGING,
        columns: &[
            Column::value("CUSTOM FIELD", "/customFieldId"),
            Column::value("NAME", "/customFieldName"),
            Column::value("TYPE", "/type"),
            Column::value("CATEGORY", "/categoryId"),
            Column::value("REQUIRED", "/required"),
        ],
        messages: [
            "Custom field {/customFieldId} is created.",
            "Custom field {custom-field} is changed.",
            "Custom field {custom-field} is deleted.",
        ],
    }
    .rows()],
};

pub(in crate::commands) const CATEGORY: Noun = Noun {
    name: "category",
    about: "Manage the categories of custom fields of a company",
    extra_help: "",
    example: "category create EXAMPLE-1 --set categoryName=Equipment",
    rows: &[&Objects {
        about: [
            "List the categories of custom fields of a company",
            "Show a category of custom fields",
            "Create a category of custom fields",
            "Change fields of a category of custom fields",
            "Delete a category of custom fields",
        ],
        list: "companies/{company}/customfieldscategories",
        object_path: "companies/{company}/customfieldscategories/{category}",
        filters: PAGING,
        columns: &[
            Column::value("CATEGORY", "/categoryId"),
            Column::value("NAME", "/categoryName"),
            Column::value("DEFAULT", "/default"),
        ],
        messages: [
            "Category {/categoryId} is created.",
            "Category {category} is changed.",
            "Category {category} is deleted.",
        ],
    }
    .rows()],
};
