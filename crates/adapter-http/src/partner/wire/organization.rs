//! An organization of a company (specification §11.15), with links to the parent and the children.

use payroll_domain::id::{CompanyId, OrganizationId};
use payroll_ports::setup::OrganizationView;

use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::link::{Href, Link};

/// Writes an organization of this company. `base` is the base URL of links.
pub(crate) fn write_organization<'a>(
    view: &'a OrganizationView,
    base: &'a str,
    company_id: &'a CompanyId,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let unit = &view.organization;
    let link = |rel: &'static str, id: &'a OrganizationId| Link {
        rel,
        href: Href::InCompany { base, company_id, list: "organizations", id: id.as_str() },
    };
    let parent = unit.parent_organization_id.as_ref().map(|id| link("parent", id));
    let children = view.children.iter().map(|id| link("child", id));
    let links = [link("self", &unit.organization_id)].into_iter().chain(parent).chain(children).collect();
    serde_json::to_writer(out, &DescribedResource::with_links(unit, links))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::company::Organization;

    #[test]
    fn an_organization_links_to_itself_its_parent_and_its_children() {
        let organization = Organization {
            organization_id: samples::id("O2"),
            name: "Ovens".to_owned(),
            number: Some("7".to_owned()),
            level: Some(2),
            parent_organization_id: Some(samples::id("O1")),
        };
        let view = OrganizationView { organization, children: vec![samples::id("O3"), samples::id("O4")] };
        let acme = samples::id("ACME");
        let mut out = Vec::new();
        write_organization(&view, "http://h", &acme, &mut out).unwrap();
        let expected = concat!(
            r#"{"organizationId":"O2","name":"Ovens","number":"7","level":2,"links":["#,
            r#"{"rel":"self","href":"http://h/companies/ACME/organizations/O2"},"#,
            r#"{"rel":"parent","href":"http://h/companies/ACME/organizations/O1"},"#,
            r#"{"rel":"child","href":"http://h/companies/ACME/organizations/O3"},"#,
            r#"{"rel":"child","href":"http://h/companies/ACME/organizations/O4"}]}"#,
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
