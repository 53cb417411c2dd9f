//! The macro that declares the settings and their table.

/// Declares `Settings` and its table in one place, so that a new setting is one row.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $(#[validate $rule:tt])? $name:ident: $type:ty = $default:literal;)*) => {
        /// The configuration of the server.
        #[derive(Debug, Clone, Validate)]
        pub struct Settings {
            $($(#[doc = $doc])+ $(#[validate $rule])? pub $name: $type,)*
        }

        /// All settings, in the order of the documentation.
        pub const ROWS: &[SettingRow] = &[$(SettingRow {
            name: stringify!($name),
            default: $default,
            documentation: concat!($($doc),+),
            secret: <$type as Setting>::IS_SECRET,
        }),*];

        impl Settings {
            /// Reads each setting from the text that `text_of` returns for its name. `None` means the
            /// default.
            fn read_all(text_of: &dyn Fn(&str) -> Option<String>) -> Outcome<Self> {
                Ok(Self {
                    $($name: {
                        let text = text_of(stringify!($name)).unwrap_or_else(|| $default.to_owned());
                        Setting::read(&text).map_err(|problem: String| invalid_setting_failure(stringify!($name), &problem))?
                    },)*
                })
            }

            /// Returns each setting with its effective value. Secrets are masked.
            #[must_use]
            pub fn shown_values(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), self.$name.show()),)*]
            }
        }
    };
}
