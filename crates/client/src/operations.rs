//! The operations with typed objects. For all other operations, see [`Client::list`] and [`Client::get`].

use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::error::Error;
use crate::list::{List, Page};
use crate::request::{Request, path};
use crate::types::{
    Check, CheckInput, CheckLineInput, Company, Envelope, Event, EventPage, Hook, HookInput, PayComponent,
    PayPeriod, Worker,
};

/// The media type of a list of checks, in the short form of [`Request::content_type`].
const CHECKS_MEDIA_TYPE: &str = "vendor/payroll.checks";

/// The number of events in a page of the feed, the maximum that the server sends.
const EVENTS_PER_PAGE: u32 = 1_000;

/// Operations of companies and workers.
impl Client {
    /// Lists the companies that your application has access to.
    pub fn companies(&self) -> List<Company> {
        self.list("/companies")
    }

    /// Reads a company by its id.
    ///
    /// # Errors
    /// See [`Error`]. An unknown company is a rejection with status 404.
    pub async fn company(&self, company_id: &str) -> Result<Company, Error> {
        send_for_single_object(self.get(path(&["companies", company_id]))).await
    }

    /// Lists the workers of a company. Filters: `status`, `familyname`, `givenname`, `employeeid`,
    /// `locationid`, `from`, `to`.
    pub fn workers(&self, company_id: &str) -> List<Worker> {
        self.list(path(&["companies", company_id, "workers"]))
    }

    /// Reads a worker by its id.
    ///
    /// # Errors
    /// See [`Error`]. An unknown worker is a rejection with status 404.
    pub async fn worker(&self, worker_id: &str) -> Result<Worker, Error> {
        send_for_single_object(self.get(path(&["workers", worker_id]))).await
    }

    /// Lists the pay periods of a company. Filters: `status`, `from`, `to`.
    pub fn pay_periods(&self, company_id: &str) -> List<PayPeriod> {
        self.list(path(&["companies", company_id, "payperiods"]))
    }

    /// Lists the pay periods of a company that accept checks.
    pub fn open_pay_periods(&self, company_id: &str) -> List<PayPeriod> {
        self.pay_periods(company_id).query("status", "INITIAL").query("status", "ENTRY")
    }

    /// Lists the pay components of a company. Filters: `name`, `effectonpay`, `classificationtype`.
    pub fn pay_components(&self, company_id: &str) -> List<PayComponent> {
        self.list(path(&["companies", company_id, "paycomponents"]))
    }
}

/// Operations of checks and their lines.
impl Client {
    /// Lists the checks of a pay period. The filter `filterbyuserid` with `true` selects your own checks.
    pub fn checks(&self, company_id: &str, pay_period_id: &str) -> List<Check> {
        self.list(path(&["companies", company_id, "checks"])).query("payperiodid", pay_period_id)
    }

    /// Lists the checks of a worker in a pay period.
    pub fn checks_of_worker(&self, worker_id: &str, pay_period_id: &str) -> List<Check> {
        self.list(path(&["workers", worker_id, "checks"])).query("payperiodid", pay_period_id)
    }

    /// Reads a check by its id.
    ///
    /// # Errors
    /// See [`Error`]. An unknown check is a rejection with status 404.
    pub async fn check(&self, worker_id: &str, paycheck_id: &str) -> Result<Check, Error> {
        send_for_single_object(self.get(path(&["workers", worker_id, "checks", paycheck_id]))).await
    }

    /// Adds up to 100 checks of one open pay period. The server stores all checks. If one check has an error,
    /// the server stores none of them. If you repeat the call with the same `idempotency_key` and checks, you
    /// get the first response, and nothing is paid twice.
    ///
    /// # Errors
    /// See [`Error`]. A rejection contains all errors of the batch, each with a pointer to its position.
    pub async fn add_checks(
        &self,
        company_id: &str,
        idempotency_key: &str,
        checks: &[CheckInput],
    ) -> Result<Vec<Check>, Error> {
        let request =
            self.post(path(&["companies", company_id, "checks"]), checks).content_type(CHECKS_MEDIA_TYPE);
        send_for_objects(request.idempotency_key(idempotency_key)).await
    }

    /// Validates checks against the current data and stores nothing. Returns the checks that would be added,
    /// without ids.
    ///
    /// # Errors
    /// The errors are the same as those of [`Client::add_checks`].
    pub async fn preview_checks(&self, company_id: &str, checks: &[CheckInput]) -> Result<Vec<Check>, Error> {
        let request =
            self.post(path(&["companies", company_id, "checks"]), checks).content_type(CHECKS_MEDIA_TYPE);
        send_for_objects(request.query("dryrun", "true")).await
    }

    /// Adds a line to a check in an open pay period. Returns the complete check.
    ///
    /// # Errors
    /// See [`Error`]. A rejection has pointers into the line.
    pub async fn add_check_line(
        &self,
        paycheck_id: &str,
        idempotency_key: &str,
        line: &CheckLineInput,
    ) -> Result<Check, Error> {
        let request = self.post(path(&["checks", paycheck_id, "checkcomponents"]), line);
        send_for_single_object(request.idempotency_key(idempotency_key)).await
    }

    /// Deletes a check in an open pay period.
    ///
    /// # Errors
    /// See [`Error`]. An unknown check is a rejection with status 404.
    pub async fn delete_check(&self, worker_id: &str, paycheck_id: &str) -> Result<(), Error> {
        self.delete(path(&["workers", worker_id, "checks", paycheck_id])).json().await
    }
}

/// Operations of hooks and events. These operations need the scopes `read:webhooks` and `write:webhooks`.
impl Client {
    /// Reads all hooks of your application.
    ///
    /// # Errors
    /// See [`Error`]: a rejection, or a failure of the connection.
    pub async fn hooks(&self) -> Result<Vec<Hook>, Error> {
        self.get("/management/hooks").json().await
    }

    /// Registers a hook. Only this response contains the signing secret.
    ///
    /// # Errors
    /// See [`Error`]. A rejection describes the rule that the address violates.
    pub async fn register_hook(&self, idempotency_key: &str, hook: &HookInput) -> Result<Hook, Error> {
        self.post("/management/hooks", hook).idempotency_key(idempotency_key).json().await
    }

    /// Enables a hook that was disabled after failed attempts. Its pending notifications are due at once.
    ///
    /// # Errors
    /// See [`Error`]. An unknown hook is a rejection with status 404.
    pub async fn enable_hook(&self, hook_id: &str) -> Result<Hook, Error> {
        self.bodyless_request(path(&["management", "hooks", hook_id, "enable"])).json().await
    }

    /// Creates a new signing secret, which only this response contains. The old secret is valid for 24 hours.
    ///
    /// # Errors
    /// See [`Error`]. An unknown hook is a rejection with status 404.
    pub async fn rotate_hook_secret(&self, hook_id: &str) -> Result<Hook, Error> {
        self.bodyless_request(path(&["management", "hooks", hook_id, "rotate-secret"])).json().await
    }

    /// Sends a signed test notification to the receiver of a hook. Returns the delivery.
    ///
    /// # Errors
    /// See [`Error`]. An unknown hook is a rejection with status 404.
    pub async fn test_hook(&self, hook_id: &str) -> Result<serde_json::Value, Error> {
        self.bodyless_request(path(&["management", "hooks", hook_id, "test"])).json().await
    }

    /// Deletes a hook and its pending notifications.
    ///
    /// # Errors
    /// See [`Error`]. An unknown hook is a rejection with status 404.
    pub async fn delete_hook(&self, hook_id: &str) -> Result<(), Error> {
        self.delete(path(&["management", "hooks", hook_id])).json().await
    }

    /// Reads the events after a cursor, or without a cursor from the beginning of the feed, which goes back
    /// 90 days by default. To continue, call this function with the cursor of the page. If the page has
    /// events, continue immediately. If the page is empty, wait first.
    ///
    /// # Errors
    /// See [`Error`]. A cursor that is too old is a rejection with status 410.
    pub async fn events(&self, cursor: Option<&str>) -> Result<EventPage, Error> {
        let mut request = self.get("/management/events").query("limit", EVENTS_PER_PAGE);
        if let Some(cursor) = cursor {
            request = request.query("after", cursor);
        }
        let page: Page<Event> = request.json().await?;
        Ok(EventPage::new(page.content, &page.links))
    }

    fn bodyless_request(&self, path: String) -> Request {
        Request::new(self, crate::request::Method::Post, path)
    }
}

/// Sends a request and returns the objects in the envelope of the response.
async fn send_for_objects<T: DeserializeOwned>(request: Request) -> Result<Vec<T>, Error> {
    Ok(request.json::<Envelope<T>>().await?.content)
}

/// Sends a request and returns the first object in the envelope of the response.
async fn send_for_single_object<T: DeserializeOwned>(request: Request) -> Result<T, Error> {
    let first = send_for_objects(request).await?.into_iter().next();
    first.ok_or_else(|| Error::Response("its content is empty".to_owned()))
}
