//! A company (client) and the lists that belong to it.
//!
//! These types hold the data that is stored and shown.

use crate::date::{Date, Timestamp, has_ended};
#[cfg(feature = "server")]
use crate::description::View;
use crate::description::described;
use crate::description::kinds::{
    Country, Day, Email, Flag, Identifier, Level, OpenWord, Subdivision, Text, Word,
};
use crate::description::objects::{OtherTable, TaxIdentity};
use crate::id::{CommunicationId, CompanyId, ContactTypeId, OrganizationId, RelationshipTypeId};
use crate::named::named;
use crate::object::values::{ACCOUNT, CODE, NAME};
use crate::tax_id::LegalId;

/// The product that a company needs for adding checks.
pub const PAYROLL_PRODUCT: &str = "PAYROLL";
/// The maximum number of characters in a display id.
pub const MAX_DISPLAY_ID_LENGTH: usize = 32;
/// The number of trailing characters of a display id that the filter `displayid` compares.
pub const DISPLAY_ID_FILTER_LENGTH: usize = 8;

/// The key that the filter `displayid` compares: the last 8 characters in small letters, without dashes and
/// spaces. A shorter display id is used completely.
///
/// ```
/// use payroll_domain::company::display_key;
/// assert_eq!(display_key("AB-0001 2345"), display_key("00012345"));
/// assert_ne!(display_key("2345"), display_key("00012345"));
/// ```
#[must_use]
pub fn display_key(display_id: &str) -> String {
    let plain: Vec<char> =
        display_id.chars().filter(|c| !matches!(c, '-' | ' ')).flat_map(char::to_lowercase).collect();
    plain.iter().skip(plain.len().saturating_sub(DISPLAY_ID_FILTER_LENGTH)).collect()
}

named! {
    /// The participation of a company on a day.
    CompanyState {
        /// The company is fully active.
        Active = "ACTIVE",
        /// The company is inactive while it is being converted.
        Converting = "CONVERTING",
        /// The company's last day has passed, whether or not it is being converted.
        Ended = "ENDED",
    }
}

/// The members that partners do not see, or only see as a link.
#[cfg(feature = "server")]
const OPERATORS_ONLY: &[View] = &[];

described! {
    /// A company that the application may reach: an employer.
    pub struct Company {
        /// The id in paths.
        "companyId" company_id: required CompanyId as Identifier;
        /// The client's full account number.
        "displayId" display_id: required String as Text<MAX_DISPLAY_ID_LENGTH>, event CompanyDemographics;
        /// The company's name.
        "legalName" legal_name: required String as Text<NAME>, event CompanyDemographics;
        /// Its tax identity.
        "legalId" legal_id: optional_object LegalId as TaxIdentity, event CompanyDemographics;
        /// Addresses and telephones.
        "communications" communications: list Communication as OtherTable;
        /// The company above it.
        "parentCompanyId" parent_company_id: optional CompanyId as Identifier, shown OPERATORS_ONLY;
        /// The last day on which it takes part.
        "endDate" end_date: optional Date as Day, shown OPERATORS_ONLY;
        /// It is being converted. A read of this object alone is 409.
        "converting" converting: flag bool as Flag, shown OPERATORS_ONLY;
        /// The account of what is earned; absent: Wages expense.
        "wagesExpenseAccount" wages_expense_account: optional String as Text<ACCOUNT>, shown OPERATORS_ONLY;
        /// The account of unpaid wages. Default: Wages payable.
        "wagesPayableAccount" wages_payable_account: optional String as Text<ACCOUNT>, shown OPERATORS_ONLY;
        /// The account of the taxes that the company bears; absent: Employer tax expense.
        "employerTaxExpenseAccount" employer_tax_expense_account: optional String as Text<ACCOUNT>,
            shown OPERATORS_ONLY;
        /// The account of unpaid taxes. Default: Taxes payable.
        "taxesPayableAccount" taxes_payable_account: optional String as Text<ACCOUNT>, shown OPERATORS_ONLY;
        /// The account of unpaid deductions. Default: Deductions payable.
        "deductionsPayableAccount" deductions_payable_account: optional String as Text<ACCOUNT>,
            shown OPERATORS_ONLY;
        /// The states that it withholds or pays taxes in: the second parts of ISO 3166-2 codes, each once.
        "taxStates" tax_states: words String as Subdivision, shown OPERATORS_ONLY;
    }
}

impl Company {
    /// Whether the company's last day is before that day. Only its list entry is then available.
    #[must_use]
    pub fn has_ended(&self, today: Date) -> bool {
        has_ended(self.end_date, today)
    }
}

described! {
    /// A company above or below another one.
    pub struct Relative {
        /// The id in paths.
        "companyId" company_id: required CompanyId as Identifier;
        /// The client's full account number.
        "displayId" display_id: required String as Text<MAX_DISPLAY_ID_LENGTH>;
        /// The company's name.
        "legalName" legal_name: required String as Text<NAME>;
    }
}

/// The companies above and below a company, nearest first. It contains only those that the caller may see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage {
    /// The parent, its parent, and so on.
    pub ancestors: Vec<Relative>,
    /// The children, their children, and so on.
    pub descendants: Vec<Relative>,
}

described! {
    /// A product that the company has, valid on both its end days.
    pub struct Product {
        /// `PAYROLL`, `RETIREMENT`, …
        "productCode" product_code: required String as OpenWord;
        /// The first day.
        "startDate" start_date: required Date as Day;
        /// The last day, when it has one.
        "endDate" end_date: optional Date as Day;
    }
}

impl Product {
    /// Whether the company has the product on that day.
    #[must_use]
    pub fn covers(&self, day: Date) -> bool {
        self.start_date <= day && self.end_date.is_none_or(|end| day <= end)
    }
}

/// A lock by the operator. A pay period in processing locks its company as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// The holder of the lock.
    pub holder: String,
    /// The reason for the lock.
    pub reason: Option<String>,
    /// The instant at which the lock expires by itself.
    pub expires: Option<Timestamp>,
}

impl Lock {
    /// Whether the lock is active at that instant.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|end| now < end)
    }
}

named! {
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

named! {
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
        /// Its id.
        "communicationId" communication_id: required CommunicationId as Identifier;
        /// What it is.
        "type" communication_type: required CommunicationType as Word;
        /// What it is used for.
        "usageType" usage_type: required UsageType as Word;
        /// Of a telephone: the country's code.
        "dialCountry" dial_country: optional String as Text<CODE>;
        /// Of a telephone: the area's code.
        "dialArea" dial_area: optional String as Text<CODE>;
        /// Of a telephone: the number.
        "dialNumber" dial_number: optional String as Text<CODE>;
        /// Of a telephone: the extension.
        "dialExtension" dial_extension: optional String as Text<CODE>;
        /// An e-mail address.
        "uri" uri: optional String as Email;
        /// Of a postal address: the street.
        "streetLineOne" street_line_one: optional String as Text<NAME>;
        /// Of a postal address: more of the street.
        "streetLineTwo" street_line_two: optional String as Text<NAME>;
        /// Of a postal address: the post office box.
        "postOfficeBox" post_office_box: optional String as Text<CODE>;
        /// Of a postal address: the city.
        "city" city: optional String as Text<NAME>;
        /// Of a postal address: the postal code.
        "postalCode" postal_code: optional String as Text<CODE>;
        /// Of a postal address: the rest of the postal code.
        "postalCodeExtension" postal_code_extension: optional String as Text<CODE>;
        /// The second part of the ISO 3166-2 code.
        "countrySubdivisionCode" country_subdivision_code: optional String as Subdivision;
        /// The ISO 3166 alpha-2 code.
        "countryCode" country_code: optional String as Country;
    }
}

described! {
    /// What a worker's contact can be.
    pub struct ContactType {
        /// Its id.
        "contactTypeId" contact_type_id: required ContactTypeId as Identifier;
        /// Such as "Emergency Contact".
        "contactTypeName" contact_type_name: required String as Text<NAME>;
        /// How the contact can stand to the worker.
        "relationshipTypes" relationship_types: list RelationshipType as OtherTable;
    }
}

described! {
    /// How a contact stands to the worker.
    pub struct RelationshipType {
        /// Its id.
        "relationshipTypeId" relationship_type_id: required RelationshipTypeId as Identifier;
        /// Such as "Spouse".
        "relationshipTypeName" relationship_type_name: required String as Text<NAME>;
    }
}

described! {
    /// A unit of a company.
    pub struct Organization {
        /// Its id.
        "organizationId" organization_id: required OrganizationId as Identifier;
        /// Its name.
        "name" name: required String as Text<NAME>;
        /// Its number.
        "number" number: optional String as Text<CODE>;
        /// Its level in the tree; 1 is the top.
        "level" level: optional u32 as Level;
        /// The unit above it.
        "parentOrganizationId" parent_organization_id: optional OrganizationId as Identifier,
            shown OPERATORS_ONLY;
    }
}
