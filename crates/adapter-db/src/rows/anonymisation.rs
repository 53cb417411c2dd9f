//! The treatments of values in an anonymised copy.

/// The treatment of a value in an anonymised copy. An absent value stays absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anonymisation {
    /// The value is copied.
    Kept,
    /// The value becomes NULL in the copy.
    Absent,
    /// The flag is set to false.
    False,
    /// The number is set to 0.
    Zero,
    /// The value of another column of the row replaces it.
    SameAs(&'static str),
    /// The text becomes this word and a generated name.
    Name(&'static str),
    /// Letters become other letters, and digits other digits. Different codes of one format stay different.
    Code,
    /// Letters and digits are replaced as for a code. The first digits become `000`, as in no real area code
    /// or postal code.
    Number,
    /// An e-mail address at the domain `example.invalid`.
    Email,
    /// Digits from a range that is not issued: an SSN from 900 on, or a FEIN with the prefix 00.
    LegalId,
    /// Another day of the same year replaces the birth date.
    Birthday,
    /// One of the possible words replaces the sex, independent of the old word.
    Sex,
    /// The search key for `displayid`, computed from the new display id.
    DisplayKey,
    /// The default of a custom field, which is replaced if the field contains texts.
    DefaultText,
    /// Replaced, unless it is the id of a reversed check.
    Correlation,
    /// A type is replaced, unless it is one of the server's own types.
    CheckType,
    /// An address at a host that never resolves.
    HookAddress,
    /// The credentials for a receiver: another secret with the same method.
    Authentication,
    /// A new secret replaces it.
    SigningSecret,
    /// An amount of money in cents, for `--amounts scale`.
    Amount,
    /// An amount of money with four decimal places, for `--amounts scale`.
    Rate,
    /// An amount of money, unless the component is a percentage.
    RecurringValue,
    /// An amount of money, unless the payment type in that column is a percentage.
    DepositValue(&'static str),
    /// The lines, completion and pay of a check, which are changed together.
    OfCheck,
    /// A total of a period, which is computed again from its checks if their amounts change.
    Total,
    /// The target creates the value itself, or it results from encrypting the row.
    SetByTarget,
}
