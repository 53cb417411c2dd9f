//! The arguments of the command `listen`.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};

use clap::Args;
use clap::builder::ValueParser;
use payroll_domain::SecretText;

use super::port::parse_port;

/// The maximum delay in milliseconds, which is several times as long as the timeout of any sender.
const MAX_DELAY_MILLISECONDS: i64 = 600_000;

/// The arguments of the command `listen`.
#[derive(Debug, Args)]
pub struct ListenArguments {
    /// The port on which to receive notifications. 0 selects a free port.
    #[arg(long, value_name = "PORT", value_parser = parse_port)]
    pub port: u16,
    /// The IP address to listen on. By default, only programs on this machine can connect.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub address: IpAddr,
    /// The hook's signing secret, whsec_…, or a public key of the server, whpk_…, to verify signatures. Set
    /// PAYROLL_SIGNING_SECRET instead if others can read the command line.
    #[arg(long, value_name = "SECRET", value_parser = ValueParser::from(parse_secret))]
    pub secret: Option<SecretText>,
    /// Respond to each notification with this HTTP status.
    #[arg(long, value_name = "CODE", default_value_t = 204, value_parser = clap::value_parser!(u16).range(200..=599))]
    pub status: u16,
    /// Wait this number of milliseconds before each response.
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=MAX_DELAY_MILLISECONDS))]
    pub delay: u32,
    /// Forward each notification to a program at this URL, and respond with its status, or with 502 if it
    /// does not respond.
    #[arg(long, value_name = "URL", conflicts_with = "status")]
    pub forward_to: Option<String>,
    /// Print each notification as a JSON object on one line.
    #[arg(long)]
    pub json: bool,
    /// The hook to register, if there is one.
    #[command(flatten)]
    pub registering: RegistrationArguments,
}

/// The arguments for the hook that is registered for the receiver while it runs.
#[derive(Debug, Args)]
pub struct RegistrationArguments {
    /// Register a hook at the partner API at this address, and remove it at the end. The application's secret
    /// is in PAYROLL_CLIENT_SECRET.
    #[arg(long, value_name = "URL", requires_all = ["hook_uri", "client_id"], conflicts_with = "secret")]
    pub register: Option<String>,
    /// The URL at which the server reaches this receiver. For a receiver on port 9000 and the demo:
    /// `http://mine.demo/`.
    #[arg(long, value_name = "URL", requires = "register")]
    pub hook_uri: Option<String>,
    /// The application's API key.
    #[arg(long, value_name = "ID", requires = "register")]
    pub client_id: Option<String>,
    /// The event domains, separated by commas, such as WRKR_ADD,CLT_PYRN. Default: all.
    #[arg(long, value_name = "DOMAINS", value_delimiter = ',', requires = "register")]
    pub domains: Vec<String>,
}

/// Accepts any secret. The secret is validated later, because clap repeats a rejected argument in its error
/// text.
fn parse_secret(text: &str) -> Result<SecretText, Infallible> {
    Ok(SecretText::new(text))
}
