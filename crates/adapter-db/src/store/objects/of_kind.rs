//! Maps the kinds of the domain to the kinds of the store.

/// Evaluates an expression for a `ResourceKind`. In the expression, `$name` stands for the type that
/// implements `ObjectKind` for that kind.
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
