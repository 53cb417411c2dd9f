//! Rows of hooks. Credentials and signing secrets are sealed to the hook and to the column that
//! they are in: a text that is copied to another hook, or to another column, does not open there.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use payroll_domain::date::Timestamp;
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{Address, AuthType, Authentication, Hook, HookKey, SigningSecret};

use crate::error::Outcome;
use crate::rows::At;
use crate::seal::Sealer;
use crate::table::table;

table! {
    /// A hook that is not stored yet: the database numbers it, and it has not sent anything.
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
        disabled: int_or_null,
        failing_since: int_or_null,
        failures: int,
        warned: bool,
        expired: int,
        version: int,
    }
}

/// A column that is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sealed {
    /// What the server shows the receiver.
    Authentication,
    /// The secret that signs notifications.
    SigningSecret,
    /// The secret that signed before the rotation.
    OldSigningSecret,
}

impl Sealed {
    /// What a text of this column is sealed to. Ids have no slash.
    pub(crate) fn of(self, application_id: &str, hook_id: &str) -> String {
        let column = match self {
            Self::Authentication => "authentication",
            Self::SigningSecret => "signing_secret",
            Self::OldSigningSecret => "old_signing_secret",
        };
        format!("hooks/{application_id}/{hook_id}/{column}")
    }
}

/// What the server shows a receiver as it is stored.
pub(crate) fn sealed_authentication(shown: &Authentication, key: &HookKey, sealer: &Sealer) -> String {
    let bound = Sealed::Authentication.of(key.application_id.as_str(), key.hook_id.as_str());
    sealer.seal(shown.to_stored().expose(), &bound)
}

/// A signing secret as it is stored in a column.
pub(crate) fn sealed_secret(
    secret: &SigningSecret,
    column: Sealed,
    key: &HookKey,
    sealer: &Sealer,
) -> String {
    let bound = column.of(key.application_id.as_str(), key.hook_id.as_str());
    sealer.seal(&STANDARD_NO_PAD.encode(secret.0), &bound)
}

/// Domains as they are stored: with a space around each, so that one is found as a part of the text.
pub(crate) fn stored_domains(domains: &[EventDomain]) -> String {
    domains.iter().fold(" ".to_owned(), |text, domain| text + domain.as_str() + " ")
}

impl HookRow {
    /// The hook, without its secrets.
    pub(crate) fn hook(&self) -> Outcome<Hook> {
        let at = self.at();
        let domains = self.domains.split(' ').filter(|word| !word.is_empty());
        Ok(Hook {
            key: self.key()?,
            company_id: at.id_or_none(self.company_id.as_deref())?,
            address: self.address()?,
            domains: domains.map(|word| at.word(word, EventDomain::parse)).collect::<Outcome<_>>()?,
            auth_type: at.word(&self.auth_type, AuthType::parse)?,
            active: self.active,
            created: Timestamp::from_micros(self.created),
            version: self.version,
        })
    }

    /// The application and the id of the hook.
    pub(crate) fn key(&self) -> Outcome<HookKey> {
        let at = self.at();
        Ok(HookKey { application_id: at.id(&self.application_id)?, hook_id: at.id(&self.hook_id)? })
    }

    /// Where its notifications go.
    pub(crate) fn address(&self) -> Outcome<Address> {
        Address::stored(&self.uri).ok_or_else(|| self.at().corrupt("the address is malformed"))
    }

    /// What the server shows its receiver.
    pub(crate) fn authentication(&self, sealer: &Sealer) -> Outcome<Authentication> {
        let auth_type = self.at().word(&self.auth_type, AuthType::parse)?;
        let opened = self.opened(&self.authentication, Sealed::Authentication, sealer)?;
        Authentication::from_stored(auth_type, &opened)
            .ok_or_else(|| self.at().corrupt("the authentication is malformed"))
    }

    /// What signs its notifications.
    pub(crate) fn secret(&self, sealer: &Sealer) -> Outcome<SigningSecret> {
        self.signing(&self.signing_secret, Sealed::SigningSecret, sealer)
    }

    /// The signing secret before, and until when it signs too.
    pub(crate) fn old_secret(&self, sealer: &Sealer) -> Outcome<Option<(SigningSecret, Timestamp)>> {
        let (Some(text), Some(until)) = (&self.old_signing_secret, self.old_signing_secret_until) else {
            return Ok(None);
        };
        let secret = self.signing(text, Sealed::OldSigningSecret, sealer)?;
        Ok(Some((secret, Timestamp::from_micros(until))))
    }

    fn signing(&self, text: &str, column: Sealed, sealer: &Sealer) -> Outcome<SigningSecret> {
        let opened = self.opened(text, column, sealer)?;
        let bytes = STANDARD_NO_PAD.decode(opened).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(SigningSecret).ok_or_else(|| self.at().corrupt("a signing secret is malformed"))
    }

    fn opened(&self, text: &str, column: Sealed, sealer: &Sealer) -> Outcome<String> {
        let opened = sealer.open(text, &column.of(&self.application_id, &self.hook_id));
        opened.ok_or_else(|| self.at().corrupt("a secret cannot be opened"))
    }

    const fn at(&self) -> At<'_> {
        At { table: "hooks", key: self.hook_id.as_str() }
    }
}
