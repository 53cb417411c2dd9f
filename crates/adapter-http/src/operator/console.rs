//! The console in a browser (specification §10.24): files that are the same for everybody. What they show
//! they request of the operator API, with a session.

use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, REFERRER_POLICY};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_console::ServerFacts;
use payroll_domain::code::Reason;
use sha2::{Digest, Sha256};

use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::incoming::Incoming;
use crate::shared::static_file::static_file;

/// GET /: the page that all others are shown in.
pub(super) async fn page(incoming: Incoming) -> Handled {
    let settings = &incoming.api.settings;
    let shown = payroll_console::page(&ServerFacts {
        request_id_header: &settings.request_id_header,
        is_sandbox: settings.sandbox,
        two_person_completion: settings.two_person_completion,
    });
    let (page, script) = shown.ok_or_else(|| Failure::Bug("the console has no page".into()))?;
    let mut answer = static_file(&incoming, "text/html; charset=utf-8", page.as_bytes())?;
    let policy = HeaderValue::try_from(policy(&script)).map_err(|error| Failure::Bug(error.into()))?;
    answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    without_referrer(answer.headers_mut());
    Ok(answer)
}

/// GET /console/{folder}/{file}.
pub(super) async fn file(incoming: Incoming) -> Handled {
    let path = incoming.path().strip_prefix("/console/").and_then(|path| path.split_once('/'));
    let found = path.and_then(|(folder, name)| payroll_console::file(folder, name));
    let found = found.ok_or(Reason::UnknownResource)?;
    let mut answer = static_file(&incoming, found.media_type, &found.bytes)?;
    without_referrer(answer.headers_mut());
    Ok(answer)
}

fn without_referrer(headers: &mut HeaderMap) {
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// What the page may do: load its own files, run the one script that stands in it, which says where its
/// libraries are, and call this server.
fn policy(script: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(script.as_bytes()));
    format!(
        "default-src 'none'; script-src 'self' 'sha256-{hash}'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_script_runs_but_those_of_the_server() {
        let policy = policy("{}");
        assert!(!policy.contains("unsafe") && policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.contains("'sha256-RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o='"), "{policy}");
    }
}
