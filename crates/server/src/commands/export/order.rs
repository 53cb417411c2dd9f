//! Orders companies for an export, because an import needs each parent company before its children.

use std::collections::{HashMap, HashSet};

/// The ids of a company and of its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompanyWithParent {
    pub(super) company_id: String,
    pub(super) parent: Option<String>,
}

/// Companies in the order of their export.
#[derive(Debug, Default)]
pub(super) struct OrderedCompanies {
    pub(super) company_ids: Vec<String>,
    /// The companies whose parent is not among the exported companies.
    pub(super) above_missing: Vec<CompanyWithParent>,
}

/// Orders the companies so that each follows its parent. Apart from this, the given order is unchanged.
/// Duplicates are ignored.
pub(super) fn order_parents_first(companies: Vec<CompanyWithParent>) -> OrderedCompanies {
    let above: HashMap<&str, Option<&str>> =
        companies.iter().map(|it| (it.company_id.as_str(), it.parent.as_deref())).collect();
    let (mut ordered, mut met) = (OrderedCompanies::default(), HashSet::new());
    for company in &companies {
        let (mut way_up, mut next) = (Vec::new(), Some(company.company_id.as_str()));
        while let Some(id) = next {
            let Some(parent) = above.get(id) else { break };
            if !met.insert(id) {
                break;
            }
            way_up.push(id);
            if parent.is_some_and(|parent| !above.contains_key(parent)) {
                let parent = parent.map(str::to_owned);
                ordered.above_missing.push(CompanyWithParent { company_id: id.to_owned(), parent });
            }
            next = *parent;
        }
        ordered.company_ids.extend(way_up.into_iter().rev().map(str::to_owned));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_pairs(pairs: &[(&str, &str)]) -> OrderedCompanies {
        let below = |(id, parent): &(&str, &str)| CompanyWithParent {
            company_id: (*id).to_owned(),
            parent: (!parent.is_empty()).then(|| (*parent).to_owned()),
        };
        order_parents_first(pairs.iter().map(below).collect())
    }

    #[test]
    fn companies_follow_their_parents_in_stable_order() {
        let ordered = order_pairs(&[("C", "B"), ("X", ""), ("B", "A"), ("A", ""), ("X", "")]);
        assert_eq!(ordered.company_ids, ["A", "B", "C", "X"]);
        assert!(ordered.above_missing.is_empty());
    }

    #[test]
    fn reports_a_missing_parent() {
        let ordered = order_pairs(&[("B", "A"), ("C", "B")]);
        assert_eq!(ordered.company_ids, ["B", "C"]);
        assert_eq!(ordered.above_missing[0].company_id, "B");
        assert_eq!(ordered.above_missing.len(), 1);
    }

    #[test]
    fn ordering_a_cycle_of_companies_terminates() {
        assert_eq!(order_pairs(&[("A", "B"), ("B", "A")]).company_ids, ["B", "A"]);
    }
}
