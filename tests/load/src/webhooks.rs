//! Notifications: the throughput for a backlog, the cost of a change with its delivery, the latency from a
//! change to its delivery, and the effect of a slow receiver on others.
//!
//! The floor is a simple loop that posts the same bytes to the same receiver, with 64 requests at a time.

mod figures;
mod floor;
mod latency;
pub(crate) mod receiver;
mod stage;

use std::time::Duration;

use crate::Failure;
use crate::client::send_repeatedly;
use crate::database::Database;
use figures::MeasuredInterval;
use latency::{LOW_RATE, measure_load};
use receiver::Receiver;
use stage::{HookFixture, MEASUREMENT_TIME_LIMIT, RECEIVER_PORTS, SLOW_HOOK};

/// Number of notifications in the backlog.
pub(crate) const BACKLOG: usize = 20_000;
/// Number of hooks that receive each change in the fan-out measurement.
const HOOKS_PER_CHANGE: usize = 10;
/// Number of changes in the fan-out measurement.
const FAN_OUT_CHANGES: usize = 2_000;
/// The response time of the slow receiver.
const SLOW_RESPONSE_TIME: Duration = Duration::from_secs(5);
/// Number of notifications that wait for the slow receiver.
const SLOW_BACKLOG: usize = 3_000;
/// Number of pending notifications in the first step of the memory measurement. The second step has many
/// more.
const MANY: usize = 1_000;
/// The number of large responses, and the size of each in bytes.
const LARGE_RESPONSES: usize = 60;
const LARGE_BODY_LENGTH: usize = 20 * 1024 * 1024;

/// The selected measurement: `all`, or one of the words in `measure`.
pub(crate) struct WebhookLoadOptions {
    pub(crate) only: String,
    pub(crate) length: Duration,
    pub(crate) rounds: usize,
    pub(crate) waiting: usize,
}

/// Measures on both databases and prints the tables of docs/benchmarks.md.
pub(crate) async fn measure(options: &WebhookLoadOptions, postgres: &str) -> Result<(), Failure> {
    let wants = |what: &str| options.only.is_empty() || options.only == what;
    println!("| database | what | | a second | CPU s per 1,000 (server + database) | |");
    println!("|---|---|---|---:|---:|---|");
    for number in 0..2 {
        let make = async || match number {
            0 => Database::create_sqlite(),
            _ => Database::create_postgres(postgres).await,
        };
        if wants("drain") {
            measure_drain(&make().await?, options.rounds).await?;
        }
        if wants("changes") {
            measure_changes(&make().await?, options).await?;
        }
        if wants("fan") {
            measure_fan_out(&make().await?).await?;
        }
        if wants("latency") {
            latency::measure_loads(&make().await?, options.length * 3, options.rounds).await?;
        }
        if wants("slow") {
            measure_next_to_slow_receiver(&make().await?, options.length).await?;
        }
        if wants("memory") {
            measure_memory(&make().await?, options).await?;
        }
        if wants("answers") {
            measure_large_responses(&make().await?).await?;
        }
    }
    Ok(())
}

/// Measures the delivery of a backlog that a disabled hook has collected. The measurement begins when the
/// hook is enabled. Rounds of the server and of the floor alternate.
async fn measure_drain(database: &Database, rounds: usize) -> Result<(), Failure> {
    let receiver = Receiver::start_process(RECEIVER_PORTS[0])?;
    let mut shares = Vec::new();
    let hooked = HookFixture::set_up(database, &["WRKR_ADD"], 1).await?;
    for round in 0..rounds {
        hooked.collect(&hooked.hooks(), BACKLOG, round).await?;
        let server = hooked.start_server().await?;
        let before = receiver.count().await?;
        let gap = MeasuredInterval::begin(&server, database)?;
        hooked.post_action("hook0", "enable").await?;
        let seconds =
            receiver.wait_for_count(before + BACKLOG as u64, gap.began, MEASUREMENT_TIME_LIMIT).await?;
        let cost = gap.cpu_per_thousand_items(&server, database, BACKLOG as f64)?;
        let speed = BACKLOG as f64 / seconds;
        drop(server);
        let floor = floor::measure_posts(RECEIVER_PORTS[0], BACKLOG).await?;
        shares.push(speed / floor.per_second);
        let name = database.name();
        println!("| {name} | a backlog of {BACKLOG} deliveries | server | {speed:.0} | {cost:.3} | |");
        println!(
            "| {name} | the same bytes, a bare loop | floor | {:.0} | {:.3} | share {:.2} |",
            floor.per_second,
            floor.cpu_per_thousand_items,
            speed / floor.per_second
        );
    }
    println!(
        "| {} | share, median of {rounds} | | **{:.2}** | | at least 0.25 |",
        database.name(),
        figures::median(&mut shares)
    );
    Ok(())
}

/// Measures deliveries that are each caused by a separate change over HTTP.
async fn measure_changes(database: &Database, options: &WebhookLoadOptions) -> Result<(), Failure> {
    let receiver = Receiver::start_process(RECEIVER_PORTS[0])?;
    let hooked = HookFixture::set_up(database, &["WRKR_DEM", "CLT_ORG"], 1).await?;
    let renames = {
        let _server = hooked.start_server().await?;
        hooked.rename_requests().await?
    };
    for (name, requests) in
        [("moving workers", hooked.move_requests_of_companies()), ("renaming organizations", renames)]
    {
        let server = hooked.start_server().await?;
        let before = receiver.count().await?;
        let gap = MeasuredInterval::begin(&server, database)?;
        let run = send_repeatedly(stage::OPERATOR, &requests, options.length).await?;
        let seconds =
            receiver.wait_for_count(before + run.requests, gap.began, MEASUREMENT_TIME_LIMIT).await?;
        let cost = gap.cpu_per_thousand_items(&server, database, run.requests as f64)?;
        println!(
            "| {} | {name}, and it is delivered | server | {:.0} | {cost:.3} | changes {:.0}/s, p50 {:.2} ms |",
            database.name(),
            run.requests as f64 / seconds,
            run.requests as f64 / run.seconds,
            run.latencies_micros.value_at_quantile(0.5) as f64 / 1_000.0,
        );
    }
    Ok(())
}

/// Measures changes that are sent to ten hooks each.
async fn measure_fan_out(database: &Database) -> Result<(), Failure> {
    let receiver = Receiver::start_process(RECEIVER_PORTS[0])?;
    let hooked = HookFixture::set_up(database, &["WRKR_ADD"], HOOKS_PER_CHANGE).await?;
    hooked.collect(&hooked.hooks(), FAN_OUT_CHANGES, 0).await?;
    let server = hooked.start_server().await?;
    let before = receiver.count().await?;
    let gap = MeasuredInterval::begin(&server, database)?;
    for hook in hooked.hooks() {
        hooked.post_action(hook, "enable").await?;
    }
    let deliveries = FAN_OUT_CHANGES * HOOKS_PER_CHANGE;
    let seconds =
        receiver.wait_for_count(before + deliveries as u64, gap.began, MEASUREMENT_TIME_LIMIT).await?;
    let cost = gap.cpu_per_thousand_items(&server, database, deliveries as f64)?;
    println!(
        "| {} | {FAN_OUT_CHANGES} changes to {HOOKS_PER_CHANGE} hooks each | server | {:.0} | {cost:.3} | at least 12,000 |",
        database.name(),
        deliveries as f64 / seconds
    );
    Ok(())
}

/// Measures the latency of a hook while the receiver of another hook responds after several seconds.
async fn measure_next_to_slow_receiver(database: &Database, length: Duration) -> Result<(), Failure> {
    let hooked = HookFixture::set_up(database, &["WRKR_DEM"], 1).await?;
    hooked.add_slow_hook().await?;
    for (round, trickle) in [false, true].into_iter().enumerate() {
        let _slow = Receiver::listen_slowly(RECEIVER_PORTS[1], SLOW_RESPONSE_TIME, trickle).await?;
        hooked.collect(&[SLOW_HOOK], SLOW_BACKLOG, round).await?;
        let _server = hooked.start_server().await?;
        hooked.post_action(SLOW_HOOK, "enable").await?;
        let waits = measure_load(&hooked, LOW_RATE, round, length * 3).await?;
        let how = if trickle { "sends a byte a second" } else { "answers after 5 s" };
        println!(
            "| {} | next to {SLOW_BACKLOG} to a receiver that {how} | server | | | {} |",
            database.name(),
            waits.summary()
        );
    }
    Ok(())
}

/// Measures memory and latency with very many pending notifications.
async fn measure_memory(database: &Database, options: &WebhookLoadOptions) -> Result<(), Failure> {
    let hooked = HookFixture::set_up(database, &["WRKR_DEM"], 1).await?;
    hooked.add_slow_hook().await?;
    let steps = [(MANY, MANY), (options.waiting, options.waiting.saturating_sub(MANY))];
    for (round, (waiting, more)) in steps.into_iter().enumerate() {
        let _slow = Receiver::listen_slowly(RECEIVER_PORTS[1], SLOW_RESPONSE_TIME, false).await?;
        hooked.insert_pending_deliveries(more).await?;
        let server = hooked.start_server().await?;
        let waits = measure_load(&hooked, LOW_RATE, round, options.length * 2).await?;
        let peak = crate::report::megabytes(server.peak_kilobytes()?);
        println!(
            "| {} | next to {waiting} pending | server | | | {}; at most {peak:.1} MB |",
            database.name(),
            waits.summary(),
        );
    }
    Ok(())
}

/// Measures memory with responses of 20 MiB, 60 at a time.
async fn measure_large_responses(database: &Database) -> Result<(), Failure> {
    let large = Receiver::listen_with_large_responses(RECEIVER_PORTS[1], LARGE_BODY_LENGTH).await?;
    let hooked = HookFixture::set_up(database, &["WRKR_DEM"], 1).await?;
    hooked.add_slow_hook().await?;
    hooked.collect(&[SLOW_HOOK], LARGE_RESPONSES, 0).await?;
    let server = hooked.start_server().await?;
    let before = server.resident_kilobytes()?;
    hooked.post_action(SLOW_HOOK, "enable").await?;
    large.wait_for_responses(LARGE_RESPONSES as u64, MEASUREMENT_TIME_LIMIT).await?;
    println!(
        "| {} | {LARGE_RESPONSES} responses of 20 MiB | server | | | VmRSS {:.1} MB before, at most {:.1} MB |",
        database.name(),
        crate::report::megabytes(before),
        crate::report::megabytes(server.peak_kilobytes()?),
    );
    Ok(())
}
