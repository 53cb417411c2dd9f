//! `access …`: access requests of applications for companies.

use crate::commands::table::{BodyKind, CommandNoun, CommandRow, Parameter, ParameterTarget, TableColumn};
use crate::operator::Method;
use crate::terminal::TextTone;

pub(in crate::commands) const ACCESS: CommandNoun = CommandNoun {
    name: "access",
    about: "List, approve and reject requests of applications for access to companies",
    extra_help: "REQUEST is the link that the partner has sent, or an id.",
    example: "access approve acr_1 read:companies read:payroll",
    rows: &[&[
        CommandRow::list(
            "list",
            "List the pending requests for access to companies",
            "accessrequests",
            &[
                TableColumn::value("REQUEST", "/accessRequestId"),
                TableColumn::value("APPLICATION", "/applicationName").with_tone(TextTone::Head),
                TableColumn::value("COMPANY", "/companyId"),
                TableColumn::value("NAME", "/legalName"),
                TableColumn::value("SCOPES", "/scopes"),
                TableColumn::value("ENDS", "/expiresDate"),
            ],
        ),
        CommandRow::send(
            Method::Post,
            "approve",
            "Approve a request for access, and grant all or some of the requested scopes",
            "accessrequests/{request}/approve",
        )
        .with_parameters(&[Parameter {
            name: "scopes",
            value: "SCOPES",
            help: "The scopes to grant, such as read:payroll. Default: all requested scopes",
            target: ParameterTarget::Words("scopes"),
        }])
        .with_body(BodyKind::AnyMembers)
        .with_sentence("{/applicationName} now has these scopes for {/companyId}: {/scopes}"),
        CommandRow::send(
            Method::Post,
            "refuse",
            "Reject a request for access to a company",
            "accessrequests/{request}/refuse",
        )
        .with_sentence("The request of {/applicationName} for access to {/companyId} is rejected."),
    ]],
};

/// Returns the text that identifies an access request in a path. An id is returned unchanged. From a link,
/// the last segment is returned, which is the token of the access request.
pub(super) fn extract_access_request_key(text: &str) -> &str {
    let trimmed = text.trim().trim_end_matches('/');
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_token_at_the_end_of_a_link() {
        assert_eq!(extract_access_request_key("https://ops.example.org/x/approve/acr_1 "), "acr_1");
        assert_eq!(
            (extract_access_request_key("acr_1"), extract_access_request_key("01J")),
            ("acr_1", "01J")
        );
    }
}
