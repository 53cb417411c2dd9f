//! A company (specification §11.2, §11.3).

use payroll_domain::company::{Company, Lineage};
use payroll_domain::date::Date;
use payroll_domain::description::{MemberValue, MemberView};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::shared::wire::described_resource::{
    DescribedResource, TaxIdentity, serialize_member, serialize_members,
};
use crate::shared::wire::link::{Href, Link};

/// The context in which a company is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompanyContext<'a> {
    /// The base URL of links.
    pub(crate) base: &'a str,
    /// Whether the caller may see unmasked tax identities of persons.
    pub(crate) may_see_full_tax_ids: bool,
    /// The current date. `hasPermission` is false for a company whose end date has passed.
    pub(crate) today: Date,
    /// The related companies, if the request asks for them.
    pub(crate) lineage: Option<&'a Lineage>,
}

/// A company that the caller may access.
#[derive(Debug)]
pub(crate) struct CompanyResource<'a> {
    company: &'a Company,
    context: CompanyContext<'a>,
}

impl<'a> CompanyResource<'a> {
    /// Creates the resource. The caller must have a grant on the company.
    pub(crate) const fn new(company: &'a Company, context: CompanyContext<'a>) -> Self {
        Self { company, context }
    }
}

impl Serialize for CompanyResource<'_> {
    /// Serializes the company. The member `hasPermission` comes after the legal name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { company, context } = self;
        let (base, company_id) = (context.base, &company.company_id);
        let mut map = serializer.serialize_map(None)?;
        serialize_members(&mut map, *company, MemberView::Full, |map, member, shown| match shown {
            MemberValue::TaxIdentity(legal_id) => map.serialize_entry(
                member,
                &TaxIdentity { legal_id, is_complete: context.may_see_full_tax_ids },
            ),
            shown if member == "legalName" => {
                serialize_member(map, member, shown)?;
                map.serialize_entry("hasPermission", &!company.has_ended(context.today))
            }
            shown => serialize_member(map, member, shown),
        })?;
        if let Some(lineage) = context.lineage {
            map.serialize_entry("lineage", &LineageResource(lineage))?;
        }
        let workers = Link { rel: "workers", href: Href::Workers { base, company_id } };
        map.serialize_entry("links", &[Link::to_self(Href::Company { base, company_id }), workers])?;
        map.end()
    }
}

struct LineageResource<'a>(&'a Lineage);

impl Serialize for LineageResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        for (member, relatives) in [("ancestors", &self.0.ancestors), ("descendants", &self.0.descendants)] {
            let relatives: Vec<_> = relatives.iter().map(DescribedResource::without_links).collect();
            map.serialize_entry(member, &relatives)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::tax_id::{LegalId, LegalIdType};

    fn company_json(company: &Company, has_full_tax_ids: bool, lineage: Option<&Lineage>) -> String {
        let today = payroll_domain::date::parse_date("2026-05-12").unwrap();
        let context =
            CompanyContext { base: "http://h", may_see_full_tax_ids: has_full_tax_ids, today, lineage };
        serde_json::to_string(&CompanyResource::new(company, context)).unwrap()
    }

    #[test]
    fn a_company_has_its_members_in_order_and_omits_absent_ones() {
        let expected = concat!(
            r#"{"companyId":"ACME","displayId":"00012345","legalName":"Acme Foods LLC","#,
            r#""hasPermission":true,"legalId":{"legalIdType":"FEIN","legalIdValue":"000000001"},"#,
            r#""communications":[{"communicationId":"CM","type":"STREET_ADDRESS","#,
            r#""usageType":"BUSINESS","city":"SAMPLETON","countryCode":"US"}],"#,
            r#""links":[{"rel":"self","href":"http://h/companies/ACME"},"#,
            r#"{"rel":"workers","href":"http://h/companies/ACME/workers"}]}"#,
        );
        assert_eq!(company_json(&samples::company(), false, None), expected);
    }

    #[test]
    fn a_persons_tax_identity_is_masked_unless_the_caller_may_see_it() {
        let mut company = samples::company();
        company.legal_id = LegalId::parse(LegalIdType::Ssn, "123456789");
        assert!(company_json(&company, false, None).contains(r#""legalIdValue":"*****6789""#));
        assert!(company_json(&company, true, None).contains(r#""legalIdValue":"123456789""#));
    }

    #[test]
    fn a_requested_lineage_is_present_even_if_it_is_empty() {
        let shown = company_json(&samples::company(), false, Some(&Lineage::default()));
        assert!(shown.contains(r#""lineage":{"ancestors":[],"descendants":[]}"#));
    }
}
