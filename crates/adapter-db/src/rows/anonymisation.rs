//! The treatments of values in an anonymised copy.

/// The treatment of a column's values in an anonymised copy. A missing value (NULL) stays missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anonymisation {
    /// The value is copied without a change.
    Kept,
    /// The value becomes NULL in the copy.
    Absent,
    /// The flag is set to false.
    False,
    /// The number is set to 0.
    Zero,
    /// The value is replaced by the value of the named column of the same row.
    SameAs(&'static str),
    /// The text is replaced by the given word, followed by a generated name.
    Name(&'static str),
    /// Each letter becomes a letter, and each digit a digit. Different codes of the same format stay
    /// different.
    Code,
    /// Letters and digits are replaced as for `Code`. The first digits become `000`, which is not the
    /// start of any real area code or postal code.
    Number,
    /// The e-mail address is replaced by an address at the domain `example.invalid`.
    Email,
    /// The tax ID is replaced by digits from a range that is never issued: an SSN from 900 on, or a FEIN with
    /// the prefix 00.
    LegalId,
    /// The birth date is replaced by another day of the same year.
    Birthday,
    /// The sex is replaced by one of the possible values. The replacement does not depend on the old value.
    Sex,
    /// The search key for `displayid` is computed from the new display id.
    DisplayKey,
    /// The default value of a custom field is replaced if the field is a text field.
    DefaultText,
    /// A correlation id is replaced, unless it is the id of a reversed check.
    Correlation,
    /// A check type is replaced, unless it is one of the types that the server defines.
    CheckType,
    /// The address of a hook is replaced by an address whose host name never resolves.
    HookAddress,
    /// The credentials for a receiver are replaced by other secrets for the same authentication method.
    Authentication,
    /// The signing secret is replaced by a new secret.
    SigningSecret,
    /// An amount of money in cents, which `--amounts scale` scales.
    Amount,
    /// An amount of money with four decimal places, which `--amounts scale` scales.
    Rate,
    /// An amount of money that `--amounts scale` scales, unless the component is a percentage.
    RecurringValue,
    /// An amount of money that `--amounts scale` scales, unless the payment type in the given column is a
    /// percentage.
    DepositValue(&'static str),
    /// The column contains the lines, the completion data or the amounts of a check. These columns are
    /// replaced together.
    OfCheck,
    /// The total of a period is recomputed from the checks of the period if the amounts of checks change.
    Total,
    /// The value is not copied. The target database assigns the value, or computes it when the row is
    /// encrypted.
    SetByTarget,
}
