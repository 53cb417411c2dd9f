//! `session …`: the sessions of operators who use the console in a browser.

use crate::commands::table::{Column, Noun, Row};
use crate::operator::Method;

pub(in crate::commands) const SESSION: Noun = Noun {
    name: "session",
    about: "List the browsers that are signed in to the console, and sign them out",
    extra_help: "",
    example: "session list",
    rows: &[&[
        Row::list(
            "list",
            "List the sessions that have not expired",
            "sessions",
            &[
                Column::value("SESSION", "/sessionId"),
                Column::value("KEY", "/name"),
                Column::value("MADE", "/createdDate"),
                Column::value("ENDS", "/expiresDate"),
            ],
        ),
        Row::send(
            Method::Delete,
            "end",
            "Sign a browser out. Its next request is rejected",
            "sessions/{session}",
        )
        .says("{session} is ended."),
    ]],
};
