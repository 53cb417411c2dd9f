//! The paths of the partners' listener that are no operations. What holds for all such paths, and what
//! both listeners have of them, is in `shared::service`.

use std::sync::Arc;

use crate::openapi::served::{self, Description};
use crate::shared::route_table::{RouteTable, path};
use crate::shared::service::{ServiceHandler, alive, ready};

/// The table.
pub(crate) fn table() -> RouteTable<ServiceHandler> {
    let description = Description::default();
    RouteTable::new(vec![
        path("/docs").open(served::to_page),
        path("/docs/").open(served::page),
        path("/docs/{file}").open(served::page),
        path("/livez").open(alive),
        path("/openapi.json").open(move |incoming| served::description(Arc::clone(&description), incoming)),
        path("/readyz").open(ready),
    ])
}
