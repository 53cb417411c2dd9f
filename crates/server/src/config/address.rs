//! An address that may contain credentials, which are masked in output.

use std::fmt;

use super::values::Setting;

/// An address that may contain a user and a password. Both are masked in output.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AddressWithCredentials(String);

impl AddressWithCredentials {
    /// Returns the address with its credentials.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Setting for AddressWithCredentials {
    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }

    fn show(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else { return self.0.clone() };
        let host_ends = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(host_ends);
        match host.rsplit_once('@') {
            Some((_, host)) => format!("{scheme}://***@{host}{path}"),
            None => self.0.clone(),
        }
    }
}

impl fmt::Debug for AddressWithCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_not_shown() {
        for (text, shown) in [
            ("http://u:secret@127.0.0.1:4318/v1/traces", "http://***@127.0.0.1:4318/v1/traces"),
            ("https://u:p@ss@collector", "https://***@collector"),
            ("http://127.0.0.1:4318/a@b", "http://127.0.0.1:4318/a@b"),
            ("", ""),
        ] {
            let address = AddressWithCredentials::read(text).unwrap();
            assert_eq!((address.show().as_str(), address.expose()), (shown, text));
            assert_eq!(format!("{address:?}"), shown);
        }
    }
}
