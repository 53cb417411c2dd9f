//! The identity provider of the operators, if the settings name a provider.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use payroll_adapter_oidc::{Provider, ProviderSettings};
use payroll_domain::SecretText;
use payroll_ports::Clock;
use payroll_ports::sign_in::IdentityProvider;
use reqwest::redirect::Policy;

use crate::config::{Settings, values};
use crate::failure::{Failure, Outcome};

/// The time limit for one request to the provider. A sign-in needs up to three such requests one after
/// another.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Creates the identity provider from the settings. `None` if the settings contain no issuer.
///
/// # Errors
/// A setting is missing, or the file with the secret cannot be read.
pub(super) fn create_identity_provider(
    settings: &Settings,
    clock: Arc<dyn Clock>,
) -> Outcome<Option<Arc<dyn IdentityProvider>>> {
    if settings.oidc_issuer.is_empty() {
        return Ok(None);
    }
    if settings.oidc_client_id.is_empty() || settings.oidc_roles.is_empty() {
        return Err(Failure::new(
            "`oidc_issuer` is set, so `oidc_client_id` and `oidc_roles` must be set too",
        ));
    }
    let given = ProviderSettings {
        issuer: settings.oidc_issuer.clone(),
        client_id: settings.oidc_client_id.clone(),
        client_secret: read_client_secret(&settings.oidc_client_secret_file)?,
        scopes: values::split_list(&settings.oidc_scopes).map(str::to_owned).collect(),
        name_claim: settings.oidc_name_claim.clone(),
        role_claim: settings.oidc_role_claim.clone(),
        roles: settings.oidc_roles.clone(),
        company_claim: Some(settings.oidc_company_claim.clone()).filter(|claim| !claim.is_empty()),
    };
    // An error means that the process already has a cryptography provider for TLS, which is also suitable.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    // A redirect could send the client secret to another server, so redirects are not followed.
    let client = reqwest::Client::builder().timeout(REQUEST_TIMEOUT).redirect(Policy::none()).build();
    let client = client.map_err(|error| Failure::with_cause("single sign-on cannot be used", &error))?;
    let provider = Provider::new(given, client, clock);
    let invalid = |error: payroll_ports::BoxError| Failure::new(format!("oidc_issuer is invalid: {error}"));
    Ok(Some(Arc::new(provider.map_err(invalid)?)))
}

fn read_client_secret(file: &str) -> Outcome<Option<SecretText>> {
    if file.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(Path::new(file)).map_err(|error| {
        Failure::with_cause(format!("oidc_client_secret_file {file} cannot be read"), &error)
    })?;
    match text.trim() {
        "" => Err(Failure::new(format!("oidc_client_secret_file {file} is empty"))),
        secret => Ok(Some(SecretText::new(secret))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Setting;
    use crate::system::SystemClock;

    fn error_for_settings(change: impl Fn(&mut Settings)) -> String {
        let mut settings = Settings {
            oidc_issuer: "https://login.example.org".to_owned(),
            oidc_client_id: "payroll".to_owned(),
            oidc_roles: Setting::read("clerks=payroll").unwrap(),
            ..Settings::default()
        };
        change(&mut settings);
        match create_identity_provider(&settings, Arc::new(SystemClock)) {
            Ok(_) => "accepted".to_owned(),
            Err(failure) => failure.to_string(),
        }
    }

    #[test]
    fn incomplete_settings_are_rejected_by_name() {
        let empty = tempfile::NamedTempFile::new().unwrap();
        let empty = empty.path().to_str().unwrap();
        assert_eq!(error_for_settings(|_| ()), "accepted");
        assert!(error_for_settings(|it| it.oidc_client_id.clear()).contains("oidc_client_id"));
        assert!(error_for_settings(|it| it.oidc_roles.clear()).contains("oidc_roles"));
        for file in ["/no/such/file", empty] {
            let refusal = error_for_settings(|it| it.oidc_client_secret_file = file.to_owned());
            assert!(refusal.starts_with(&format!("oidc_client_secret_file {file} ")), "{refusal}");
        }
    }
}
