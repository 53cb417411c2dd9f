//! Rows of hooks. Credentials and signing secrets are encrypted and bound to their hook and their column. If
//! an encrypted text is copied to another hook or column, it cannot be decrypted there.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use payroll_domain::date::Timestamp;
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookKey, SigningSecret,
};

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::seal::Sealer;
use crate::table::table;

table! {
    /// The row of a new hook. The database assigns its number, and the hook has not sent anything yet.
    struct NewHookRow in "hooks" key "hook" {
        application_id: text,
        hook_id: text,
        company_id: text_or_null,
        uri: text,
        domains: text,
        auth_type: text,
        authentication: text,
        signing_secret: text,
        created: int,
        active: bool,
        ordered: bool,
        max_attempts: int_or_null,
        max_per_second: int_or_null,
        disabled: int_or_null,
        version: int,
    }
}

table! {
    /// The row of a hook.
    struct HookRow in "hooks" key "hook" {
        hook: int,
        application_id: text,
        hook_id: text,
        company_id: text_or_null,
        uri: text,
        domains: text,
        auth_type: text,
        authentication: text,
        signing_secret: text,
        old_signing_secret: text_or_null,
        old_signing_secret_until: int_or_null,
        created: int,
        active: bool,
        ordered: bool,
        max_attempts: int_or_null,
        max_per_second: int_or_null,
        disabled: int_or_null,
        failing_since: int_or_null,
        failures: int,
        warned: bool,
        expired: int,
        version: int,
    }
}

/// A column of a hook with encrypted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EncryptedColumn {
    /// The credentials for the receiver.
    Authentication,
    /// The secret that signs notifications.
    SigningSecret,
    /// The previous signing secret, which still signs for some time after a rotation.
    OldSigningSecret,
}

impl EncryptedColumn {
    /// Returns the associated data of the encryption for this column. Ids contain no slashes, so the text is
    /// unambiguous.
    pub(crate) fn associated_data(self, application_id: &str, hook_id: &str) -> String {
        let column = match self {
            Self::Authentication => "authentication",
            Self::SigningSecret => "signing_secret",
            Self::OldSigningSecret => "old_signing_secret",
        };
        format!("hooks/{application_id}/{hook_id}/{column}")
    }
}

/// Returns the encrypted form of the credentials for a receiver.
pub(crate) fn seal_authentication(authentication: &Authentication, key: &HookKey, sealer: &Sealer) -> String {
    let bound =
        EncryptedColumn::Authentication.associated_data(key.application_id.as_str(), key.hook_id.as_str());
    sealer.seal(authentication.to_stored().expose(), &bound)
}

/// Returns the encrypted form of a signing secret for a column.
pub(crate) fn seal_secret(
    secret: &SigningSecret,
    column: EncryptedColumn,
    key: &HookKey,
    sealer: &Sealer,
) -> String {
    let bound = column.associated_data(key.application_id.as_str(), key.hook_id.as_str());
    sealer.seal(&STANDARD_NO_PAD.encode(secret.0), &bound)
}

/// Returns the stored form of event domains. Each domain has a space on both sides, so that SQL can search a
/// complete domain name.
pub(crate) fn to_stored_domains(domains: &[EventDomain]) -> String {
    domains.iter().fold(" ".to_owned(), |text, domain| text + domain.as_str() + " ")
}

impl HookRow {
    /// Returns the hook without its secrets.
    pub(crate) fn to_hook(&self) -> Outcome<Hook> {
        let at = self.location();
        let domains = self.domains.split(' ').filter(|word| !word.is_empty());
        Ok(Hook {
            key: self.read_key()?,
            company_id: at.parse_optional_id(self.company_id.as_deref())?,
            address: self.read_address()?,
            domains: domains.map(|word| at.parse_text(word, EventDomain::parse)).collect::<Outcome<_>>()?,
            auth_type: at.parse_text(&self.auth_type, AuthType::parse)?,
            active: self.active,
            delivery: self.read_delivery_options()?,
            created: Timestamp::from_micros(self.created),
            version: self.version,
        })
    }

    /// Returns the delivery options: whether notifications are sent in order, and the limits for sending.
    pub(crate) fn read_delivery_options(&self) -> Outcome<DeliveryOptions> {
        let at = self.location();
        Ok(DeliveryOptions {
            ordered: self.ordered,
            max_attempts: self.max_attempts.map(|most| at.read_number(most)).transpose()?,
            max_per_second: self.max_per_second.map(|most| at.read_number(most)).transpose()?,
        })
    }

    /// Returns the application and the id of the hook.
    pub(crate) fn read_key(&self) -> Outcome<HookKey> {
        let at = self.location();
        Ok(HookKey {
            application_id: at.parse_id(&self.application_id)?,
            hook_id: at.parse_id(&self.hook_id)?,
        })
    }

    /// Returns the address that receives the notifications.
    pub(crate) fn read_address(&self) -> Outcome<Address> {
        Address::from_stored(&self.uri)
            .ok_or_else(|| self.location().corruption_failure("the address is malformed"))
    }

    /// Returns the credentials for the receiver.
    pub(crate) fn decrypt_authentication(&self, sealer: &Sealer) -> Outcome<Authentication> {
        let auth_type = self.location().parse_text(&self.auth_type, AuthType::parse)?;
        let opened = self.decrypt_column(&self.authentication, EncryptedColumn::Authentication, sealer)?;
        Authentication::from_stored(auth_type, &opened)
            .ok_or_else(|| self.location().corruption_failure("the authentication is malformed"))
    }

    /// Returns the secret that signs the notifications.
    pub(crate) fn decrypt_current_secret(&self, sealer: &Sealer) -> Outcome<SigningSecret> {
        self.decrypt_signing_secret(&self.signing_secret, EncryptedColumn::SigningSecret, sealer)
    }

    /// Returns the previous signing secret, and the instant until which it also signs.
    pub(crate) fn decrypt_old_secret(&self, sealer: &Sealer) -> Outcome<Option<(SigningSecret, Timestamp)>> {
        let (Some(text), Some(until)) = (&self.old_signing_secret, self.old_signing_secret_until) else {
            return Ok(None);
        };
        let secret = self.decrypt_signing_secret(text, EncryptedColumn::OldSigningSecret, sealer)?;
        Ok(Some((secret, Timestamp::from_micros(until))))
    }

    fn decrypt_signing_secret(
        &self,
        text: &str,
        column: EncryptedColumn,
        sealer: &Sealer,
    ) -> Outcome<SigningSecret> {
        let opened = self.decrypt_column(text, column, sealer)?;
        let bytes = STANDARD_NO_PAD.decode(opened).ok().and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(SigningSecret)
            .ok_or_else(|| self.location().corruption_failure("a signing secret is malformed"))
    }

    fn decrypt_column(&self, text: &str, column: EncryptedColumn, sealer: &Sealer) -> Outcome<String> {
        let opened = sealer.unseal(text, &column.associated_data(&self.application_id, &self.hook_id));
        opened.ok_or_else(|| self.location().corruption_failure("a secret cannot be decrypted"))
    }

    const fn location(&self) -> RowLocation<'_> {
        RowLocation { table: "hooks", key: self.hook_id.as_str() }
    }
}
