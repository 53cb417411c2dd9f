//! The spellings of a closed set of values on the wire and in storage.

/// A closed set of values with one spelling each, for code that reads any of them.
pub(crate) trait Named: Copy + 'static {
    /// Every value.
    const ALL: &'static [Self];
    /// Its spelling.
    fn as_str(self) -> &'static str;
    /// The value of that spelling.
    fn parse(text: &str) -> Option<Self>;
}

/// Declares an enum whose values have one spelling each, on the wire and in storage.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_doc])* #[doc = concat!(" `", $text, "`.")] $variant,)* }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its spelling.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The value of that spelling, to the letter.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl $crate::named::Named for $name {
            const ALL: &'static [Self] = $name::ALL;

            fn as_str(self) -> &'static str {
                $name::as_str(self)
            }

            fn parse(text: &str) -> Option<Self> {
                $name::parse(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use named;
