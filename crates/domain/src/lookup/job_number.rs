//! The number of a job, which has up to three segments.

use crate::description::described;
use crate::description::kinds::Text;
use crate::object::values::MAX_CODE_LENGTH;

described! {
    /// The number of a job.
    pub struct JobNumber {
        /// The first segment of the job number, or the complete number if the company has no segments.
        "segment1" first: required String as Text<MAX_CODE_LENGTH>, in "first_segment";
        /// The second segment of the job number.
        "segment2" second: optional String as Text<MAX_CODE_LENGTH>, in "second_segment";
        /// The third segment of the job number.
        "segment3" third: optional String as Text<MAX_CODE_LENGTH>, in "third_segment";
    }
}
