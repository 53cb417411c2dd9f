//! The suite that every store must pass.
//!
//! From a test of an adapter, go through [`ALL`] and run each promise on a fresh, empty store:
//!
//! ```text
//! for (name, promise) in payroll_ports::contract::ALL {
//!     println!("{name}");
//!     promise(open_empty_store().await).await;
//! }
//! ```
//!
//! A promise that is not kept panics, as a failing test does.

#![expect(clippy::unwrap_used, clippy::panic, reason = "this module is test code that adapters call")]

mod applications;
mod checks;
mod companies;
mod idempotency;
mod import;
pub mod world;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::Store;

/// A promise of the ports, checked on a fresh and empty store.
pub type Promise = fn(Arc<dyn Store>) -> BoxFuture<'static, ()>;

/// Lists promises under their names.
macro_rules! promises {
    ($($module:ident::$name:ident,)*) => {
        /// Every promise with its name.
        pub const ALL: &[(&str, Promise)] =
            &[$((stringify!($name), |store| Box::pin($module::$name(store)))),*];
    };
}

promises! {
    applications::credentials_are_those_of_the_newest_two_secrets,
    applications::names_and_keys_are_taken_once,
    applications::what_is_taken_away_shows_in_the_next_access,
    applications::a_grant_raises_the_access_version,
    companies::only_companies_with_read_companies_are_listed,
    companies::a_display_key_filters_the_list,
    companies::a_window_cuts_the_list_and_keeps_the_total,
    companies::lineage_shows_only_what_the_caller_may_see,
    companies::an_unknown_company_has_no_access_and_no_view,
    companies::lists_come_back_as_they_were_imported,
    companies::a_custom_field_is_added_once,
    checks::checks_come_back_as_they_were_added_in_order,
    checks::a_window_of_checks_is_cut_from_the_same_order,
    checks::only_own_checks_are_those_of_the_application,
    checks::a_closed_period_takes_no_check,
    checks::a_locked_company_takes_no_check_until_the_lock_ends,
    checks::a_period_in_processing_locks_its_company,
    checks::an_ended_company_takes_no_check,
    checks::one_unknown_worker_refuses_the_whole_batch,
    checks::an_id_that_is_taken_refuses_the_whole_batch,
    checks::correlation_ids_may_last_for_the_pay_period,
    checks::facts_hold_what_is_wanted_and_no_more,
    checks::processed_checks_come_back_as_they_were_imported,
    checks::many_checks_are_streamed_in_order_from_one_snapshot,
    checks::an_answer_and_its_total_are_of_one_moment,
    checks::writers_of_one_period_do_not_lose_each_other,
    idempotency::of_a_hundred_at_once_one_is_fresh,
    idempotency::a_kept_answer_comes_back_to_the_byte,
    idempotency::a_released_or_ended_mark_is_free_again,
    idempotency::a_lost_mark_stores_nothing,
    idempotency::expired_keys_are_forgotten,
    import::importing_again_changes_nothing,
    import::a_change_is_counted_and_raises_versions,
    import::a_locked_company_is_not_imported,
    import::an_id_of_another_company_is_refused,
    import::a_reference_to_nothing_is_refused,
    import::a_company_below_itself_is_refused,
    import::tax_identities_come_back_whole,
}
