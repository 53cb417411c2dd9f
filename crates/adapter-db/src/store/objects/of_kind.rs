//! Maps the kinds of the domain to the kinds of the store.

/// Evaluates an expression in which `$name` is the `Kind` type for a `ResourceKind`.
macro_rules! with_object_kind {
    ($kind:expr, $name:ident => $work:expr) => {
        with_object_kind!($kind, $name => $work;
            Company: Companies, Organization: Organizations, ContactType: ContactTypes,
            CustomFieldCategory: Categories, CustomField: CustomFields, PayComponent: PayComponents,
            PayPeriod: PayPeriods, Worker: Workers)
    };
    ($kind:expr, $name:ident => $work:expr; $($variant:ident: $type:ident),*) => {
        match $kind {
            $(ResourceKind::$variant => {
                type $name = objects::$type;
                $work
            })*
            ResourceKind::Lookup(kind) => payroll_domain::with_lookup_kind!(kind, Object => {
                type $name = objects::LookupObjects<Object>;
                $work
            }),
        }
    };
}
pub(in super::super) use with_object_kind;
