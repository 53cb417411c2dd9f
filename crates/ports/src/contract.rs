//! The contract tests that every store must pass.
//!
//! In a test of an adapter, iterate over [`ALL`] and run each test on a new, empty store:
//!
//! ```text
//! for (name, test) in payroll_ports::contract::ALL {
//!     println!("{name}");
//!     test(open_empty_store().await).await;
//! }
//! ```
//!
//! A failing test panics. While you develop an adapter, you can run the tests of one area
//! ([`find_tests_of_area`]), or those of a single trait ([`operator_key_tests`], [`schema_tests`]).

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
mod definitions;
mod deliveries_log;
mod delivery_options;
mod disclosures;
mod due_statuses;
mod editing;
mod events;
mod export;
mod files;
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

/// A contract test for stores of type `S`. The test needs a new and empty store.
pub type ContractTest<S> = fn(Arc<S>) -> BoxFuture<'static, ()>;
/// A contract test that needs a store with all traits.
pub type StoreContractTest = ContractTest<dyn Store>;

/// Declares the list of contract tests with their names.
macro_rules! contract_tests {
    ($($module:ident::$name:ident,)*) => {
        /// Every contract test with its name.
        pub const ALL: &[(&str, StoreContractTest)] =
            &[$((stringify!($name), |store| Box::pin($module::$name(store)))),*];

        /// The area of each test, in the same order as [`ALL`].
        const AREAS: &[&str] = &[$(stringify!($module)),*];
    };
}

/// Returns the tests of one area with their names. Each submodule is an area, such as `checks`, `grants` or
/// `queue`. For an unknown area, the result is empty.
pub fn find_tests_of_area(area: &str) -> impl Iterator<Item = (&'static str, StoreContractTest)> {
    AREAS.iter().zip(ALL).filter(move |(its, _)| **its == area).map(|(_, test)| *test)
}

/// Returns the tests for a store that only implements [`OperatorKeyStore`].
#[must_use]
pub fn operator_key_tests<S: OperatorKeyStore + 'static>() -> [(&'static str, ContractTest<S>); 6] {
    [
        ("a_key_is_found_by_its_value_until_it_is_revoked", |store| {
            Box::pin(operator_keys::a_key_is_found_by_its_value_until_it_is_revoked(store))
        }),
        ("rejects_a_duplicate_name_of_a_key", |store| {
            Box::pin(operator_keys::rejects_a_duplicate_name_of_a_key(store))
        }),
        ("a_key_keeps_its_operator_role_companies_and_expiry", |store| {
            Box::pin(operator_keys::a_key_keeps_its_operator_role_companies_and_expiry(store))
        }),
        ("rejects_another_spelling_of_an_operator_name", |store| {
            Box::pin(operator_keys::rejects_another_spelling_of_an_operator_name(store))
        }),
        ("only_one_of_several_concurrent_name_spellings_is_stored", |store| {
            Box::pin(operator_keys::only_one_of_several_concurrent_name_spellings_is_stored(store))
        }),
        ("the_last_use_of_a_key_never_goes_back", |store| {
            Box::pin(operator_keys::the_last_use_of_a_key_never_goes_back(store))
        }),
    ]
}

/// Returns the tests for a store that only implements [`SchemaStore`].
#[must_use]
pub fn schema_tests<S: SchemaStore + 'static>() -> [(&'static str, ContractTest<S>); 1] {
    [("a_ping_returns_the_version_of_the_schema", |store| {
        Box::pin(schema::a_ping_returns_the_version_of_the_schema(store))
    })]
}

contract_tests! {
    access_requests::a_request_is_found_by_its_link_and_its_id_until_it_expires,
    access_requests::companies_are_found_by_their_display_key,
    access_requests::a_new_request_replaces_the_previous_one,
    access_requests::rejects_a_request_for_scopes_that_are_already_granted,
    access_requests::one_of_two_concurrent_approvals_succeeds,
    access_requests::a_rejected_request_is_closed_and_grants_nothing,
    applications::only_the_newest_two_secrets_are_valid,
    applications::a_public_key_replaces_a_secret,
    applications::a_new_secret_is_kept_despite_wrong_clocks,
    applications::the_last_secret_can_be_revoked,
    applications::rejects_duplicate_names_and_keys,
    applications::rejects_a_change_of_an_application_with_a_stale_version,
    applications::disabling_an_application_affects_the_next_access,
    applications::deleted_application_leaves_no_data_and_frees_its_name,
    applications::many_applications_are_listed_in_the_order_of_their_creation,
    applications::a_lost_idempotency_record_creates_no_application,
    applications::the_scopes_of_an_application_include_its_grants,
    archive::an_archived_period_keeps_its_register_and_its_export,
    archive::archiving_writes_an_audit_row,
    archive::old_processed_periods_with_checks_are_found_in_order,
    archive::a_period_is_archived_by_one_attempt_at_a_time,
    archive::only_processed_periods_are_archived,
    archive::a_changed_period_is_not_archived,
    archive::only_archived_checks_are_deleted,
    archive::an_archived_check_cannot_change_and_its_id_stays_reserved,
    archive::a_reversal_is_archived_after_its_original,
    grants::a_grant_affects_the_next_access_and_increases_its_version,
    grants::a_grant_needs_its_application_and_its_company,
    grants::a_grant_that_changes_nothing_writes_nothing,
    grants::concurrent_changes_of_a_grant_lose_no_scope,
    grants::rejects_a_change_of_an_unexpected_grant,
    grants::grants_are_listed_by_company,
    companies::only_companies_with_the_scope_read_companies_are_listed,
    companies::the_list_of_companies_is_filtered_by_display_key,
    companies::a_window_limits_the_listed_companies_but_not_the_total,
    companies::lineage_contains_only_companies_that_the_caller_may_read,
    companies::an_unknown_company_has_no_access_and_no_view,
    companies::the_company_of_a_worker_is_found,
    companies::lists_are_read_in_the_form_in_which_they_were_imported,
    companies::list_for_a_day_contains_only_valid_objects,
    companies::a_custom_field_is_added_once,
    workers::a_page_of_workers_is_read_with_their_references,
    workers::filters_of_workers_are_combined,
    workers::many_workers_are_streamed_in_order,
    modified::changed_objects_are_found_from_the_instant_of_the_change,
    modified::an_import_without_a_change_keeps_the_instant,
    modified::adding_a_check_changes_its_period,
    workers::one_worker_is_read_with_their_data,
    workers::reading_one_list_of_a_worker_omits_the_others,
    workers::compensation_includes_amounts_paid_in_a_date_range,
    workers::deposits_awaiting_approval_are_listed_with_company_and_worker,
    due_statuses::a_future_status_is_due_from_its_day,
    due_statuses::writing_a_worker_recomputes_its_due_status,
    checks::checks_are_read_in_the_order_of_their_addition,
    checks::a_window_of_checks_has_the_same_order,
    checks::an_application_can_list_only_its_own_checks,
    checks::the_checks_of_one_worker_are_paged,
    checks::a_check_is_found_only_for_its_own_worker,
    checks::a_closed_period_accepts_no_check,
    checks::a_locked_company_accepts_no_check_until_the_lock_expires,
    checks::a_period_in_processing_locks_its_company,
    checks::an_ended_company_accepts_no_check,
    checks::one_unknown_worker_rejects_the_complete_batch,
    checks::one_duplicate_id_rejects_the_complete_batch,
    checks::correlation_ids_can_be_unique_per_pay_period,
    checks::validation_data_contains_only_the_requested_objects,
    checks::processed_checks_are_read_as_they_were_imported,
    checks::many_checks_are_streamed_in_order_from_one_snapshot,
    checks::checks_and_their_total_are_from_one_snapshot,
    checks::concurrent_writers_of_a_period_lose_no_check,
    check_changes::changing_a_check_updates_the_totals_of_its_period,
    check_changes::rejects_a_change_of_a_check_that_has_changed,
    check_changes::rejects_a_change_of_a_check_in_a_locked_company,
    creation::created_objects_are_listed_in_the_given_order,
    creation::one_rejected_object_rejects_all,
    removals::removing_a_check_keeps_the_order_of_the_others,
    removals::many_checks_with_gaps_are_streamed_completely,
    removals::an_application_removes_only_its_own_checks,
    removals::rejects_a_removal_from_a_closed_period_or_locked_company,
    removals::a_correlation_id_is_free_again_once_its_check_is_removed,
    removals::every_removal_writes_audit_rows_with_the_ids_of_checks,
    removals::a_period_with_gaps_can_be_completed_and_imported_into,
    removals::an_attempt_cannot_skip_a_check_of_a_period_with_gaps,
    removals::an_import_of_an_open_period_keeps_its_checks,
    removals::lists_companies_with_a_period_only_if_the_caller_may_write_payroll,
    idempotency::one_of_a_hundred_concurrent_requests_gets_the_key,
    idempotency::a_stored_response_is_returned_byte_for_byte,
    idempotency::stores_a_response_after_its_change_while_the_record_is_valid,
    idempotency::a_released_or_expired_record_frees_its_key,
    idempotency::a_request_without_its_record_stores_nothing,
    idempotency::expired_keys_are_deleted,
    export::an_export_equals_the_import,
    export::a_missing_company_is_not_exported,
    import::a_dry_run_stores_no_company,
    import::importing_again_changes_nothing,
    import::concurrent_imports_create_no_cycle,
    import::unchanged_locked_company_can_be_imported,
    import::the_holder_of_the_lock_can_import,
    import::an_imported_change_is_counted_and_increases_versions,
    import::a_locked_company_is_not_imported,
    bulk::checks_of_operators_are_added_once_and_belong_to_no_application,
    bulk::bulk_change_applies_to_all_workers_or_none,
    bulk::a_dry_run_changes_no_workers,
    bulk::a_locked_company_keeps_its_workers,
    import::rejects_an_id_of_another_company,
    import::rejects_a_reference_to_a_missing_object,
    import::rejects_completing_an_open_period_if_two_operators_are_required,
    import::rejects_a_company_that_is_its_own_ancestor,
    import::tax_ids_are_read_unmasked,
    setup::pay_periods_are_listed_by_state_and_days,
    setup::adding_a_check_changes_the_count_and_the_versions_of_its_period,
    setup::reads_a_pay_period_only_from_its_company,
    setup::pay_components_are_listed_by_their_filters,
    setup::organizations_are_read_with_their_direct_children,
    setup::reads_an_object_only_from_its_company_with_its_version,
    resources::every_kind_of_object_is_read_as_it_was_imported,
    resources::the_objects_of_a_kind_are_listed_in_their_order,
    resources::a_long_list_is_streamed_in_order,
    resources::missing_objects_are_not_read,
    resources::all_companies_are_listed_and_found_by_their_display_keys,
    reversals::a_check_is_reversed_once_and_again_after_the_reversal_is_removed,
    reversals::rejects_a_reversal_if_its_validation_data_has_changed,
    reversals::an_operator_removes_any_check_or_all_checks_of_operators,
    reversals::an_operator_removes_nothing_from_a_closed_period,
    sandbox::triggers_an_event_only_for_an_existing_company_and_worker,
    sandbox::a_marked_store_stays_a_sandbox,
    sandbox::clearing_a_store_keeps_applications_and_deletes_companies,
    writing::every_kind_of_object_is_read_as_it_was_written,
    writing::a_company_is_created_and_deleted_object_by_object,
    writing::an_equal_object_is_not_written,
    writing::rejects_a_stale_version,
    writing::rejects_a_write_of_a_missing_object,
    writing::rejects_an_id_or_name_in_use,
    writing::rejects_references_to_missing_objects_with_all_pointers,
    writing::rejects_an_object_as_its_own_ancestor,
    files::bytes_are_read_as_they_were_stored,
    files::a_file_is_added_listed_and_removed,
    files::profile_image_replaces_the_previous_one,
    files::a_file_requires_its_references_and_its_bytes,
    files::limits_the_documents_of_a_worker,
    files::deleting_a_worker_deletes_its_files,
    definitions::rejects_a_value_that_does_not_fit_its_custom_field,
    definitions::rejects_a_change_of_a_custom_field_that_values_do_not_fit,
    writing::rejects_the_deletion_of_a_referenced_object,
    writing::a_deleted_worker_leaves_no_data_to_a_worker_with_the_same_id,
    writing::a_write_increases_the_versions_that_partners_see,
    writing::periods_can_be_written_only_while_they_are_open,
    locks::lock_rejects_pay_writes_by_other_callers,
    locks::period_in_processing_rejects_pay_writes,
    locks::a_lock_has_one_holder_until_it_expires,
    locks::any_operator_can_release_a_lock,
    locks::the_lock_of_a_missing_company_is_unknown,
    writing::a_write_stores_its_response_or_is_rolled_back,
    editing::an_edit_reads_the_stored_object_and_stores_its_result,
    editing::an_edit_without_a_change_keeps_every_version,
    editing::an_edit_of_a_missing_object_does_not_call_the_function,
    editing::concurrent_edits_lose_no_change,
    editing::a_write_by_an_application_needs_its_grant_at_the_commit,
    editing::a_dry_run_is_validated_and_stores_nothing,
    events::a_reader_with_sixteen_writers_sees_every_event_once_in_order,
    events::an_application_sees_events_only_about_its_own_access,
    events::feed_of_a_company_requires_access_to_the_company,
    events::an_empty_feed_has_no_cursor,
    delivery_options::an_ordered_hook_gets_its_deliveries_one_at_a_time,
    delivery_options::orders_pending_deliveries_when_a_hook_becomes_ordered,
    queue::a_change_is_queued_for_each_permitted_hook,
    queue::access_events_are_queued_only_for_their_application,
    queue::many_changes_of_one_transaction_are_all_queued,
    queue::a_rejected_change_queues_nothing,
    queue::one_of_sixteen_processes_claims_a_delivery,
    queue::a_claim_expires_or_is_released,
    queue::the_earliest_due_deliveries_are_claimed_first,
    queue::deliveries_without_permission_are_cancelled,
    queue::the_result_of_an_attempt_decides_the_next_step,
    queue::inactive_hooks_collect_deliveries,
    queue::a_hook_shows_how_long_it_has_been_failing,
    queue::a_failing_hook_is_disabled_unless_it_recovers,
    queue::the_sender_gets_the_registered_target,
    audit::the_audit_log_is_read_newest_first_with_a_cursor,
    audit::an_audit_row_contains_actor_action_and_instant,
    audit::filters_of_the_audit_log_are_combined,
    audit::the_oldest_audit_rows_are_deleted,
    hooks::a_hook_is_read_as_it_was_registered,
    hooks::rejects_a_duplicate_hook_id_of_an_application,
    hooks::limits_the_hooks_of_an_application,
    hooks::a_hook_needs_its_application_and_a_grant_for_its_company,
    hooks::rejects_a_change_of_a_hook_with_a_stale_version,
    hooks::an_inactive_hook_shows_when_it_was_disabled,
    hooks::a_removed_hook_frees_its_id,
    hooks::changes_of_a_hook_write_audit_rows_without_secrets,
    deliveries_log::the_delivery_log_is_read_newest_first_with_a_cursor,
    deliveries_log::filters_of_the_delivery_log_are_combined,
    deliveries_log::a_queued_test_call_is_pending,
    deliveries_log::a_request_is_only_stored_with_notifications_of_its_own_application,
    deliveries_log::a_replayed_delivery_is_pending_again,
    deliveries_log::a_replay_starts_with_the_oldest_and_respects_its_limit,
    deliveries_log::deliveries_of_an_inactive_hook_expire,
    deliveries_log::deletes_ended_deliveries_and_keeps_pending_ones,
    deliveries_log::deletes_the_deliveries_of_a_removed_hook,
    deliveries_log::queue_summary_counts_deliveries_and_hooks,
    deliveries_log::the_log_contains_every_attempt_with_its_cause,
    deliveries_log::replay_of_all_includes_delivered_deliveries,
    deliveries_log::enabling_a_hook_makes_pending_retries_due,
    disclosures::revealing_a_tax_id_writes_an_audit_row_without_it,
    disclosures::exporting_an_existing_company_writes_an_audit_row,
    search::workers_of_all_companies_are_found_by_the_start_of_a_name,
    search::ids_and_numbers_match_only_completely,
    search::limits_the_results_of_each_kind,
    operator_keys::a_key_is_found_by_its_value_until_it_is_revoked,
    operator_keys::rejects_a_duplicate_name_of_a_key,
    operator_keys::a_key_keeps_its_operator_role_companies_and_expiry,
    operator_keys::rejects_another_spelling_of_an_operator_name,
    operator_keys::only_one_of_several_concurrent_name_spellings_is_stored,
    operator_keys::the_last_use_of_a_key_never_goes_back,
    operator_sessions::a_session_is_found_by_its_value_until_it_expires,
    operator_sessions::session_ends_on_sign_out_or_with_its_key,
    operator_sessions::the_oldest_session_of_a_key_ends_when_there_are_too_many,
    requests::requests_are_read_newest_first_and_each_once,
    requests::an_application_reads_its_own_requests_only,
    requests::filters_of_requests_are_combined,
    requests::requests_of_a_previous_application_are_not_listed,
    requests::details_belong_to_one_request_of_one_application,
    requests::details_are_deleted_separately,
    requests::old_and_surplus_requests_are_deleted,
    periods::a_period_in_processing_accepts_no_check_until_it_is_reopened,
    periods::a_company_has_at_most_one_period_in_processing,
    periods::a_lock_rejects_changes_of_state_by_others,
    periods::rejects_an_impossible_change_of_state,
    periods::a_completed_period_shows_the_amounts_of_its_checks,
    periods::staged_data_is_visible_only_after_the_completion,
    periods::staging_again_replaces_the_staged_data,
    periods::a_new_attempt_supersedes_the_previous_one,
    periods::reports_all_faults_of_a_completion_and_stages_nothing,
    periods::a_lost_idempotency_record_changes_no_state,
    periods::the_operator_reads_the_checks_of_every_application,
    periods::finds_the_last_paid_period_before_a_day,
    periods::a_preview_returns_the_totals_and_writes_nothing,
    completion_requests::a_request_is_pending_until_another_operator_approves_it,
    completion_requests::an_approved_request_contains_the_other_operator,
    completion_requests::a_request_is_withdrawn_once_with_its_current_version,
    completion_requests::other_state_changes_delete_the_completion_request,
    completion_requests::one_of_two_concurrent_approvals_completes_the_period,
    totals::totals_equal_the_sums_after_any_changes,
    totals::concurrent_additions_count_a_worker_once,
    totals::completing_a_period_computes_exact_totals,
    totals::imported_checks_are_in_the_totals_once,
    totals::a_register_contains_the_worker_of_each_check,
    totals::rejects_imported_checks_whose_totals_are_too_large,
    totals::pending_pay_runs_of_all_companies_are_listed_by_check_date,
    totals::pay_runs_are_selected_by_company_check_date_and_overdue_day,
    totals::the_version_of_period_summaries_changes_with_their_checks,
    schema::a_ping_returns_the_version_of_the_schema,
}
