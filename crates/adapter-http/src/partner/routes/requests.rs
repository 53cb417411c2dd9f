//! The recent requests of the caller's application (specification §9.10).

use payroll_domain::violation::Violations;

use crate::partner::call::Call;
use crate::shared::answer::Reading;
use crate::shared::handled::Handled;
use crate::shared::media_type::JSON;
use crate::shared::requests::{self, Shown};

/// GET /management/requests.
pub(crate) async fn list(call: Call) -> Handled {
    let query =
        call.after_authentication::<_, Violations>(requests::read_query(&call.incoming.query())).await?;
    call.negotiate(&[JSON]).await?;
    let (access, page) = call.open(call.store().requests_for(&call.caller, &query).await?)?;
    let shown = Shown::page(&page)?;
    shown.list(&Reading::new(&call, &access, JSON, shown.version()))
}
