//! A unit of a company (specification §11.15).

use payroll_domain::id::{CompanyId, OrganizationId};
use payroll_ports::setup::OrganizationView;
use serde::Serialize;

use crate::shared::wire::link::{Href, Link};

/// A unit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrganizationResource<'a> {
    organization_id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    links: Vec<Link<'a>>,
}

impl<'a> OrganizationResource<'a> {
    /// The unit of that company; `base` is the address that links begin with.
    pub(crate) fn new(view: &'a OrganizationView, base: &'a str, company_id: &'a CompanyId) -> Self {
        let unit = &view.organization;
        let link = |rel: &'static str, id: &'a OrganizationId| Link {
            rel,
            href: Href::InCompany { base, company_id, list: "organizations", id: id.as_str() },
        };
        let parent = unit.parent_organization_id.as_ref().map(|id| link("parent", id));
        let children = view.children.iter().map(|id| link("child", id));
        Self {
            organization_id: unit.organization_id.as_str(),
            name: &unit.name,
            number: unit.number.as_deref(),
            level: unit.level,
            links: [link("self", &unit.organization_id)].into_iter().chain(parent).chain(children).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::company::Organization;

    #[test]
    fn a_unit_links_to_itself_to_what_is_above_and_to_what_is_below() {
        let organization = Organization {
            organization_id: samples::id("O2"),
            name: "Ovens".to_owned(),
            number: Some("7".to_owned()),
            level: Some(2),
            parent_organization_id: Some(samples::id("O1")),
        };
        let view = OrganizationView { organization, children: vec![samples::id("O3"), samples::id("O4")] };
        let acme = samples::id("ACME");
        let json = serde_json::to_string(&OrganizationResource::new(&view, "http://h", &acme)).unwrap();
        let expected = concat!(
            r#"{"organizationId":"O2","name":"Ovens","number":"7","level":2,"links":["#,
            r#"{"rel":"self","href":"http://h/companies/ACME/organizations/O2"},"#,
            r#"{"rel":"parent","href":"http://h/companies/ACME/organizations/O1"},"#,
            r#"{"rel":"child","href":"http://h/companies/ACME/organizations/O3"},"#,
            r#"{"rel":"child","href":"http://h/companies/ACME/organizations/O4"}]}"#,
        );
        assert_eq!(json, expected);
    }
}
