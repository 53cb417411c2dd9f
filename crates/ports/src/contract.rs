//! The contract tests that every store must pass.
//!
//! In a test of an adapter, iterate over [`ALL`] and run each test on a new, empty store:
//!
//! ```text
//! for (name, promise) in payroll_ports::contract::ALL {
//!     println!("{name}");
//!     promise(open_empty_store().await).await;
//! }
//! ```
//!
//! A failing test panics. While you develop an adapter, you can run the tests of one area ([`of`]), or those of
//! a single trait ([`of_operator_keys`], [`of_schema`]).

#![expect(clippy::unwrap_used, clippy::panic, reason = "this module is test code that adapters call")]

mod access_requests;
mod applications;
mod archive;
mod audit;
mod bulk;
mod check_changes;
mod checks;
mod companies;
mod completion_requests;
mod creation;
mod deliveries_log;
mod disclosures;
mod due_statuses;
mod editing;
mod events;
mod export;
mod files;
mod fitting;
mod grants;
mod hooks;
mod idempotency;
mod import;
mod locks;
mod modified;
mod operator_keys;
mod operator_sessions;
mod periods;
mod queue;
mod removals;
mod requests;
mod resources;
mod reversals;
mod sandbox;
mod schema;
mod search;
mod setup;
mod totals;
mod workers;
pub mod world;
mod writing;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::Store;
use crate::operator_keys::OperatorKeyStore;
use crate::schema::SchemaStore;

/// A contract test, which runs on a new and empty store of that type.
pub type PromiseOf<S> = fn(Arc<S>) -> BoxFuture<'static, ()>;
/// A test that needs a complete store.
pub type Promise = PromiseOf<dyn Store>;

/// Lists contract tests with their names.
macro_rules! promises {
    ($($module:ident::$name:ident,)*) => {
        /// Every contract test with its name.
        pub const ALL: &[(&str, Promise)] =
            &[$((stringify!($name), |store| Box::pin($module::$name(store)))),*];

        /// The area of each test, in the order of [`ALL`].
        const AREAS: &[&str] = &[$(stringify!($module)),*];
    };
}

/// The tests of one area with their names. Areas are the submodules, such as `checks`, `grants` or `queue`.
/// An unknown area has no tests.
pub fn of(area: &str) -> impl Iterator<Item = (&'static str, Promise)> {
    AREAS.iter().zip(ALL).filter(move |(its, _)| **its == area).map(|(_, promise)| *promise)
}

/// The tests that a store for operator keys alone must pass.
#[must_use]
pub fn of_operator_keys<S: OperatorKeyStore + 'static>() -> [(&'static str, PromiseOf<S>); 5] {
    [
        ("a_key_is_found_by_its_value_until_it_is_revoked", |store| {
            Box::pin(operator_keys::a_key_is_found_by_its_value_until_it_is_revoked(store))
        }),
        ("a_name_of_a_key_is_taken_once", |store| {
            Box::pin(operator_keys::a_name_of_a_key_is_taken_once(store))
        }),
        ("a_key_keeps_its_operator_role_companies_and_expiry", |store| {
            Box::pin(operator_keys::a_key_keeps_its_operator_role_companies_and_expiry(store))
        }),
        ("an_operator_has_one_spelling", |store| {
            Box::pin(operator_keys::an_operator_has_one_spelling(store))
        }),
        ("the_last_use_of_a_key_never_goes_back", |store| {
            Box::pin(operator_keys::the_last_use_of_a_key_never_goes_back(store))
        }),
    ]
}

/// The test that a store for the schema alone must pass.
#[must_use]
pub fn of_schema<S: SchemaStore + 'static>() -> [(&'static str, PromiseOf<S>); 1] {
    [("the_pulse_tells_the_version_of_the_schema", |store| {
        Box::pin(schema::the_pulse_tells_the_version_of_the_schema(store))
    })]
}

promises! {
    access_requests::a_request_is_found_by_its_link_and_its_id_until_it_ends,
    access_requests::a_company_is_named_by_its_display_key,
    access_requests::a_new_request_takes_the_place_of_the_one_before_it,
    access_requests::what_is_granted_already_is_not_asked_for,
    access_requests::of_two_approvals_at_once_one_grants,
    access_requests::a_refused_request_is_used_up_and_grants_nothing,
    applications::credentials_are_those_of_the_newest_two_secrets,
    applications::a_new_secret_stays_whatever_the_clocks_say,
    applications::the_last_secret_may_be_dropped_too,
    applications::names_and_keys_are_taken_once,
    applications::an_application_is_changed_in_the_version_that_was_read,
    applications::a_disabled_application_shows_in_the_next_access,
    applications::a_deleted_application_leaves_nothing_and_its_name_is_free,
    applications::many_applications_come_in_the_order_of_their_creation,
    applications::a_lost_mark_makes_no_application,
    applications::scopes_of_an_application_are_those_of_its_grants_too,
    archive::an_archived_period_keeps_its_register_and_its_export,
    archive::an_archive_is_in_the_audit_trail,
    archive::old_processed_periods_with_checks_are_found_in_order,
    archive::a_period_is_archived_by_one_attempt_at_a_time,
    archive::only_processed_periods_are_archived,
    archive::a_period_that_has_changed_is_not_archived,
    archive::only_archived_checks_are_erased,
    archive::an_archived_check_is_not_changed_and_its_id_is_taken,
    archive::what_takes_back_a_check_is_archived_after_it,
    grants::a_grant_acts_on_the_next_access_and_raises_its_version,
    grants::a_grant_needs_its_application_and_its_company,
    grants::a_grant_that_changes_nothing_writes_nothing,
    grants::changes_of_a_grant_at_once_do_not_lose_each_other,
    grants::a_grant_is_changed_only_where_it_is_as_expected,
    grants::grants_are_listed_by_company,
    companies::only_companies_with_read_companies_are_listed,
    companies::a_display_key_filters_the_list,
    companies::a_window_cuts_the_list_and_keeps_the_total,
    companies::lineage_shows_only_what_the_caller_may_see,
    companies::an_unknown_company_has_no_access_and_no_view,
    companies::a_worker_leads_to_its_company,
    companies::lists_come_back_as_they_were_imported,
    companies::a_list_of_a_day_has_what_is_in_force_on_it,
    companies::a_custom_field_is_added_once,
    workers::a_page_of_workers_is_read_with_what_they_refer_to,
    workers::filters_of_workers_hold_together,
    workers::many_workers_are_streamed_in_order,
    modified::what_is_changed_is_found_from_its_instant_on,
    modified::an_import_that_changes_nothing_leaves_the_instant,
    modified::a_period_is_changed_by_its_checks,
    workers::one_worker_is_read_with_what_belongs_to_them,
    workers::the_pay_of_a_worker_is_read_with_what_was_paid_on_some_days,
    workers::deposits_that_wait_are_listed_with_what_they_belong_to,
    due_statuses::a_future_status_is_due_from_its_day_on,
    due_statuses::a_write_of_the_worker_recomputes_what_is_due,
    checks::checks_come_back_as_they_were_added_in_order,
    checks::a_window_of_checks_is_cut_from_the_same_order,
    checks::only_own_checks_are_those_of_the_application,
    checks::the_checks_of_a_worker_are_paged_among_themselves,
    checks::one_check_is_found_by_its_worker_alone,
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
    check_changes::a_changed_check_and_the_totals_of_its_period_agree,
    check_changes::a_check_that_has_changed_is_not_changed_again_unseen,
    check_changes::a_locked_company_has_no_check_changed,
    creation::objects_that_are_created_together_are_listed_in_their_order,
    creation::one_object_that_is_refused_leaves_none_created,
    removals::a_removed_check_is_gone_and_the_others_keep_their_order,
    removals::many_checks_with_gaps_are_streamed_whole,
    removals::an_application_removes_its_own_checks_and_no_other,
    removals::nothing_is_removed_from_what_is_closed_or_held,
    removals::a_correlation_id_is_free_again_once_its_check_is_removed,
    removals::every_removal_leaves_a_row_that_names_the_checks,
    removals::a_period_with_gaps_is_completed_and_takes_imported_checks,
    removals::an_attempt_leaves_out_no_check_of_a_period_with_gaps,
    removals::an_import_of_an_open_period_leaves_its_checks_as_they_are,
    removals::companies_with_a_period_are_those_where_payroll_may_be_written,
    idempotency::of_a_hundred_at_once_one_is_fresh,
    idempotency::a_kept_answer_comes_back_to_the_byte,
    idempotency::an_answer_is_kept_behind_its_change_while_the_mark_stands,
    idempotency::a_released_or_ended_mark_is_free_again,
    idempotency::a_lost_mark_stores_nothing,
    idempotency::expired_keys_are_forgotten,
    export::what_is_exported_is_what_was_imported,
    export::nobody_is_not_exported,
    import::a_company_that_is_judged_alone_is_not_stored,
    import::importing_again_changes_nothing,
    import::two_imports_at_once_make_no_circle,
    import::a_locked_company_that_stays_as_it_is_is_no_error,
    import::who_holds_the_lock_imports,
    import::a_change_is_counted_and_raises_versions,
    import::a_locked_company_is_not_imported,
    bulk::checks_of_operators_are_added_once_and_are_no_applications_own,
    bulk::workers_are_changed_all_or_none,
    bulk::workers_of_a_dry_run_stay_as_they_are,
    bulk::workers_of_a_locked_company_stay_as_they_are,
    import::an_id_of_another_company_is_refused,
    import::a_reference_to_nothing_is_refused,
    import::an_open_period_is_not_completed_where_two_operators_complete_one,
    import::a_company_below_itself_is_refused,
    import::tax_identities_come_back_whole,
    setup::pay_periods_are_listed_by_state_and_days,
    setup::a_check_counts_in_its_period_and_shows_in_every_version,
    setup::one_pay_period_is_its_companys,
    setup::pay_components_are_listed_by_what_they_are,
    setup::units_come_with_those_right_below_them,
    setup::one_object_is_its_companys_in_the_version_of_its_row,
    resources::every_kind_of_object_is_read_as_it_was_imported,
    resources::the_objects_of_a_kind_are_listed_in_their_order,
    resources::a_long_list_is_streamed_in_order,
    resources::what_is_not_there_is_not_read,
    resources::all_companies_are_listed_and_found_by_their_display_keys,
    reversals::a_check_is_taken_back_once_and_again_when_that_is_removed,
    reversals::a_reversal_is_refused_where_what_it_was_made_of_is_not_so,
    reversals::an_operator_removes_any_check_or_all_that_operators_added,
    reversals::an_operator_removes_nothing_from_a_closed_period,
    sandbox::an_event_is_triggered_where_company_and_worker_are_there,
    sandbox::a_store_is_a_sandbox_once_it_is_marked_and_stays_one,
    sandbox::a_store_that_is_cleared_keeps_its_applications_and_nothing_of_companies,
    writing::every_kind_of_object_comes_back_as_it_was_written,
    writing::a_company_is_built_and_taken_down_object_by_object,
    writing::what_is_the_same_is_not_written,
    writing::a_stale_version_is_refused,
    writing::what_is_unknown_is_refused,
    writing::what_is_taken_is_refused,
    writing::what_leads_nowhere_is_refused_with_all_its_places,
    writing::nothing_is_its_own_parent,
    files::bytes_are_read_as_they_were_stored,
    files::a_file_is_added_listed_and_removed,
    files::a_profile_image_replaces_the_one_before_it,
    files::what_a_file_names_is_there_and_its_bytes_too,
    files::a_worker_has_only_so_many_documents,
    files::the_files_of_a_deleted_worker_are_gone,
    fitting::a_value_fits_the_custom_field_that_it_names,
    fitting::a_custom_field_stays_what_values_need,
    writing::what_is_referred_to_is_not_deleted,
    writing::a_deleted_worker_leaves_nothing_to_their_successor,
    writing::a_write_raises_what_partners_go_by,
    writing::periods_are_written_as_long_as_they_are_open,
    locks::a_lock_stops_writes_about_pay_by_others,
    locks::a_period_in_processing_stops_writes_about_pay,
    locks::a_lock_is_held_once_until_it_ends,
    locks::a_lock_is_given_back_by_whoever_it_is,
    locks::the_lock_of_no_company_is_unknown,
    writing::a_write_keeps_its_answer_or_is_not_done,
    editing::an_edit_is_given_what_is_stored_and_stores_what_it_makes,
    editing::an_edit_that_changes_nothing_leaves_every_version,
    editing::an_edit_of_nothing_is_not_asked,
    editing::no_edit_undoes_another,
    editing::a_write_by_an_application_needs_its_grant_at_the_commit,
    editing::a_dry_run_is_validated_and_stores_nothing,
    events::a_reader_beside_sixteen_writers_sees_every_event_once_and_in_order,
    events::an_application_is_told_of_its_own_access_and_of_no_other,
    events::a_feed_of_one_company_is_read_with_the_access_to_it,
    events::an_empty_feed_has_no_position_to_stand_behind,
    queue::a_change_is_queued_for_each_hook_that_may_know,
    queue::access_is_told_to_its_own_application_only,
    queue::many_changes_of_one_transaction_are_all_queued,
    queue::a_change_that_is_not_made_queues_nothing,
    queue::a_delivery_is_claimed_by_one_of_sixteen,
    queue::a_claim_ends_by_itself_or_is_given_back,
    queue::what_is_due_first_is_claimed_first,
    queue::what_may_no_longer_be_told_is_cancelled,
    queue::a_result_decides_what_is_next,
    queue::hooks_that_do_not_send_collect,
    queue::a_hook_shows_how_long_it_has_been_failing,
    queue::a_hook_that_fails_is_disabled_unless_it_recovers,
    queue::whoever_sends_gets_what_was_registered,
    audit::the_trail_is_read_newest_first_and_goes_on_before_a_row,
    audit::a_row_of_the_trail_says_who_did_what_when,
    audit::filters_of_the_trail_hold_together,
    audit::the_oldest_rows_of_the_trail_are_forgotten,
    hooks::a_hook_comes_back_as_it_was_registered,
    hooks::an_id_of_a_hook_is_taken_once_in_its_application,
    hooks::an_application_has_no_more_hooks_than_it_may,
    hooks::a_hook_needs_its_application_and_a_grant_for_its_company,
    hooks::a_hook_is_changed_in_the_version_that_was_read,
    hooks::a_hook_that_is_not_active_shows_since_when,
    hooks::a_removed_hook_is_gone_and_its_id_free,
    hooks::changes_of_a_hook_leave_rows_without_secrets,
    deliveries_log::the_log_is_read_newest_first_and_goes_on_before_a_delivery,
    deliveries_log::filters_of_the_log_hold_together,
    deliveries_log::a_test_call_waits_as_it_was_queued,
    deliveries_log::requests_are_kept_under_the_notifications_of_their_application,
    deliveries_log::what_is_replayed_waits_again,
    deliveries_log::many_are_replayed_oldest_first_and_no_more_than_are_wanted,
    deliveries_log::what_a_hook_does_not_send_expires,
    deliveries_log::what_has_ended_is_forgotten_and_what_waits_is_not,
    deliveries_log::what_a_removed_hook_has_left_is_forgotten,
    deliveries_log::the_queue_is_told_at_a_glance,
    deliveries_log::the_log_shows_every_attempt_and_why_it_was_made,
    deliveries_log::a_replay_of_all_takes_what_has_arrived_too,
    deliveries_log::what_waits_for_its_retry_is_due_at_once_when_its_hook_is_enabled,
    disclosures::a_tax_identity_is_shown_whole_and_leaves_a_row_without_it,
    disclosures::an_export_leaves_a_row_where_there_is_such_a_company,
    search::workers_are_found_over_all_companies_by_the_beginning_of_a_name,
    search::ids_and_numbers_are_found_whole,
    search::no_more_is_found_of_a_kind_than_somebody_reads,
    operator_keys::a_key_is_found_by_its_value_until_it_is_revoked,
    operator_keys::a_name_of_a_key_is_taken_once,
    operator_keys::a_key_keeps_its_operator_role_companies_and_expiry,
    operator_keys::an_operator_has_one_spelling,
    operator_keys::the_last_use_of_a_key_never_goes_back,
    operator_sessions::a_session_is_found_by_its_value_until_it_expires,
    operator_sessions::a_session_ends_alone_or_with_its_key,
    operator_sessions::the_oldest_session_of_a_key_ends_when_there_are_too_many,
    requests::requests_are_read_newest_first_and_each_once,
    requests::an_application_reads_its_own_requests_only,
    requests::filters_of_requests_hold_together,
    requests::requests_from_before_an_application_are_not_its_own,
    requests::old_requests_and_too_many_are_forgotten,
    periods::a_period_in_processing_takes_no_check_until_it_is_open_again,
    periods::one_period_of_a_company_is_in_processing,
    periods::a_lock_stops_moves_by_others_than_its_holder,
    periods::a_move_that_cannot_be_is_told,
    periods::a_completed_period_shows_what_its_checks_come_to,
    periods::what_is_staged_shows_only_when_the_period_is_completed,
    periods::staging_again_takes_the_place_of_what_was_staged,
    periods::an_attempt_is_overtaken_by_the_next,
    periods::all_faults_of_a_completion_are_told_and_nothing_is_staged,
    periods::a_move_whose_mark_is_lost_moves_nothing,
    periods::the_operator_reads_the_checks_of_every_application,
    periods::the_period_that_was_paid_last_before_a_day_is_found,
    periods::a_preview_tells_what_completing_would_come_to_and_writes_nothing,
    completion_requests::a_request_waits_for_another_operator,
    completion_requests::a_request_is_approved_by_another_and_says_who_did,
    completion_requests::a_request_is_withdrawn_once_in_the_version_that_was_read,
    completion_requests::a_period_that_is_moved_otherwise_loses_its_request,
    completion_requests::of_two_approvals_at_once_one_completes_the_period,
    totals::totals_are_the_sums_over_the_checks_whatever_is_done,
    totals::checks_that_are_added_at_once_count_their_worker_once,
    totals::completing_makes_the_totals_exact,
    totals::imported_checks_are_in_the_totals_once,
    totals::a_register_names_the_worker_of_each_check,
    totals::checks_beyond_what_can_be_summed_up_are_not_imported,
    totals::what_waits_is_listed_over_all_companies_by_check_date,
    totals::pay_runs_are_selected_by_company_check_date_and_delay,
    totals::summaries_of_periods_are_listed_in_a_version_of_their_checks,
    schema::the_pulse_tells_the_version_of_the_schema,
}
