//! The members of pay components and pay periods, as written.

use crate::document::writer::ObjectWriter;
use crate::pay_period::PayPeriod;

pub(super) fn period(period: &PayPeriod, object: &mut ObjectWriter<'_>) {
    object.text("payPeriodId", &period.pay_period_id);
    object.text("intervalCode", period.interval_code);
    object.text("status", period.status);
    object.optional("description", period.description.as_ref());
    object.day("startDate", period.start_date);
    object.day("endDate", period.end_date);
    object.optional_day("submitByDate", period.submit_by_date);
    object.day("checkDate", period.check_date);
}
