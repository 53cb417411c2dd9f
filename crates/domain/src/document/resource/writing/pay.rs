//! The members of pay components and pay periods, as written.

use crate::document::writer::ObjectWriter;
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;

pub(super) fn component(component: &PayComponent, object: &mut ObjectWriter<'_>) {
    object.text("componentId", &component.component_id);
    object.text("name", &component.name);
    object.optional("code", component.code.as_ref());
    object.text("classificationType", component.classification_type);
    object.optional("description", component.description.as_ref());
    object.text("effectOnPay", component.effect_on_pay);
    object.optional_day("startDate", component.start_date);
    object.optional_day("endDate", component.end_date);
    object.texts("appliesToWorkerTypes", &component.applies_to_worker_types);
    object.flag("overtime", component.overtime);
    object.optional("requiredProduct", component.required_product.as_ref());
}

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
