//! The treatment of the columns of plain objects, from what their tables say.

use super::Treatment;
use crate::rows::plain::Replacement;

/// The treatment of a column whose values are replaced so.
pub(super) const fn treatment(replacement: Replacement) -> Treatment {
    match replacement {
        Replacement::Name(word) => Treatment::Name(word),
        Replacement::Code => Treatment::Code,
        Replacement::Number => Treatment::Number,
        Replacement::Rate => Treatment::Rate,
    }
}
