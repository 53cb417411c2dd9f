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
    /// This word, followed by a generated name, replaces the text.
    Name(&'static str),
    /// Letters become other letters, and digits other digits. Different codes of the same format stay
    /// different.
    Code,
    /// Letters and digits are replaced as for a code. The first digits become `000`, which no real area code
    /// or postal code has.
    Number,
    /// An e-mail address at the domain `example.invalid` replaces the address.
    Email,
    /// Digits from a range that is never issued replace the tax ID: an SSN from 900 on, or a FEIN with the
    /// prefix 00.
    LegalId,
    /// Another day of the same year replaces the birth date.
    Birthday,
    /// One of the possible words replaces the sex. It does not depend on the old word.
    Sex,
    /// The search key for `displayid` is computed from the new display id.
    DisplayKey,
    /// The default of a custom field is replaced if the field contains texts.
    DefaultText,
    /// A correlation id is replaced, unless it is the id of a reversed check.
    Correlation,
    /// A type is replaced, unless it is one of the server's own types.
    CheckType,
    /// The address of a hook is replaced by one at a host that never resolves.
    HookAddress,
    /// Another secret for the same method replaces the credentials for a receiver.
    Authentication,
    /// A new secret replaces the signing secret.
    SigningSecret,
    /// An amount of money in cents, which `--amounts scale` scales.
    Amount,
    /// An amount of money with four decimal places, which `--amounts scale` scales.
    Rate,
    /// An amount of money to scale, unless the component is a percentage.
    RecurringValue,
    /// An amount of money to scale, unless the payment type in the given column is a percentage.
    DepositValue(&'static str),
    /// The column is one of the lines, completion and pay of a check, which are changed together.
    OfCheck,
    /// The total of a period is computed again from its checks if their amounts change.
    Total,
    /// The target assigns the value, or it results from encrypting the row for the target.
    SetByTarget,
}
