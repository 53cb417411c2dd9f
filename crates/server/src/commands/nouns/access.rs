//! `access …`: access requests of applications for companies.

use crate::commands::table::{Body, Column, Noun, Parameter, Row, Target};
use crate::operator::Method;
use crate::terminal::Tone;

pub(in crate::commands) const ACCESS: Noun = Noun {
    name: "access",
    about: "List, approve and reject requests of applications for access to companies",
    extra_help: "REQUEST is the link that the partner has sent, or an id.",
    example: "access approve acr_1 read:companies read:payroll",
    rows: &[&[
        Row::list(
            "list",
            "List the pending requests",
            "accessrequests",
            &[
                Column::value("REQUEST", "/accessRequestId"),
                Column::value("APPLICATION", "/applicationName").with_tone(Tone::Head),
                Column::value("COMPANY", "/companyId"),
                Column::value("NAME", "/legalName"),
                Column::value("SCOPES", "/scopes"),
                Column::value("ENDS", "/expiresDate"),
            ],
        ),
        Row::send(
            Method::Post,
            "approve",
            "Grant all or some of the requested scopes",
            "accessrequests/{request}/approve",
        )
        .takes(&[Parameter {
            name: "scopes",
            value: "SCOPES",
            help: "Such as read:payroll. Default: all requested scopes",
            target: Target::Words("scopes"),
        }])
        .body(Body::AnyMembers)
        .says("{/applicationName} now has these scopes on {/companyId}: {/scopes}"),
        Row::send(Method::Post, "refuse", "Reject a request", "accessrequests/{request}/refuse")
            .says("The request of {/applicationName} for access to {/companyId} is rejected."),
    ]],
};

/// Returns the id of an access request from an id or from a link, whose last segment is the token of the
/// request.
pub(super) fn id_of(text: &str) -> &str {
    let said = text.trim().trim_end_matches('/');
    said.rsplit('/').next().unwrap_or(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_token_at_the_end_of_a_link() {
        assert_eq!(id_of("https://ops.example.org/x/approve/acr_1 "), "acr_1");
        assert_eq!((id_of("acr_1"), id_of("01J")), ("acr_1", "01J"));
    }
}
