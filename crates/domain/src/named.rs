//! Enums whose values have one name each, which requests, responses and storage use.

/// An enum whose values have one name each. Generic code uses this trait to read any such enum.
pub(crate) trait NamedEnum: Copy + 'static {
    /// Every value of the enum, in the order of declaration.
    const ALL: &'static [Self];
    /// Returns the name of the value.
    fn as_str(self) -> &'static str;
    /// Returns the value with the given name. `None` if no value has the name.
    fn parse(text: &str) -> Option<Self>;
}

/// Declares an enum whose values have one name each, in requests, responses and storage.
macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_doc])* #[doc = concat!(" `", $text, "`.")] $variant,)* }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name of the value.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Returns the value with exactly that name. `None` if no value has the name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl $crate::named::NamedEnum for $name {
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

pub(crate) use named_enum;

/// Declares an enum like `named_enum!`. The enum contains its own values, followed by the values of another
/// enum.
#[cfg(feature = "server")]
macro_rules! named_enum_extending {
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

            /// Returns the name of the value.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* Self::$among(other) => other.as_str() }
            }

            /// Returns the value with exactly that name. `None` if no value has the name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => $other::parse(text).map(Self::$among) }
            }
        }

        impl $crate::named::NamedEnum for $name {
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
pub(crate) use named_enum_extending;
