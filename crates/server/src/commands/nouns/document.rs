//! `document …`: the documents of workers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Command, ValueHint};
use serde_json::{Value, json};

use crate::commands::table::{BodyKind, CommandNoun, CommandRow, TableColumn, read_file};
use crate::failure::Outcome;
use crate::operator::Method;

/// The path of the list of a worker's documents.
const DOCUMENTS_PATH: &str = "companies/{company}/workers/{worker}/documents";

pub(in crate::commands) const DOCUMENT: CommandNoun = CommandNoun {
    name: "document",
    about: "List, add and delete the documents of a worker",
    extra_help: "",
    example: "document list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&[
        CommandRow::list(
            "list",
            "List the documents of a worker",
            DOCUMENTS_PATH,
            &[
                TableColumn::value("DOCUMENT", "/documentId"),
                TableColumn::value("NAME", "/name"),
                TableColumn::value("CATEGORY", "/categoryId"),
                TableColumn::value("TYPE", "/contentType"),
                TableColumn::value("BYTES", "/size"),
                TableColumn::day("ADDED", "/createdDate"),
            ],
        ),
        CommandRow::send(Method::Post, "add", "Add a document to a worker", DOCUMENTS_PATH)
            .with_body(BodyKind::Own(add_document_arguments, read_document))
            .with_sentence("Document {/documentId} is added."),
        CommandRow {
            needs_confirmation: true,
            ..CommandRow::send(
                Method::Delete,
                "delete",
                "Delete a document of a worker",
                "companies/{company}/workers/{worker}/documents/{document}",
            )
            .with_sentence("Document {document} was deleted.")
        },
    ]],
};

/// Adds the arguments for the file, its name and its category.
fn add_document_arguments(command: Command) -> Command {
    let file = Arg::new("file")
        .value_name("FILE")
        .required(true)
        .value_hint(ValueHint::FilePath)
        .value_parser(ValueParser::path_buf())
        .help("A PDF, PNG, JPEG, text or CSV file of at most 10 MiB. `-` reads standard input");
    let name = "The name of the document. Default: the name of the file. Required with standard input";
    let category = "A document category of the company";
    command.args([
        file,
        Arg::new("name").long("name").value_name("NAME").help(name),
        Arg::new("category").long("category").value_name("ID").help(category),
    ])
}

/// Returns the body of the request that adds a document. The server validates the name and the content.
fn read_document(arguments: &ArgMatches) -> Outcome<Value> {
    let file = arguments.get_one::<PathBuf>("file").map_or(Path::new("-"), PathBuf::as_path);
    let name = arguments.get_one::<String>("name").cloned();
    // Without `--name`, the name of the file is used. Standard input has no name, and a name that is not
    // UTF-8 is omitted. The server rejects a document without a name.
    let own = file.file_name().and_then(OsStr::to_str).filter(|own| *own != "-");
    let name = name.or_else(|| own.map(str::to_owned));
    let content = STANDARD.encode(read_file(file)?);
    let category = arguments.get_one::<String>("category");
    Ok(json!({"name": name, "categoryId": category, "content": content}))
}
