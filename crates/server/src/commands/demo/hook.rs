//! The demo's receiver of notifications, and the hook that sends notifications to this receiver.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use hyper::StatusCode;
use payroll_domain::SecretText;
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookKey, SigningSecret,
};
use payroll_ports::Store;
use payroll_ports::hooks::NewHook;
use payroll_ports::secrets::new_signing_secret;
use payroll_ports::write::AuditContext;

use crate::commands::context::CommandContext;
use crate::config::{AddressList, Settings};
use crate::failure::{Failure, Outcome};
use crate::receiver::{Receiver, ReplySettings};
use crate::webhooks;

/// The id of the demo's hook.
pub(super) const HOOK_ID: &str = "demo";
/// The reply of the receiver, which accepts every notification immediately.
pub(super) const REPLY_SETTINGS: ReplySettings =
    ReplySettings { status: StatusCode::NO_CONTENT, delay: Duration::ZERO, forwarding: None };

/// The host name of the receiver. The address of a hook must not contain a port, so the settings map this
/// name to an address and a port.
const RECEIVER_HOST: &str = "receiver.demo";
/// A host name for the user's own receiver, and its port on this machine. The settings can map the name to
/// another port.
const USER_RECEIVER_HOST: &str = "mine.demo";
const USER_RECEIVER_PORT: u16 = 9000;
/// The API key that the hook sends in addition to the signature. The receiver ignores this key.
const API_KEY: &str = "demo";

/// Binds the receiver to a free port, and maps its host name to that port.
pub(super) async fn bind_receiver(settings: &mut Settings) -> Outcome<Receiver> {
    let receiver = Receiver::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    settings.webhook_hosts.0.insert(RECEIVER_HOST.to_owned(), receiver.address());
    let own = SocketAddr::from((Ipv4Addr::LOCALHOST, USER_RECEIVER_PORT));
    settings.webhook_hosts.0.entry(USER_RECEIVER_HOST.to_owned()).or_insert(own);
    settings.webhook_allow_http = true;
    settings.webhook_source_addresses = AddressList::default();
    Ok(receiver)
}

/// Registers the hook, or rotates the secret of an existing hook. Returns the new signing secret.
pub(super) async fn register_hook(
    context: &CommandContext<'_>,
    store: &dyn Store,
    application_id: &str,
) -> Outcome<SigningSecret> {
    let impossible = || Failure::new("the demo's hook cannot be registered");
    let application_id = application_id.parse().map_err(|_| impossible())?;
    let key = HookKey { application_id, hook_id: HOOK_ID.parse().map_err(|_| impossible())? };
    let secret = new_signing_secret(&*context.randomness);
    let now = context.clock.now();
    let audit = AuditContext::for_command("demo", now);
    // An existing hook gets a new secret, because this process does not know the value of the old secret.
    if store.rotate_signing_secret(&key, secret, now, &audit).await?.is_some() {
        store.set_hook_active(&key, true, &audit).await?;
        return Ok(secret);
    }
    let rules = webhooks::hook_settings(&context.settings).rules;
    let address =
        Address::parse_receiver(&format!("http://{RECEIVER_HOST}/"), &rules).map_err(|_| impossible())?;
    let hook = Hook {
        key,
        company_id: None,
        address,
        domains: EventDomain::ALL.to_vec(),
        auth_type: AuthType::ApiKey,
        active: true,
        delivery: DeliveryOptions::default(),
        created: now,
        version: now.as_micros(),
    };
    let authentication =
        Authentication::ApiKey { header: "x-api-key".to_owned(), key: SecretText::new(API_KEY) };
    let new = NewHook { hook, authentication, signing_secret: secret };
    store.add_hook(&new, context.settings.max_hooks, &audit).await?.map_err(|_| impossible())?;
    Ok(secret)
}
