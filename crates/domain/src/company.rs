//! A company (client) and the lists that belong to it.
//!
//! Storage and the responses of the API use the same types.

use crate::date::{Date, Timestamp, has_ended};
#[cfg(feature = "server")]
use crate::description::MemberView;
use crate::description::described;
use crate::description::kinds::{
    Country, Day, Email, Enumeration, Flag, Identifier, Level, OpenEnumeration, Subdivision, Text,
};
use crate::description::objects::{SeparateTable, TaxIdentity};
use crate::id::{CommunicationId, CompanyId, ContactTypeId, OrganizationId, RelationshipTypeId};
use crate::named::named_enum;
use crate::object::values::{MAX_ACCOUNT_LENGTH, MAX_CODE_LENGTH, MAX_NAME_CHARACTERS};
use crate::tax_id::LegalId;

/// The code of the product that a company must have for checks to be added.
pub const PAYROLL_PRODUCT: &str = "PAYROLL";
/// The maximum number of characters in a display id.
pub const MAX_DISPLAY_ID_LENGTH: usize = 32;
/// The number of trailing characters of a display id that the filter `displayid` compares.
pub const DISPLAY_ID_FILTER_LENGTH: usize = 8;

/// Returns the key that the filter `displayid` compares: the last 8 characters in lower case, without dashes
/// and spaces. A shorter display id is used completely.
///
/// ```
/// use payroll_domain::company::to_display_key;
/// assert_eq!(to_display_key("AB-0001 2345"), to_display_key("00012345"));
/// assert_ne!(to_display_key("2345"), to_display_key("00012345"));
/// ```
#[must_use]
pub fn to_display_key(display_id: &str) -> String {
    let plain: Vec<char> =
        display_id.chars().filter(|c| !matches!(c, '-' | ' ')).flat_map(char::to_lowercase).collect();
    plain.iter().skip(plain.len().saturating_sub(DISPLAY_ID_FILTER_LENGTH)).collect()
}

named_enum! {
    /// The state of a company on a day, which determines what partners can access.
    CompanyState {
        /// The company is fully active.
        Active = "ACTIVE",
        /// The company is inactive while it is being converted.
        Converting = "CONVERTING",
        /// The company's last day has passed, whether or not it is being converted.
        Ended = "ENDED",
    }
}

/// An empty list of partner views, for members that partners never see or only see as a link.
#[cfg(feature = "server")]
const OPERATOR_VIEWS_ONLY: &[MemberView] = &[];

described! {
    /// A company, which employs workers.
    pub struct Company {
        /// The id of the company, as in paths.
        "companyId" company_id: required CompanyId as Identifier;
        /// The full account number of the company.
        "displayId" display_id: required String as Text<MAX_DISPLAY_ID_LENGTH>, event CompanyDemographics;
        /// The name of the company.
        "legalName" legal_name: required String as Text<MAX_NAME_CHARACTERS>, event CompanyDemographics;
        /// The tax identity of the company.
        "legalId" legal_id: optional_object LegalId as TaxIdentity, event CompanyDemographics;
        /// The addresses and telephones of the company.
        "communications" communications: list Communication as SeparateTable;
        /// The id of the parent company.
        "parentCompanyId" parent_company_id: optional CompanyId as Identifier, shown OPERATOR_VIEWS_ONLY;
        /// The last day on which partners have access to the company.
        "endDate" end_date: optional Date as Day, shown OPERATOR_VIEWS_ONLY;
        /// Whether the data of the company is being converted. Meanwhile partners get 409 for the company.
        "converting" converting: flag bool as Flag, shown OPERATOR_VIEWS_ONLY;
        /// The account for wages expense. Default: Wages expense.
        "wagesExpenseAccount" wages_expense_account: optional String as Text<MAX_ACCOUNT_LENGTH>, shown OPERATOR_VIEWS_ONLY;
        /// The account for unpaid wages. Default: Wages payable.
        "wagesPayableAccount" wages_payable_account: optional String as Text<MAX_ACCOUNT_LENGTH>, shown OPERATOR_VIEWS_ONLY;
        /// The account for the taxes that the company pays as employer. Default: Employer tax expense.
        "employerTaxExpenseAccount" employer_tax_expense_account: optional String as Text<MAX_ACCOUNT_LENGTH>,
            shown OPERATOR_VIEWS_ONLY;
        /// The account for unpaid taxes. Default: Taxes payable.
        "taxesPayableAccount" taxes_payable_account: optional String as Text<MAX_ACCOUNT_LENGTH>, shown OPERATOR_VIEWS_ONLY;
        /// The account for unpaid deductions. Default: Deductions payable.
        "deductionsPayableAccount" deductions_payable_account: optional String as Text<MAX_ACCOUNT_LENGTH>,
            shown OPERATOR_VIEWS_ONLY;
        /// States in which the company withholds or pays taxes: distinct second parts of ISO 3166-2 codes.
        "taxStates" tax_states: words String as Subdivision, shown OPERATOR_VIEWS_ONLY;
    }
}

impl Company {
    /// Returns whether the company's last day is before `today`. Partners then see only the company's entry
    /// in the list of companies.
    #[must_use]
    pub fn has_ended(&self, today: Date) -> bool {
        has_ended(self.end_date, today)
    }
}

described! {
    /// An ancestor or descendant of a company.
    pub struct Relative {
        /// The id of the company, as in paths.
        "companyId" company_id: required CompanyId as Identifier;
        /// The full account number of the company.
        "displayId" display_id: required String as Text<MAX_DISPLAY_ID_LENGTH>;
        /// The name of the company.
        "legalName" legal_name: required String as Text<MAX_NAME_CHARACTERS>;
    }
}

/// The companies above and below a company, nearest first. Only companies that the caller may see are
/// included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage {
    /// The parent, its parent, and so on.
    pub ancestors: Vec<Relative>,
    /// The children, their children, and so on.
    pub descendants: Vec<Relative>,
}

described! {
    /// A product of a company, valid from its first to its last day.
    pub struct Product {
        /// The code of the product, such as `PAYROLL` or `RETIREMENT`.
        "productCode" product_code: required String as OpenEnumeration;
        /// The first day on which the company has the product.
        "startDate" start_date: required Date as Day;
        /// The last day on which the company has the product.
        "endDate" end_date: optional Date as Day;
    }
}

impl Product {
    /// Returns whether the company has the product on the given day.
    #[must_use]
    pub fn is_valid_on(&self, day: Date) -> bool {
        self.start_date <= day && self.end_date.is_none_or(|end| day <= end)
    }

    /// Returns whether one of the products has this code and is valid on the given day.
    #[must_use]
    pub fn has_valid_product(products: &[Self], product_code: &str, day: Date) -> bool {
        products.iter().any(|product| product.product_code == product_code && product.is_valid_on(day))
    }
}

/// A lock that an operator has set on a company. A pay period in processing also locks its company, but has
/// no [`Lock`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// The holder of the lock.
    pub holder: String,
    /// The reason for the lock.
    pub reason: Option<String>,
    /// The instant at which the lock expires. `None` if the lock remains until its release.
    pub expires: Option<Timestamp>,
}

impl Lock {
    /// Returns whether the lock is active at the instant `now`.
    #[must_use]
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|end| now < end)
    }
}

named_enum! {
    /// The type of a communication.
    CommunicationType {
        /// The address of a building.
        StreetAddress = "STREET_ADDRESS",
        /// The address of a post-office box.
        PoBoxAddress = "PO_BOX_ADDRESS",
        /// A phone number that is not mobile.
        Phone = "PHONE",
        /// The number of a mobile phone.
        MobilePhone = "MOBILE_PHONE",
        /// The number of a fax.
        Fax = "FAX",
        /// An address for e-mail.
        Email = "EMAIL",
        /// The number of a pager.
        Pager = "PAGER",
    }
}

named_enum! {
    /// The use of a communication.
    UsageType {
        /// For personal communication outside work.
        Personal = "PERSONAL",
        /// For communication in the business.
        Business = "BUSINESS",
        /// The home of the worker.
        Home = "HOME",
        /// The workplace of the worker.
        Work = "WORK",
        /// The address for mail.
        MailingAddress = "MAILING_ADDRESS",
    }
}

described! {
    /// An address, a phone or an e-mail address of a company or a worker.
    pub struct Communication {
        /// The id of this address, telephone number or e-mail address.
        "communicationId" communication_id: required CommunicationId as Identifier;
        /// The type of the communication, such as a street address or a mobile phone.
        "type" communication_type: required CommunicationType as Enumeration;
        /// The purpose of the communication, such as business or personal use.
        "usageType" usage_type: required UsageType as Enumeration;
        /// The country calling code of a telephone.
        "dialCountry" dial_country: optional String as Text<MAX_CODE_LENGTH>;
        /// The area code of a telephone.
        "dialArea" dial_area: optional String as Text<MAX_CODE_LENGTH>;
        /// The telephone number without the country and area codes.
        "dialNumber" dial_number: optional String as Text<MAX_CODE_LENGTH>;
        /// The extension of a telephone.
        "dialExtension" dial_extension: optional String as Text<MAX_CODE_LENGTH>;
        /// The e-mail address, such as `ana@example.com`.
        "uri" uri: optional String as Email;
        /// The street of a postal address.
        "streetLineOne" street_line_one: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The second street line of a postal address.
        "streetLineTwo" street_line_two: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The post office box of a postal address.
        "postOfficeBox" post_office_box: optional String as Text<MAX_CODE_LENGTH>;
        /// The city of a postal address.
        "city" city: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The postal code of a postal address.
        "postalCode" postal_code: optional String as Text<MAX_CODE_LENGTH>;
        /// The extension of the postal code.
        "postalCodeExtension" postal_code_extension: optional String as Text<MAX_CODE_LENGTH>;
        /// The second part of the ISO 3166-2 code, such as AZ.
        "countrySubdivisionCode" country_subdivision_code: optional String as Subdivision;
        /// The ISO 3166 alpha-2 code of the country.
        "countryCode" country_code: optional String as Country;
    }
}

described! {
    /// A type of worker contact.
    pub struct ContactType {
        /// The id of the contact type.
        "contactTypeId" contact_type_id: required ContactTypeId as Identifier;
        /// The name of the type, such as "Emergency Contact".
        "contactTypeName" contact_type_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The relationships that a contact of this type can have with the worker.
        "relationshipTypes" relationship_types: list RelationshipType as SeparateTable;
    }
}

described! {
    /// A relationship between a contact and a worker.
    pub struct RelationshipType {
        /// The id of the relationship type.
        "relationshipTypeId" relationship_type_id: required RelationshipTypeId as Identifier;
        /// The name of the relationship, such as "Spouse".
        "relationshipTypeName" relationship_type_name: required String as Text<MAX_NAME_CHARACTERS>;
    }
}

described! {
    /// An organizational unit of a company.
    pub struct Organization {
        /// The id of the organizational unit.
        "organizationId" organization_id: required OrganizationId as Identifier;
        /// The name of the organizational unit.
        "name" name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The number of the organizational unit.
        "number" number: optional String as Text<MAX_CODE_LENGTH>;
        /// The level of the unit in the tree. The top level is 1.
        "level" level: optional u32 as Level;
        /// The id of the parent unit in the tree of organizational units.
        "parentOrganizationId" parent_organization_id: optional OrganizationId as Identifier,
            shown OPERATOR_VIEWS_ONLY;
    }
}
