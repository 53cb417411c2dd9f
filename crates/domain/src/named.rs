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

/// The same, with the values of another such enum among its own, after them.
#[cfg(feature = "server")]
macro_rules! named_with {
    (
        $(#[$doc:meta])*
        $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }
        $(#[$among_doc:meta])* $among:ident($other:ident)
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* #[doc = concat!(" `", $text, "`.")] $variant,)*
            $(#[$among_doc])* $among($other),
        }

        impl $name {
            /// Every value, in the order of the declaration.
            #[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
            pub const ALL: &[Self] = &{
                const OWN: &[$name] = &[$($name::$variant),*];
                let mut all = [$name::$among($other::ALL[0]); OWN.len() + $other::ALL.len()];
                let mut at = 0;
                while at < all.len() {
                    all[at] = if at < OWN.len() { OWN[at] } else { Self::$among($other::ALL[at - OWN.len()]) };
                    at += 1;
                }
                all
            };

            /// Its spelling.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* Self::$among(other) => other.as_str() }
            }

            /// The value of that spelling, to the letter.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => $other::parse(text).map(Self::$among) }
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
#[cfg(feature = "server")]
pub(crate) use named_with;
