//! Every kind of object, by its name in the domain.

/// Runs an expression in which a name is the `Kind` of a `ResourceKind`.
macro_rules! of_kind {
    ($kind:expr, $name:ident => $work:expr) => {
        of_kind!($kind, $name => $work;
            Company: Companies, Organization: Organizations, ContactType: ContactTypes,
            CustomEmploymentType: CustomEmploymentTypes, CustomFieldCategory: Categories,
            CustomField: CustomFields, CalculationBase: CalculationBases, PayComponent: PayComponents,
            PayPeriod: PayPeriods, Worker: Workers)
    };
    ($kind:expr, $name:ident => $work:expr; $($variant:ident: $type:ident),*) => {
        match $kind {
            $(ResourceKind::$variant => {
                type $name = objects::$type;
                $work
            })*
        }
    };
}
pub(in super::super) use of_kind;
