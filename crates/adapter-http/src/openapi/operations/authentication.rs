//! Authentication: the token operation (specification §5.1 to §5.3).

use payroll_domain::code::Reason;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::schema::schema_reference;
use super::super::schemas::token;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> Vec<OperationDescription> {
    vec![
        OperationDescription::new("POST", "/auth/oauth/v2/token", "createToken", "Get a token")
            .with_description(
                "Use the OAuth 2.0 client credentials grant. You can send the client id and the secret \
                by HTTP Basic instead of the form. An application with a registered public key signs an \
                assertion instead \
                (`private_key_jwt`). Each assertion is accepted once. Credentials in the query are \
                rejected, because logs would contain them.",
            )
            .with_required_body(
                &["application/x-www-form-urlencoded"],
                &schema_reference("TokenRequest"),
                &token::example(),
            )
            .with_success(success(200, "A token.", &[JSON], BodySchema::Bare(schema_reference("Token"))))
            .with_reasons(&[Reason::FieldMissing, Reason::FieldAmbiguous, Reason::FieldInvalid]),
    ]
}
