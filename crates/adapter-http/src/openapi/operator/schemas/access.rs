//! Applications with their secrets, grants and requests, and operator keys (specification §10.10 to §10.12,
//! §10.16).

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::operator_key::OperatorRole;
use serde_json::{Value, json};

use super::super::super::documents::{NAME_LENGTH, Use, sent_object};
use super::super::super::schema::{
    Member, flag, id, instant, instant_sent, list, object, optional, plain_text, required, text, with, word,
};
use super::super::super::schemas::named::Named;

pub(super) fn access() -> Named {
    let grant = object(
        "What an application may do in a company.",
        [
            required("applicationId", id("The application.")),
            required("companyId", id("The company.")),
            required("scopes", scopes("The granted scopes.", Scopes::of_companies())),
        ],
    );
    let grant_input = sent_object(
        "What an application may do in a company.",
        Use::Sent,
        [
            optional("applicationId", id("That of the path.")),
            optional("companyId", id("That of the path.")),
            required("scopes", with(scopes("The granted scopes.", Scopes::of_companies()), "minItems", 1)),
        ],
    );
    let approval = sent_object(
        "The granted scopes. Default: all requested scopes.",
        Use::Sent,
        [optional(
            "scopes",
            with(scopes("At most the requested scopes.", Scopes::of_companies()), "minItems", 1),
        )],
    );
    let mut all = applications();
    all.extend([
        ("OperatorKey", key()),
        ("OperatorKeyInput", key_input()),
        ("OperatorSession", session()),
        ("Grant", grant),
        ("GrantInput", grant_input),
        ("AccessRequest", access_request()),
        ("Approval", approval),
    ]);
    all
}

fn key_input() -> Value {
    sent_object(
        "An operator key to create.",
        Use::Sent,
        [
            required("name", plain_text("The name, which must be unique.", NAME_LENGTH)),
            optional(
                "operatorName",
                plain_text(
                    "The operator who owns the key, a person or a machine. Default: `name`. The audit log and approvals show the operator.",
                    NAME_LENGTH,
                ),
            ),
            optional("role", with(role(), "default", "administrator")),
            optional(
                "readOnly",
                flag("Older than `role`: true means the role `auditor`. Leave it out if you send `role`."),
            ),
            optional("companyIds", with(companies(), "minItems", 1)),
            optional("expiresDate", instant_sent("From when on it is invalid. By default it never expires.")),
        ],
    )
}

fn key() -> Value {
    object(
        "An operator key.",
        [
            required("keyId", id("Its id.")),
            required("name", text("Its name.")),
            required("operatorName", text("The operator who owns the key.")),
            required("role", role()),
            required("readOnly", flag("The role is `auditor`.")),
            optional("companyIds", companies()),
            required("createdDate", instant("When it was created.")),
            optional("expiresDate", instant("From when on it is invalid; absent, it never expires.")),
            optional(
                "lastUsedDate",
                instant("When it was last used, to about a minute; absent, it never was."),
            ),
            optional("value", text("The key. Only present in the response that creates it.")),
        ],
    )
}

fn role() -> Value {
    let meanings = OperatorRole::ALL.iter().map(|role| format!("`{role}`: {}", role.summary()));
    let words = format!("What the operator may do. {}", meanings.collect::<Vec<_>>().join(" "));
    word(&words, OperatorRole::ALL.iter().map(|role| role.as_str()))
}

fn companies() -> Value {
    list(
        "The companies that the key is restricted to. Absent if it has access to all companies.",
        id("A company."),
    )
}

fn session() -> Value {
    object(
        "A browser session. It has the permissions of its key.",
        [
            required("sessionId", id("Its id, which is not what the browser sends.")),
            required("keyId", id("The id of the key that was exchanged for the session.")),
            required("name", text("The key's name.")),
            required("operatorName", text("The operator that the key belongs to.")),
            required("role", role()),
            required("readOnly", flag("The role is `auditor`.")),
            optional("companyIds", companies()),
            required("createdDate", instant("When it was created.")),
            required("expiresDate", instant("When it ends.")),
            optional(
                "csrfToken",
                text(
                    "The value of `X-CSRF-Token` for requests of this session that write. Only the session itself gets it.",
                ),
            ),
        ],
    )
}

fn access_request() -> Value {
    object(
        "A request of an application for access to a company.",
        [
            required("accessRequestId", id("Its id.")),
            required("applicationId", id("The application.")),
            required("applicationName", text("The application's name.")),
            required("companyId", id("The company.")),
            required("displayId", text("The company's account number.")),
            required("legalName", text("The company's name.")),
            required(
                "scopes",
                scopes(
                    "The requested scopes. After an approval, the granted scopes.",
                    Scopes::of_companies(),
                ),
            ),
            required("createdDate", instant("When the application requested it.")),
            required("expiresDate", instant("When its link expires.")),
        ],
    )
}

fn applications() -> Named {
    let settings = |name: Member| {
        [
            name,
            optional(
                "enabled",
                flag("Whether the application is enabled: it gets tokens, and its tokens are valid."),
            ),
            optional(
                "correlationScope",
                word("The scope in which a correlation id must be unique.", ["request", "payPeriod"]),
            ),
            optional(
                "rateLimitPerMinute",
                json!({"type": "integer", "minimum": 1, "maximum": 100_000_000, "description": "Requests a minute, in place of the server's setting."}),
            ),
            optional("webhookScopes", scopes("Its permissions for hooks.", Scopes::of_applications())),
        ]
    };
    let name = || required("name", plain_text("Its name, unique in the server.", NAME_LENGTH));
    let made = |is_answered: bool| {
        let secrets = list(
            "When its secrets were created.",
            object(
                "A secret.",
                [
                    required("secretId", id("Its id.")),
                    required("createdDate", instant("When it was created.")),
                    optional("value", text("The value. It is shown only when the secret is created.")),
                ],
            ),
        );
        let (own_id, key) = (id("Its id."), text("Its API key."));
        match is_answered {
            true => {
                [required("applicationId", own_id), required("clientId", key), optional("secrets", secrets)]
            }
            // A client may send these members back; they are ignored.
            false => [
                optional("applicationId", own_id),
                optional("clientId", key),
                optional("secrets", json!({"description": "Not read."})),
            ],
        }
    };
    let sent =
        |purpose| sent_object("An application.", purpose, settings(name()).into_iter().chain(made(false)));
    let secret = object(
        "A secret of an application.",
        [
            required("applicationId", id("The application.")),
            required("secretId", id("Its id.")),
            required("createdDate", instant("When it was created.")),
            optional("value", text("The value. It is shown only when the secret is created.")),
        ],
    );
    vec![
        ("Application", object("An application.", settings(name()).into_iter().chain(made(true)))),
        ("ApplicationInput", sent(Use::Sent)),
        ("ApplicationPatch", sent(Use::Patch)),
        ("Secret", secret),
    ]
}

fn scopes(words: &str, fitting: Scopes) -> Value {
    list(words, word("A scope.", fitting.iter().map(Scope::as_str)))
}
