//! Tests an application with a store that was opened outside the server.

use std::sync::Arc;

use payroll_server::app;
use payroll_server::config::{DatabaseUrl, Setting};
use reqwest::Method;

use crate::support::{
    Client, ManualClock, OPERATOR_KEY, RepeatableRandomness, Request, Settings, on_every_database_kind, open,
    settings,
};

/// Returns a database URL that cannot be reached. The server must use the given store instead.
fn unreachable_database() -> DatabaseUrl {
    DatabaseUrl::read("/nowhere/payroll.db").expect("an address")
}

#[test]
fn the_app_runs_on_a_given_store_instead_of_its_database_url() {
    on_every_database_kind(async |database| {
        let settings = Settings { database_url: unreachable_database(), ..settings(database) };
        let (clock, chance) = (Arc::new(ManualClock::new()), Arc::new(RepeatableRandomness::new()));
        let built =
            app::build_app_on_store(&settings, clock, chance, async |_keys| Ok(open(database).await)).await;
        let app = built.unwrap_or_else(|failure| panic!("{failure}"));
        let operator = Client::new(&format!("http://{}", app.operator_address()));
        let stopper = app.stop_handle();
        let running = tokio::spawn(app.run());
        let key = format!("Bearer {OPERATOR_KEY}");
        let response = operator.send(&Request::operator(Method::GET, "/companies"), Some(&key)).await;
        assert_eq!(response.expect("an answer").members("companyId").len(), 9);
        stopper.stop().await;
        running.await.expect("it ends").unwrap_or_else(|failure| panic!("{failure}"));
    });
}
