//! Divides the capacity fairly among hooks, with pure functions.

use std::collections::HashMap;

use payroll_ports::deliveries::{ClaimRequest, HookNumber};

/// The maximum number of deliveries that each idle hook gets first. The remaining deliveries are then divided
/// among all hooks.
pub(super) const MIN_DELIVERIES_PER_IDLE_HOOK: usize = 4;

/// The demand of one hook: the number of deliveries that can be claimed for the hook, and the data for a fair
/// division.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HookDemand<'a> {
    /// The number by which the store identifies the hook.
    pub(super) hook: HookNumber,
    /// The host of the hook's receiver.
    pub(super) host: &'a str,
    /// The maximum number of deliveries to claim for the hook, at least one.
    pub(super) max_deliveries: usize,
    /// Whether no delivery of the hook is claimed or in progress.
    pub(super) is_idle: bool,
    /// Whether the hook must get its deliveries in order.
    pub(super) in_order: bool,
}

/// The available capacity for deliveries.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimCapacity {
    /// The number of deliveries for all hooks together.
    pub(super) total: usize,
    /// The part of the capacity that is reserved for the first deliveries of idle hooks.
    pub(super) reserved: usize,
}

/// Divides the capacity among the hooks, and returns a claim for each hook that gets a part, in the order of
/// the demands. A hook only gets more than its fair share if no other hook needs the additional capacity.
/// `host_capacity` returns the free capacity of a host.
pub(super) fn create_claim_requests(
    demands: &[HookDemand<'_>],
    capacity: ClaimCapacity,
    host_capacity: impl Fn(&str) -> usize,
) -> Vec<ClaimRequest> {
    let most = calculate_shares_within_hosts(demands, host_capacity);
    let first: Vec<usize> = demands
        .iter()
        .zip(&most)
        .map(|(it, most)| if it.is_idle { MIN_DELIVERIES_PER_IDLE_HOOK.min(*most) } else { 0 })
        .collect();
    let first = calculate_fair_shares(&first, capacity.total);
    let allocated: usize = first.iter().sum();
    let rest: Vec<usize> = most.iter().zip(&first).map(|(most, first)| most - first).collect();
    let rest = calculate_fair_shares(
        &rest,
        capacity.total.saturating_sub(capacity.reserved).saturating_sub(allocated),
    );
    let wish = |((demand, first), rest): ((&HookDemand<'_>, usize), usize)| {
        let most = u32::try_from(first + rest).unwrap_or(u32::MAX);
        (most > 0).then_some(ClaimRequest { hook: demand.hook, limit: most, in_order: demand.in_order })
    };
    demands.iter().zip(first).zip(rest).filter_map(wish).collect()
}

/// Returns for each hook its share of the capacity of its host.
fn calculate_shares_within_hosts(
    demands: &[HookDemand<'_>],
    host_capacity: impl Fn(&str) -> usize,
) -> Vec<usize> {
    let mut by_host: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (place, it) in demands.iter().enumerate() {
        by_host.entry(it.host).or_default().push((place, it.max_deliveries));
    }
    let mut most = vec![0; demands.len()];
    for (host, of_host) in by_host {
        let demands: Vec<usize> = of_host.iter().map(|(_, most)| *most).collect();
        for ((place, _), share) in of_host.iter().zip(calculate_fair_shares(&demands, host_capacity(host))) {
            if let Some(most) = most.get_mut(*place) {
                *most = share;
            }
        }
    }
    most
}

/// Divides the capacity evenly. No demand gets more capacity than it needs. The remaining capacity is divided
/// among the other demands. If the capacity cannot be divided evenly, the first demands get the remainder.
fn calculate_fair_shares(demands: &[usize], capacity: usize) -> Vec<usize> {
    let mut by_size: Vec<(usize, usize)> = demands.iter().copied().enumerate().collect();
    by_size.sort_by_key(|(_, most)| *most);
    let (mut room, mut left) = (capacity, demands.iter().filter(|most| **most > 0).count());
    let mut shares = vec![0; demands.len()];
    for (place, most) in by_size.into_iter().filter(|(_, most)| *most > 0) {
        let share = most.min(room.div_ceil(left));
        (room, left) = (room - share, left - 1);
        if let Some(given) = shares.get_mut(place) {
            *given = share;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::{ClaimCapacity, HookDemand, calculate_fair_shares, create_claim_requests};
    use payroll_ports::deliveries::HookNumber;

    #[test]
    fn slots_are_divided_evenly_and_none_stays_unused() {
        let cases: &[(&[usize], usize, &[usize])] = &[
            (&[], 10, &[]),
            (&[5], 10, &[5]),
            (&[5], 3, &[3]),
            (&[100, 1, 1], 10, &[8, 1, 1]),
            (&[100, 100], 10, &[5, 5]),
            (&[100, 100, 100], 10, &[4, 3, 3]),
            (&[100, 3, 100], 11, &[4, 3, 4]),
            (&[1, 1, 1, 1], 2, &[1, 1, 0, 0]),
            (&[0, 7, 0], 5, &[0, 5, 0]),
            (&[9, 9], 0, &[0, 0]),
        ];
        for (demands, room, expected) in cases {
            assert_eq!(calculate_fair_shares(demands, *room), *expected, "{room} for {demands:?}");
        }
    }

    fn hook_demand(hook: i64, host: &str, max_deliveries: usize, is_idle: bool) -> HookDemand<'_> {
        HookDemand { hook: HookNumber(hook), host, max_deliveries, is_idle, in_order: false }
    }

    fn calculate_shares_by_hook(
        demands: &[HookDemand<'_>],
        all: usize,
        reserved: usize,
        host: usize,
    ) -> Vec<(i64, u32)> {
        let wishes = create_claim_requests(demands, ClaimCapacity { total: all, reserved }, |_| host);
        wishes.iter().map(|wish| (wish.hook.0, wish.limit)).collect()
    }

    #[test]
    fn a_hook_with_a_large_backlog_gets_only_its_share() {
        let demands =
            [hook_demand(1, "a", 256, false), hook_demand(2, "b", 16, true), hook_demand(3, "c", 2, true)];
        assert_eq!(calculate_shares_by_hook(&demands, 1_000, 0, 1_000), [(1, 256), (2, 16), (3, 2)]);
        assert_eq!(calculate_shares_by_hook(&demands, 30, 0, 1_000), [(1, 12), (2, 16), (3, 2)]);
    }

    #[test]
    fn reserved_slots_go_to_hooks_without_a_slot() {
        let demands = [hook_demand(1, "a", 256, false), hook_demand(2, "b", 16, true)];
        assert_eq!(calculate_shares_by_hook(&demands, 100, 100, 1_000), [(2, 4)]);
        assert_eq!(calculate_shares_by_hook(&demands, 100, 50, 1_000), [(1, 34), (2, 16)]);
    }

    #[test]
    fn hooks_of_one_host_share_its_limit() {
        let demands =
            [hook_demand(1, "a", 50, false), hook_demand(2, "a", 50, false), hook_demand(3, "b", 7, false)];
        assert_eq!(calculate_shares_by_hook(&demands, 1_000, 0, 10), [(1, 5), (2, 5), (3, 7)]);
    }
}
