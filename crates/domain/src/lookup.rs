//! Lookup objects: the reference data of a company. Lookup objects do not refer to other objects, contain no
//! objects with their own ids, and fire no event when they change.
//!
//! This module is the only place in the crate that describes a kind of lookup object: its names, its id and
//! its members. The description determines the reader, the position in a company's document, the uniqueness
//! of ids and the name in the audit log.

use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{
    Day, Email, Enumeration, Flag, Identifier, OpenEnumeration, RateFromZero, SegmentLength, SegmentNumber,
    Text,
};
use crate::description::objects::{InParentRow, Readable};
#[cfg(feature = "server")]
use crate::description::{Described, Member, MemberSource, MemberValue, MemberView};
use crate::id::{Id, OrganizationId, ReferenceId};
use crate::lookup::address::PostalAddress;
use crate::money::Rate;
use crate::named::named_enum;
use crate::object::reader::{ObjectReader, read_struct};
use crate::object::values::MAX_NAME_CHARACTERS;
use crate::pay_period::IntervalCode;
use crate::person_name::Name;
use crate::status_type::StatusType;

mod address;
#[cfg(feature = "server")]
mod days;
mod frequency;
mod job_number;

pub use address::Address;
#[cfg(feature = "server")]
pub use days::ValidityPeriod;
pub use frequency::ComponentFrequency;
pub use job_number::JobNumber;

/// An empty list of partner views, for members that only operators see.
#[cfg(feature = "server")]
const OPERATOR_VIEWS_ONLY: &[MemberView] = &[];

/// Declares the kinds of lookup objects. Each declaration begins with the display name of the kind, its
/// Rust type, and its name in the API. After `in` follow the field and the JSON member of the list of these
/// objects. After `by` follow the type, the field and the JSON member of an object's id. Partners see the
/// id unless `shown` restricts it. The other members are declared as in `described!`. If objects are valid
/// for a limited time, `in force` names the members for the first and the last day.
macro_rules! declare_lookup_kinds {
    ($dollar:tt $(
        $words:literal:
        $(#[doc = $doc:literal])+
        $object:ident = $name:literal in $list:ident $list_member:literal
            by $id:ident $id_field:ident $id_member:literal $(shown $views:ident)? { $($members:tt)+ }
            $(in force from $from:ident $from_member:literal to $to:ident $to_member:literal;)?
    )+) => {
        $(
            #[doc = concat!("The id of a ", $words, "; unique in its company.")]
            pub type $id = Id<$object>;

            described! {
                $(#[doc = $doc])+
                pub struct $object {
                    /// Id of the object.
                    $id_member $id_field: required $id as Identifier $(, shown $views)?;
                    $($members)+
                }
            }

            impl $object {
                /// Reads an object. Reports a fault if its last day is before its first day.
                fn read_with_day_order(object: &mut ObjectReader<'_>) -> Option<Self> {
                    let read = Self::read(object)?;
                    $(object.check_day_order(($from_member, read.$from), ($to_member, read.$to));)?
                    Some(read)
                }
            }

            #[cfg(feature = "server")]
            impl Lookup for $object {
                const KIND: LookupKind = LookupKind::$object;

                fn id(&self) -> &str {
                    self.$id_field.as_str()
                }

                fn into_lookup_object(self) -> LookupObject {
                    LookupObject::$object(self)
                }

                fn from_lookup_object(object: &LookupObject) -> Option<&Self> {
                    match object {
                        LookupObject::$object(object) => Some(object),
                        _ => None,
                    }
                }

                fn objects_of_kind(lists: &LookupLists) -> &[Self] {
                    &lists.$list
                }

                fn validity_period(&self) -> ValidityPeriod {
                    let days: &[ValidityPeriod] = &[$(ValidityPeriod { first: self.$from, last: self.$to })?];
                    days.first().copied().unwrap_or_default()
                }
            }
        )+

        named_enum! {
            /// The kinds of lookup objects.
            LookupKind { $(#[doc = concat!("A ", $words, ".")] $object = $name,)+ }
        }

        /// A lookup object of any kind.
        #[cfg(feature = "server")]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum LookupObject { $(#[doc = concat!("A ", $words, ".")] $object($object),)+ }

        /// The lookup objects of a company, list by list.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct LookupLists {
            $(#[doc = concat!("Each ", $words, ".")] pub $list: Vec<$object>,)+
        }

        impl LookupKind {
            /// Returns the name of the kind for error texts and documentation, such as "job title".
            #[must_use]
            pub const fn display_name(self) -> &'static str {
                match self { $(Self::$object => $words,)+ }
            }

            /// Returns the name of the list of objects of this kind in a company's document.
            #[must_use]
            pub const fn list_member(self) -> &'static str {
                match self { $(Self::$object => $list_member,)+ }
            }

            /// Returns the name of the member with the id.
            #[must_use]
            pub const fn id_member(self) -> &'static str {
                match self { $(Self::$object => $id_member,)+ }
            }

            /// Returns the members of an object, its id first.
            #[cfg(feature = "server")]
            #[must_use]
            pub const fn members(self) -> &'static [Member] {
                match self { $(Self::$object => <$object as Described>::MEMBERS,)+ }
            }

            /// Reads an object of this kind. If it has a fault, the fault is reported and the result is
            /// `None`.
            #[cfg(feature = "server")]
            pub(crate) fn read(self, object: &mut ObjectReader<'_>) -> Option<LookupObject> {
                Some(match self {
                    $(Self::$object => LookupObject::$object($object::read_with_day_order(object)?),)+
                })
            }
        }

        #[cfg(feature = "server")]
        impl LookupObject {
            /// Returns the kind of the object.
            #[must_use]
            pub const fn kind(&self) -> LookupKind {
                match self { $(Self::$object(_) => LookupKind::$object,)+ }
            }

            /// Returns the id of the object.
            #[must_use]
            pub fn id(&self) -> &str {
                match self { $(Self::$object(object) => object.id(),)+ }
            }

            /// Returns the days on which the object is valid.
            #[must_use]
            pub fn days(&self) -> ValidityPeriod {
                match self { $(Self::$object(object) => object.validity_period(),)+ }
            }
        }

        #[cfg(feature = "server")]
        impl MemberSource for LookupObject {
            fn visit_members(&self, view: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
                match self { $(Self::$object(object) => object.visit_members(view, show),)+ }
            }
        }

        impl LookupLists {
            /// Reads all lookup lists from a company's document. Returns `None` if a list has a fault.
            pub(crate) fn read(object: &mut ObjectReader<'_>) -> Option<Self> {
                read_struct!(Self {
                    $($list: object.read_list($list_member, $object::read_with_day_order),)+
                })
            }

            /// Calls `note` for each object with its kind, the index in its list, and its id.
            pub fn for_each_id<'a>(&'a self, mut note: impl FnMut(LookupKind, usize, &'a str)) {
                $(for (at, object) in self.$list.iter().enumerate() {
                    note(LookupKind::$object, at, object.$id_field.as_str());
                })+
            }

            /// Iterates over copies of all objects, list by list.
            #[cfg(feature = "server")]
            pub fn objects(&self) -> impl Iterator<Item = LookupObject> {
                let all: Vec<LookupObject> = Vec::new();
                all.into_iter()$(.chain(self.$list.iter().cloned().map(LookupObject::$object)))+
            }
        }

        /// Evaluates an expression for a [`lookup::LookupKind`](mod@crate::lookup). In the expression, an
        /// identifier stands for the type of the objects of that kind.
        ///
        /// ```
        /// use payroll_domain::description::Described;
        /// use payroll_domain::{lookup::LookupKind, with_lookup_kind};
        /// fn member_count(kind: LookupKind) -> usize {
        ///     with_lookup_kind!(kind, Object => <Object as Described>::MEMBERS.len())
        /// }
        /// assert_eq!(member_count(LookupKind::CalculationBase), 2);
        /// ```
        #[cfg(feature = "server")]
        #[macro_export]
        macro_rules! with_lookup_kind {
            ($dollar kind:expr, $dollar object:ident => $dollar work:expr) => {
                match $dollar kind {
                    $($crate::lookup::LookupKind::$object => {
                        type $dollar object = $crate::lookup::$object;
                        $dollar work
                    })+
                }
            };
        }
    };
}

declare_lookup_kinds! { $
    "calculation base":
    /// The base from which a recurring pay component is calculated.
    CalculationBase = "calculationBase" in calculation_bases "calculationBases"
        by CalculationBaseId calculation_base_id "calculationBaseId"
    {
        /// The name of the base, such as "All earnings".
        "calculationBaseName" calculation_base_name: required String as Text<MAX_NAME_CHARACTERS>;
    }

    "custom employment type":
    /// An employment type that a company has defined for its workers.
    CustomEmploymentType = "customEmploymentType" in custom_employment_types "customEmploymentTypes"
        by CustomEmploymentTypeId custom_employment_type_id "customEmploymentTypeId"
    {
        /// The name of the employment type, such as "Hybrid".
        "customEmploymentTypeName" custom_employment_type_name: required String as Text<MAX_NAME_CHARACTERS>;
    }

    "job title":
    /// A job title of a company.
    CompanyJobTitle = "jobTitle" in job_titles "jobTitles" by JobTitleId job_title_id "jobTitleId" {
        /// The text of the title, such as "Baker".
        "title" title: required String as Text<MAX_NAME_CHARACTERS>;
        /// The first day on which workers can have the title.
        "startDate" start_date: optional Date as Day;
        /// The last day on which workers can have the title.
        "endDate" end_date: optional Date as Day;
    }
    in force from start_date "startDate" to end_date "endDate";

    "labor assignment":
    /// A kind of work to which hours are assigned, such as a shift at a location.
    LaborAssignment = "laborAssignment" in labor_assignments "laborAssignments"
        by LaborAssignmentId labor_assignment_id "laborAssignmentId"
    {
        /// The name of the labor assignment, such as "Night shift".
        "name" name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The first day on which hours can be assigned to the labor assignment.
        "startDate" start_date: optional Date as Day;
        /// The last day on which hours can be assigned to the labor assignment.
        "endDate" end_date: optional Date as Day;
        /// The organizational unit for the work. The server does not check that it exists.
        "organizationId" organization_id: optional OrganizationId as Identifier;
        /// The position of the work in another system.
        "positionId" position_id: optional ReferenceId as Identifier;
        /// The location of the work. The server does not check that it exists.
        "locationId" location_id: optional ReferenceId as Identifier;
        /// The pay for one hour of the labor assignment.
        "rate" rate: optional Rate as RateFromZero;
    }
    in force from start_date "startDate" to end_date "endDate";

    "location":
    /// A location at which a company works.
    Location = "location" in locations "locations" by LocationId location_id "locationId" {
        /// The name of the location, such as "Shop".
        "name" name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The postal address of the location.
        "address" address: optional_object Address as PostalAddress;
        /// The first day on which the company uses the location.
        "movedIn" moved_in: optional Date as Day;
        /// The last day on which the company uses the location.
        "movedOut" moved_out: optional Date as Day;
    }
    in force from moved_in "movedIn" to moved_out "movedOut";

    "pay frequency":
    /// A frequency of pay components that is allowed for one frequency of pay periods.
    PayFrequency = "payFrequency" in pay_frequencies "payFrequencies"
        by PayFrequencyId pay_frequency_id "payFrequencyId" shown OPERATOR_VIEWS_ONLY
    {
        /// The frequency of the pay periods.
        "payFrequency" pay_frequency: required IntervalCode as Enumeration;
        /// The frequency of the pay component.
        "payComponentFrequency" component_frequency: required_object ComponentFrequency as InParentRow;
    }

    "job":
    /// A job to which hours are assigned.
    CompanyJob = "job" in jobs "jobs" by JobId job_id "jobId" {
        /// The id of the job in the system that created it.
        "jobCorrelationId" job_correlation_id: optional String as Text<MAX_NAME_CHARACTERS>;
        /// The name of the job, such as "Bridge repair".
        "jobName" job_name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The job number, in up to three segments with the lengths that the company has set.
        "jobNumber" job_number: optional_object JobNumber as InParentRow;
        /// The first day on which hours can be assigned to the job.
        "startDate" start_date: optional Date as Day;
        /// The last day on which hours can be assigned to the job.
        "endDate" end_date: optional Date as Day;
    }
    in force from start_date "startDate" to end_date "endDate";

    "worker status":
    /// A combination of type and reason that the statuses of a company's workers can have.
    CompanyStatus = "workerStatus" in worker_statuses "workerStatuses"
        by CompanyStatusId worker_status_id "workerStatusId"
    {
        /// The type of the worker status.
        "statusType" status_type: required StatusType as Enumeration;
        /// The reason for the status, such as HIRED. Each combination of type and reason is unique.
        "statusReason" status_reason: required String as OpenEnumeration;
    }

    "job segment":
    /// A segment of the job numbers of a company.
    JobSegment = "jobSegment" in job_segments "jobSegments"
        by JobSegmentId job_segment_id "jobSegmentId" shown OPERATOR_VIEWS_ONLY
    {
        /// The position of the segment in a job number, from 1 to 3. Each position has one segment.
        "segmentNumber" segment_number: required u32 as SegmentNumber;
        /// The name of the segment, such as "Location code".
        "name" name: required String as Text<MAX_NAME_CHARACTERS>;
        /// The number of characters in the segment.
        "segmentLength" segment_length: required u32 as SegmentLength;
    }

    "document category":
    /// A category for documents of workers.
    DocumentCategory = "documentCategory" in document_categories "documentCategories"
        by DocumentCategoryId document_category_id "categoryId"
    {
        /// The name of the category, such as "Certificates".
        "categoryName" category_name: required String as Text<MAX_NAME_CHARACTERS>;
    }

    "user":
    /// A user of the company's payroll system who is not one of its workers.
    CompanyUser = "user" in users "users" by UserId user_id "userId" {
        /// The name of the person.
        "name" name: required_object Name as InParentRow;
        /// The e-mail address of the person.
        "email" email: optional String as Email;
        /// The function of the person, such as "Payroll administrator".
        "title" title: optional String as Text<MAX_NAME_CHARACTERS>;
        /// Whether the person can currently sign in to the company's payroll system.
        "active" active: required bool as Flag;
    }
}

/// A type of lookup objects. There is one type for each kind.
#[cfg(feature = "server")]
pub trait Lookup: Described + Clone + PartialEq + Send + Sync + 'static {
    /// The kind of lookup object that the type represents.
    const KIND: LookupKind;

    /// Returns the id of the object.
    fn id(&self) -> &str;

    /// Converts the object to the enum of all kinds.
    fn into_lookup_object(self) -> LookupObject;

    /// Returns the object if it is of this kind.
    fn from_lookup_object(object: &LookupObject) -> Option<&Self>;

    /// Returns a company's objects of this kind.
    fn objects_of_kind(lists: &LookupLists) -> &[Self];

    /// Returns the days on which the object is valid. If the kind has no members for the days, the object is
    /// always valid.
    fn validity_period(&self) -> ValidityPeriod;
}
