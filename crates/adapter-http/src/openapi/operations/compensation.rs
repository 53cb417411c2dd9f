//! The compensation of workers (specification §6.26). The module `worker` declares the operations on pay
//! rates.

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::schema::schema_reference;
use crate::shared::media_type::{JSON, VendorTypes};

pub(super) fn operations(types: &VendorTypes) -> Vec<OperationDescription> {
    let links = || BodySchema::Bare(schema_reference("CompensationLinks"));
    let whole = success(
        200,
        "The links to the compensation, or the compensation itself, by media type.",
        &[&types.compensation],
        links(),
    )
    .with_media_type(&types.compensation_complete, BodySchema::Resource("Compensation"))
    .with_media_type(JSON, links());
    let standards = success(
        200,
        "The pay standards.",
        &[&types.pay_standards, JSON],
        BodySchema::Resource("PayStandards"),
    );
    vec![
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/compensation",
            "getCompensation",
            "Read a worker's compensation",
        )
        .with_description(
            "The content is empty, and the links lead to the pay rates and the pay \
                standards. With the media type `payroll.compensation.standards_rates`, the content is one \
                element with the pay rates and the pay standards.",
        )
        .with_success(whole),
        OperationDescription::new(
            "GET",
            "/workers/{workerId}/compensation/paystandards",
            "getPayStandards",
            "Read a worker's pay standards",
        )
        .with_description(
            "The content is empty if the worker has no pay standards. The server calculates \
            the three amounts exactly and rounds each of them once, to cents and half away from zero. It \
            omits an amount that it cannot calculate.",
        )
        .with_success(standards),
    ]
}
