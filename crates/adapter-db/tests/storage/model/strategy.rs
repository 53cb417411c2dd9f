//! The strategy that generates transitions.
//!
//! Most transitions have random arguments and are often rejected. The remaining transitions continue
//! operations in progress: they complete or archive periods, or send notifications.

use payroll_domain::delivery::DeliveryState;
use payroll_domain::pay_period::PeriodStatus;
use proptest::prelude::*;
use proptest::sample::select;

use super::state::{APPLICATIONS, Access, Actor, ArchiveProgress, COMPANIES, OPERATORS, PERIODS, State};
use super::transition::{
    ArchiveStep, HookSetting, PeriodAction, PeriodIndex, RecordRef, RequestVersion, SendResult, Transition,
};

const CHECKS: usize = 6;
const KEYS: usize = 2;
const HOOKS: usize = 3;
const MOST_WORKERS: usize = 4;

/// Returns the strategy for the next transition.
pub(super) fn next(state: &State) -> BoxedStrategy<Transition> {
    let useful = continuing_transitions(state);
    let any = RANDOM_TRANSITION.with(Clone::clone);
    if useful.is_empty() { any } else { prop_oneof![3 => any, 2 => select(useful)].boxed() }
}

thread_local! {
    /// The strategy for random transitions. The strategy is created once, since it does not depend on the
    /// state.
    static RANDOM_TRANSITION: BoxedStrategy<Transition> = any_transition();
}

fn any_transition() -> BoxedStrategy<Transition> {
    prop_oneof![
        2 => prop_oneof![0..90_i64, 0..900_i64].prop_map(Transition::Wait),
        12 => check_transitions(),
        7 => period_transitions(),
        4 => object_transitions(),
        4 => request_transitions(),
        4 => hook_transitions(),
        1 => (period_index(), archive_step()).prop_map(|(period_index, step)| Transition::Archive { period_index, step }),
    ]
    .boxed()
}

fn period_index() -> impl Strategy<Value = PeriodIndex> + Clone {
    (company_index(), 0..PERIODS).prop_map(|(company, period)| PeriodIndex { company, period })
}

/// Most transitions concern the first company, so that they affect the same data.
fn company_index() -> impl Strategy<Value = usize> + Clone {
    prop_oneof![3 => Just(0), 1 => 0..COMPANIES]
}

fn optional_record() -> impl Strategy<Value = Option<RecordRef>> {
    prop_oneof![3 => Just(None), 1 => record_reference().prop_map(Some)]
}

fn record_reference() -> impl Strategy<Value = RecordRef> {
    (0..APPLICATIONS, 0..KEYS, prop::bool::weighted(0.2)).prop_map(|(application, key, stranger)| RecordRef {
        application,
        key,
        stranger,
    })
}

fn check_transitions() -> impl Strategy<Value = Transition> {
    let actor = prop_oneof![3 => (0..APPLICATIONS).prop_map(Actor::Application), 1 => (0..OPERATORS).prop_map(Actor::Operator)];
    let check = (0..CHECKS, prop_oneof![5 => 0..2_usize, 1 => 0..MOST_WORKERS], 1..100_000_u64);
    let checks = prop::collection::vec(check, 1..=3);
    let add = (actor, period_index(), checks, optional_record()).prop_map(
        |(actor, period_index, checks, record)| Transition::AddChecks { actor, period_index, checks, record },
    );
    let change = (0..APPLICATIONS, period_index(), 0..CHECKS, 1..100_000_u64, optional_record()).prop_map(
        |(application, period_index, check, cents, record)| Transition::ChangeCheck {
            application,
            period_index,
            check,
            cents,
            record,
        },
    );
    let remove =
        (0..APPLICATIONS, period_index(), 0..CHECKS).prop_map(|(application, period_index, check)| {
            Transition::RemoveCheck { application, period_index, check }
        });
    let own = (0..APPLICATIONS, period_index())
        .prop_map(|(application, period_index)| Transition::RemoveOwnChecks { application, period_index });
    prop_oneof![6 => add, 2 => change, 2 => remove, 1 => own]
}

fn request_version() -> impl Strategy<Value = RequestVersion> {
    prop_oneof![
        3 => Just(RequestVersion::Any),
        3 => Just(RequestVersion::Current),
        1 => Just(RequestVersion::Stale),
    ]
}

fn period_transitions() -> impl Strategy<Value = Transition> {
    let to = prop_oneof![2 => Just(PeriodAction::Process), 1 => Just(PeriodAction::Reopen), 2 => Just(PeriodAction::Complete)];
    let moved = (0..OPERATORS, period_index(), to, request_version()).prop_map(
        |(operator, period_index, to, version)| Transition::Move { operator, period_index, to, version },
    );
    let seconds = prop_oneof![Just(None), (1..200_i64).prop_map(Some)];
    let lock = (0..OPERATORS, company_index(), seconds)
        .prop_map(|(operator, company, seconds)| Transition::Lock { operator, company, seconds });
    let unlock = (0..OPERATORS, company_index())
        .prop_map(|(operator, company)| Transition::Unlock { operator, company });
    prop_oneof![4 => moved, 1 => lock, 1 => unlock]
}

fn object_transitions() -> impl Strategy<Value = Transition> {
    let hire = (0..OPERATORS, company_index(), 0..MOST_WORKERS, optional_record()).prop_map(
        |(operator, company, worker, record)| Transition::Hire { operator, company, worker, record },
    );
    let rename = (0..OPERATORS, company_index(), 0..MOST_WORKERS, 0..3_usize, request_version()).prop_map(
        |(operator, company, worker, name, version)| Transition::Rename {
            operator,
            company,
            worker,
            name,
            version,
        },
    );
    let access = select(vec![Access::None, Access::Workers, Access::Payroll, Access::All]);
    let grant = (0..OPERATORS, company_index(), 0..APPLICATIONS, access).prop_map(
        |(operator, company, application, access)| Transition::Grant {
            operator,
            company,
            application,
            access,
        },
    );
    prop_oneof![2 => hire, 2 => rename, 1 => grant]
}

fn request_transitions() -> impl Strategy<Value = Transition> {
    let begin = (0..APPLICATIONS, 0..KEYS, 0..2_u8).prop_map(|(application, key, body)| Transition::Begin {
        application,
        key,
        body,
    });
    prop_oneof![
        5 => begin,
        1 => record_reference().prop_map(Transition::Keep),
        1 => record_reference().prop_map(Transition::Release),
        1 => Just(Transition::ForgetExpired),
    ]
}

fn hook_transitions() -> impl Strategy<Value = Transition> {
    let add = (0..HOOKS, company_index(), 0..3_usize)
        .prop_map(|(hook, company, domains)| Transition::AddHook { hook, company, domains });
    let setting = prop_oneof![
        any::<bool>().prop_map(HookSetting::Active),
        any::<bool>().prop_map(HookSetting::Ordered)
    ];
    let set = (0..HOOKS, setting).prop_map(|(hook, to)| Transition::SetHook { hook, to });
    let remove = (0..HOOKS).prop_map(|hook| Transition::RemoveHook { hook });
    prop_oneof![4 => add, 2 => set, 1 => remove]
}

fn archive_step() -> impl Strategy<Value = ArchiveStep> {
    prop_oneof![
        Just(ArchiveStep::Begin),
        any::<bool>().prop_map(ArchiveStep::Pack),
        any::<bool>().prop_map(ArchiveStep::End),
        any::<bool>().prop_map(ArchiveStep::Abandon),
        Just(ArchiveStep::Erase),
    ]
}

/// Returns transitions that continue an operation that is in progress.
fn continuing_transitions(state: &State) -> Vec<Transition> {
    let mut useful = Vec::new();
    for (company, data) in state.companies.iter().enumerate() {
        for (period, found) in data.periods.iter().enumerate() {
            let period_index = PeriodIndex { company, period };
            let steps: &[ArchiveStep] = match (found.status, found.archive) {
                (PeriodStatus::Processing, _) => {
                    let (operator, to) = (company, PeriodAction::Complete);
                    useful.push(Transition::Move {
                        operator,
                        period_index,
                        to,
                        version: RequestVersion::Current,
                    });
                    &[]
                }
                (PeriodStatus::Completed, ArchiveProgress::None) => &[ArchiveStep::Begin],
                (_, ArchiveProgress::Claimed { packed: false, .. }) => &[ArchiveStep::Pack(false)],
                (_, ArchiveProgress::Claimed { packed: true, .. }) => &[ArchiveStep::End(false)],
                (_, ArchiveProgress::Archived { erased: false, .. }) => &[ArchiveStep::Erase],
                _ => &[],
            };
            useful.extend(steps.iter().map(|step| Transition::Archive { period_index, step: *step }));
        }
    }
    for (hook, found) in &state.hooks {
        let hook = *hook;
        for (delivery, pending) in found.deliveries.iter().enumerate() {
            if pending.claimed_until > 0 || pending.state == DeliveryState::Delivered {
                let of = |sent| Transition::Record { hook, delivery, sent };
                useful.extend([SendResult::Delivered, SendResult::RetryIn(30), SendResult::GivenUp].map(of));
                useful.push(Transition::GiveBack { hook, delivery });
            }
        }
        if !found.deliveries.is_empty() {
            useful.push(Transition::Replay { hook, delivery: 0 });
            useful.push(Transition::SetHook { hook, to: HookSetting::Ordered(true) });
        }
        if found.deliveries.iter().any(|pending| pending.due.is_some()) {
            useful.extend([Transition::Claim { hook, most: 1 }, Transition::Claim { hook, most: 9 }]);
        }
    }
    useful
}
