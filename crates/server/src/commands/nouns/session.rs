//! `session …`: the sessions of operators who use the console in a browser.

use crate::commands::table::{CommandNoun, CommandRow, TableColumn};
use crate::operator::Method;

pub(in crate::commands) const SESSION: CommandNoun = CommandNoun {
    name: "session",
    about: "List the browsers that are signed in to the console, and sign them out",
    extra_help: "",
    example: "session list",
    rows: &[&[
        CommandRow::list(
            "list",
            "List the sessions that have not expired",
            "sessions",
            &[
                TableColumn::value("SESSION", "/sessionId"),
                TableColumn::value("KEY", "/name"),
                TableColumn::value("MADE", "/createdDate"),
                TableColumn::value("ENDS", "/expiresDate"),
            ],
        ),
        CommandRow::send(
            Method::Delete,
            "end",
            "Sign a browser out. The server rejects its next request",
            "sessions/{session}",
        )
        .with_sentence("{session} is ended."),
    ]],
};
