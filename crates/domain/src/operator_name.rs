//! Names of operators: their validation, and a comparison that treats names that look the same as equal.
//!
//! Two different operators must complete a pay period (specification §10.22), and the audit log identifies
//! operators by name. Two names that a reader cannot distinguish therefore count as the same operator.

use caseless::default_case_fold_str;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_security::skeleton;

/// Returns whether every character of a name is visible. Control, format, unassigned and private-use
/// characters are invalid. White space is invalid too, except the blank.
///
/// ```
/// use payroll_domain::operator_name::has_only_visible_characters;
/// assert!(has_only_visible_characters("Ana María O'Neill"));
/// assert!(!has_only_visible_characters("An\u{200b}n"), "a zero-width space");
/// ```
#[must_use]
pub fn has_only_visible_characters(name: &str) -> bool {
    !name.chars().any(is_hidden)
}

fn is_hidden(character: char) -> bool {
    let is_other = character.general_category_group() == GeneralCategoryGroup::Other;
    let is_blank_of_its_own = character.is_whitespace() && character != ' ';
    // The skeleton of UTS #39 is empty for a character without a visible glyph, such as a variation selector
    // or a Hangul filler. Such a character counts as hidden.
    is_other || is_blank_of_its_own || skeleton(character.encode_utf8(&mut [0; 4])).next().is_none()
}

/// Returns whether two names belong to the same operator. The comparison ignores case and the number of
/// blanks, and treats names that look the same as equal (UTS #39).
///
/// ```
/// use payroll_domain::operator_name::are_confusable;
/// assert!(are_confusable("Ann", " ann "));
/// assert!(are_confusable("Ann", "\u{410}nn"), "a Cyrillic A");
/// assert!(!are_confusable("Ann", "Anna"));
/// ```
#[must_use]
pub fn are_confusable(one: &str, other: &str) -> bool {
    fold_case(one) == fold_case(other) || visual_skeleton(one) == visual_skeleton(other)
}

/// Returns a form of the name that is equal for names that differ only in upper and lower case. The form also
/// replaces characters that look the same.
fn fold_case(name: &str) -> String {
    skeleton(&default_case_fold_str(&collapse_blanks(name))).collect()
}

/// Returns a text that is equal for names that look the same in capital or in small Latin letters.
fn visual_skeleton(name: &str) -> String {
    // The first skeleton replaces characters that look like Latin letters by those letters. The letters are
    // then capitalized, because a capital I looks like a small L. The last skeleton replaces a small m by rn,
    // which looks the same.
    let latin: String = skeleton(&collapse_blanks(name)).collect();
    let capitals: String = skeleton(&latin.to_uppercase()).collect();
    skeleton(&default_case_fold_str(&capitals)).collect()
}

fn collapse_blanks(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treats_names_that_look_the_same_as_equal() {
        for (one, other) in [
            ("Ann", "Ann"),
            ("Ann", "ann "),
            ("Ann Lee", "ANN  lee"),
            ("Ann", "\u{410}nn"),
            ("Ben", "\u{412}en"),
            ("Vera", "\u{3bd}era"),
            ("Ann", "\u{ff21}nn"),
            ("Ann", "An\u{200d}n"),
            ("Ian", "lan"),
            ("ian", "1an"),
            ("Bem", "Bern"),
            ("Max", "rnax"),
            ("month 0", "month O"),
            ("Jos\u{e9}", "Jose\u{301}"),
            ("Stra\u{df}e", "STRASSE"),
            ("\u{412}\u{435}\u{43d}\u{44f}", "\u{432}\u{435}\u{43d}\u{44f}"),
        ] {
            assert!(are_confusable(one, other) && are_confusable(other, one), "{one} {other}");
        }
    }

    #[test]
    fn operator_names_that_look_different_are_different() {
        for (one, other) in [("Ann", "Anna"), ("Ann", "Ben"), ("Ann Lee", "AnnLee"), ("Jos\u{e9}", "Jose")] {
            assert!(!are_confusable(one, other), "{one} {other}");
        }
    }

    #[test]
    fn rejects_names_with_invisible_characters() {
        for name in ["Ann", "Ann-Marie O'Neill (night)", "Jos\u{e9}", "\u{738b}\u{5c0f}", "\u{1f468}"] {
            assert!(has_only_visible_characters(name), "{name}");
        }
        for hidden in [
            '\u{7}',
            '\t',
            '\n',
            '\u{a0}',
            '\u{ad}',
            '\u{34f}',
            '\u{600}',
            '\u{61c}',
            '\u{200b}',
            '\u{202e}',
            '\u{2028}',
            '\u{2066}',
            '\u{3164}',
            '\u{e000}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{e0061}',
            '\u{378}',
        ] {
            assert!(!has_only_visible_characters(&format!("A{hidden}nn")), "U+{:04X}", u32::from(hidden));
        }
    }
}
