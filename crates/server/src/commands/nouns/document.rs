//! `document …`: the documents of workers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Command, ValueHint};
use serde_json::{Value, json};

use crate::commands::table::{Body, Column, Noun, Row, read_file};
use crate::failure::Outcome;
use crate::operator::Method;

/// The path of the list of a worker's documents.
const DOCUMENTS: &str = "companies/{company}/workers/{worker}/documents";

pub(in crate::commands) const DOCUMENT: Noun = Noun {
    name: "document",
    about: "List, add and delete the documents of a worker",
    extra_help: "",
    example: "document list EXAMPLE-1 EXAMPLE-1-W1",
    rows: &[&[
        Row::list(
            "list",
            "List the documents of a worker",
            DOCUMENTS,
            &[
                Column::value("DOCUMENT", "/documentId"),
                Column::value("NAME", "/name"),
                Column::value("CATEGORY", "/categoryId"),
                Column::value("TYPE", "/contentType"),
                Column::value("BYTES", "/size"),
                Column::day("ADDED", "/createdDate"),
            ],
        ),
        Row::send(Method::Post, "add", "Add a document to a worker", DOCUMENTS)
            .body(Body::Own(arguments, document))
            .says("Document {/documentId} is added."),
        Row {
            needs_confirmation: true,
            ..Row::send(
                Method::Delete,
                "delete",
                "Delete a document of a worker",
                "companies/{company}/workers/{worker}/documents/{document}",
            )
            .says("Document {document} is deleted.")
        },
    ]],
};

/// Adds the arguments for the file, its name and its category.
fn arguments(command: Command) -> Command {
    let file = Arg::new("file")
        .value_name("FILE")
        .required(true)
        .value_hint(ValueHint::FilePath)
        .value_parser(ValueParser::path_buf())
        .help("A PDF, PNG, JPEG, text or CSV file of at most 10 MiB. `-` reads standard input");
    let name = "The name of the document. Default: the name of the file. Standard input needs a name";
    let category = "A document category of the company";
    command.args([
        file,
        Arg::new("name").long("name").value_name("NAME").help(name),
        Arg::new("category").long("category").value_name("ID").help(category),
    ])
}

/// Returns the body of the request. The server validates the name and the content.
fn document(arguments: &ArgMatches) -> Outcome<Value> {
    let file = arguments.get_one::<PathBuf>("file").map_or(Path::new("-"), PathBuf::as_path);
    let name = arguments.get_one::<String>("name").cloned();
    // Standard input and a file whose name is not UTF-8 have no name here. Without `--name`, the server
    // rejects the document.
    let own = file.file_name().and_then(OsStr::to_str).filter(|own| *own != "-");
    let name = name.or_else(|| own.map(str::to_owned));
    let content = STANDARD.encode(read_file(file)?);
    let category = arguments.get_one::<String>("category");
    Ok(json!({"name": name, "categoryId": category, "content": content}))
}
