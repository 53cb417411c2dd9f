//! The page that the demo prints: addresses, secrets and command lines to paste, each with a description.

use std::fmt;
use std::io::Write;

use super::hook::HOOK_ID;
use crate::demo_data::{COMPANY_ID, HOURLY_COMPONENT_ID, OPEN_PERIOD_ID, PERIOD_ID_TO_COMPLETE, WORKER_ID};
use crate::failure::Outcome;

/// The start of every curl command line on the page. This format makes curl print the HTTP status at the end
/// of its output.
const CURL_COMMAND: &str = r"curl -sS -w '\nHTTP %{http_code}\n'";

/// The values that the printed page contains: addresses, credentials and secrets.
pub(super) struct DemoPage {
    pub(super) base: String,
    pub(super) operator: String,
    pub(super) vendor: String,
    pub(super) client_id: String,
    pub(super) client_secret: String,
    pub(super) operator_key: String,
    pub(super) signing_secret: String,
}

impl DemoPage {
    /// Prints the complete page.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(super) fn print(&self, out: &mut dyn Write) -> Outcome {
        writeln!(out, "{self}")?;
        Ok(out.flush()?)
    }

    /// Returns the command line that adds these checks. A repetition of this command adds nothing, because
    /// the idempotency key is the same.
    fn add_command_line(&self, idempotency_key: &str, checks: &str) -> String {
        let (base, vendor) = (&self.base, &self.vendor);
        format!(
            "{CURL_COMMAND} {base}/companies/{COMPANY_ID}/checks -H \"Authorization: Bearer $TOKEN\" \
             -H 'Content-Type: application/vnd.{vendor}.payroll.checks.v1+json' \
             -H 'Idempotency-Key: {idempotency_key}' -d '{checks}'"
        )
    }

    /// Returns the command line for a request of an operator. `below` is the path below `/operator/v1`.
    fn operator_command_line(&self, request: &str, below: &str) -> String {
        let (operator, key) = (&self.operator, &self.operator_key);
        format!("{CURL_COMMAND} {request} -H 'Authorization: Bearer {key}' {operator}/operator/v1{below}")
    }

    /// Writes the command lines of partners. Each line can be pasted repeatedly.
    fn write_partner_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base, client_id, client_secret, .. } = self;
        let form = format!(
            "-d grant_type=client_credentials -d client_id={client_id} -d client_secret={client_secret}"
        );
        write!(
            f,
            r#"# Get a token for the commands below (200)
TOKEN=$({CURL_COMMAND} {base}/auth/oauth/v2/token {form} | tee /dev/stderr | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')

# List the companies that the token gives access to (200)
{CURL_COMMAND} {base}/companies -H "Authorization: Bearer $TOKEN"

# Add a check (201). If you paste it again, you get the same response, and nothing is paid twice (201)
{good}

# Add two checks with several faults: nothing is stored (400)
{bad}
"#,
            good = self.add_command_line("demo-1", &valid_checks(OPEN_PERIOD_ID)),
            bad = self.add_command_line("demo-2", &invalid_checks()),
        )
    }

    /// Writes the command lines of operators, and describes the effect that partners see.
    fn write_operator_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worker = format!("/companies/{COMPANY_ID}/workers/{WORKER_ID}");
        let period = format!("/companies/{COMPANY_ID}/payperiods/{PERIOD_ID_TO_COMPLETE}");
        let patch = "-X PATCH -H 'Content-Type: application/merge-patch+json' -H 'If-Match: *'";
        write!(
            f,
            r#"# Replace the addresses of a worker who moves (200). Within a second the notification appears below this page,
# where the demo runs. If you paste it again, nothing changes and nothing is sent (200)
{moves} -d '{address}'

# Add a check to the pay period that ends, as the partner (201). Again: the same response (201)
{check}

# Close the period, which locks its company until the completion (200). After the completion: 409
{process}

# Complete the period. The amounts of each check are computed and shown to partners, who are notified (200). Again: 409
{complete}

# Read the checks as the partner, with gross and net (200)
{CURL_COMMAND} "{base}/companies/{COMPANY_ID}/checks?payperiodid={PERIOD_ID_TO_COMPLETE}" -H "Authorization: Bearer $TOKEN"

# List the events of the company, oldest first. The last two are from the commands above: WRKR_DEM, CLT_PYRN (200)
{events}
"#,
            base = self.base,
            moves = self.operator_command_line(patch, &worker),
            address = ADDRESS_CHANGE,
            check = self.add_command_line("demo-3", &valid_checks(PERIOD_ID_TO_COMPLETE)),
            process = self.operator_command_line("-X POST", &format!("{period}/process")),
            complete = self.operator_command_line("-X POST", &format!("{period}/complete")),
            events = self.operator_command_line("-X GET", &format!("/events?companyid={COMPANY_ID}")),
        )
    }

    /// Writes the command lines about notifications.
    fn write_receiver_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks = format!("{}/management/hooks", self.base);
        let authorization = r#"-H "Authorization: Bearer $TOKEN""#;
        write!(
            f,
            r#"# List the partner's hooks: the hook of the demo's receiver (200)
{CURL_COMMAND} {hooks} {authorization}

# List the deliveries of the hook, newest first, with their attempts (200)
{CURL_COMMAND} "{hooks}/{HOOK_ID}/deliveries?limit=3" {authorization}

# Send a test notification. It appears in the list of deliveries (202)
{CURL_COMMAND} -X POST {hooks}/{HOOK_ID}/test {authorization}
"#
        )
    }
}

impl fmt::Display for DemoPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base, operator, client_id, client_secret, operator_key, signing_secret, .. } = self;
        write!(
            f,
            "A payroll API with fictitious companies.\n\n  \
               base address   {base}\n  \
               client_id      {client_id}\n  \
               client_secret  {client_secret}\n  \
               operator       {operator}\n  \
               operator_key   {operator_key}\n  \
               console        {operator}/ (signed in with the operator_key)\n  \
               portal         {base}/portal/ (signed in with client_id and client_secret)\n  \
               mcp            {base}/mcp and {operator}/mcp, for programs that use tools\n  \
               signing_secret {signing_secret}\n  \
               reference      {base}/docs/\n\n\
             Paste these commands into another terminal, in this order. You can paste each one again.\n\n"
        )?;
        self.write_partner_lines(f)?;
        f.write_str(
            "\nThe operator API changes data that partners read. It has its own address and key.\n\n",
        )?;
        self.write_operator_lines(f)?;
        f.write_str("\nThe demo also receives notifications, for a hook of the partner.\n\n")?;
        self.write_receiver_lines(f)?;
        f.write_str("\nNotifications are shown below as they arrive. Ctrl-C stops the demo.")
    }
}

/// The request body with the new address of the worker.
const ADDRESS_CHANGE: &str = r#"{"communications":[{"type":"STREET_ADDRESS","usageType":"HOME","streetLineOne":"77 Sample Street","city":"SAMPLETON","countrySubdivisionCode":"NY","postalCode":"00000","countryCode":"US"}]}"#;

/// Returns a check that passes every rule.
fn valid_checks(period_id: &str) -> String {
    format!(
        r#"[{{"payPeriodId":"{period_id}","workerId":"{WORKER_ID}","checkCorrelationId":"demo-1","earnings":[{{"componentId":"{HOURLY_COMPONENT_ID}","payHours":"8"}}]}}]"#
    )
}

/// Returns two checks with faults: an unknown worker, an amount that is too large, an unknown component, and
/// the same correlation id.
fn invalid_checks() -> String {
    format!(
        r#"[{{"payPeriodId":"{OPEN_PERIOD_ID}","workerId":"NOBODY","checkCorrelationId":"demo-2","earnings":[{{"componentId":"{HOURLY_COMPONENT_ID}","payHours":"8"}}]}},{{"payPeriodId":"{OPEN_PERIOD_ID}","workerId":"{WORKER_ID}","checkCorrelationId":"demo-2","earnings":[{{"componentId":"{HOURLY_COMPONENT_ID}","payAmount":"10000"}},{{"componentId":"NOTHING","payHours":"1"}}]}}]"#
    )
}
