//! A company (specification §11.2, §11.3).

use payroll_domain::company::{Communication, Company, Lineage, Relative};
use payroll_domain::date::Date;
use serde::Serialize;

use crate::shared::wire::described::{DescribedResource, TaxIdentity};
use crate::shared::wire::link::{Href, Link};

/// What a company looks like depends on who asks and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompanyContext<'a> {
    /// The address that links begin with.
    pub(crate) base: &'a str,
    /// The caller may see tax identities of persons whole.
    pub(crate) whole_tax_ids: bool,
    /// The day on which it is shown: of a company that has ended before, nothing more is to be had.
    pub(crate) today: Date,
    /// The company's relatives, when they were asked for.
    pub(crate) lineage: Option<&'a Lineage>,
}

/// A company that the caller may reach.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompanyResource<'a> {
    company_id: &'a str,
    display_id: &'a str,
    legal_name: &'a str,
    has_permission: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_id: Option<TaxIdentity<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    communications: Vec<DescribedResource<'a, Communication>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lineage: Option<LineageResource<'a>>,
    links: [Link<'a>; 2],
}

impl<'a> CompanyResource<'a> {
    /// The company; only those are shown at all that are granted to the caller.
    pub(crate) fn new(company: &'a Company, context: CompanyContext<'a>) -> Self {
        let (base, company_id) = (context.base, &company.company_id);
        let legal_id = |id| TaxIdentity { legal_id: id, whole: context.whole_tax_ids };
        Self {
            company_id: company_id.as_str(),
            display_id: &company.display_id,
            legal_name: &company.legal_name,
            has_permission: !company.has_ended(context.today),
            legal_id: company.legal_id.as_ref().map(legal_id),
            communications: company.communications.iter().map(DescribedResource::bare).collect(),
            lineage: context.lineage.map(LineageResource::new),
            links: [
                Link::own(Href::Company { base, company_id }),
                Link { rel: "workers", href: Href::Workers { base, company_id } },
            ],
        }
    }
}

#[derive(Debug, Serialize)]
struct LineageResource<'a> {
    ancestors: Vec<RelativeResource<'a>>,
    descendants: Vec<RelativeResource<'a>>,
}

impl<'a> LineageResource<'a> {
    fn new(lineage: &'a Lineage) -> Self {
        let list = |relatives: &'a [Relative]| relatives.iter().map(RelativeResource::new).collect();
        Self { ancestors: list(&lineage.ancestors), descendants: list(&lineage.descendants) }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RelativeResource<'a> {
    company_id: &'a str,
    display_id: &'a str,
    legal_name: &'a str,
}

impl<'a> RelativeResource<'a> {
    fn new(relative: &'a Relative) -> Self {
        Self {
            company_id: relative.company_id.as_str(),
            display_id: &relative.display_id,
            legal_name: &relative.legal_name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::tax_id::{LegalId, LegalIdType};

    fn shown(company: &Company, whole_tax_ids: bool, lineage: Option<&Lineage>) -> String {
        let today = payroll_domain::date::parse_date("2026-05-12").unwrap();
        let context = CompanyContext { base: "http://h", whole_tax_ids, today, lineage };
        serde_json::to_string(&CompanyResource::new(company, context)).unwrap()
    }

    #[test]
    fn a_company_shows_its_members_in_order_and_leaves_out_what_it_lacks() {
        let expected = concat!(
            r#"{"companyId":"ACME","displayId":"00012345","legalName":"Acme Foods LLC","#,
            r#""hasPermission":true,"legalId":{"legalIdType":"FEIN","legalIdValue":"000000001"},"#,
            r#""communications":[{"communicationId":"CM","type":"STREET_ADDRESS","#,
            r#""usageType":"BUSINESS","city":"SAMPLETON","countryCode":"US"}],"#,
            r#""links":[{"rel":"self","href":"http://h/companies/ACME"},"#,
            r#"{"rel":"workers","href":"http://h/companies/ACME/workers"}]}"#,
        );
        assert_eq!(shown(&samples::company(), false, None), expected);
    }

    #[test]
    fn a_persons_tax_identity_is_masked_unless_the_caller_may_see_it() {
        let mut company = samples::company();
        company.legal_id = LegalId::parse(LegalIdType::Ssn, "123456789");
        assert!(shown(&company, false, None).contains(r#""legalIdValue":"*****6789""#));
        assert!(shown(&company, true, None).contains(r#""legalIdValue":"123456789""#));
    }

    #[test]
    fn lineage_is_there_when_it_was_asked_for_even_if_it_is_empty() {
        let shown = shown(&samples::company(), false, Some(&Lineage::default()));
        assert!(shown.contains(r#""lineage":{"ancestors":[],"descendants":[]}"#));
    }
}
