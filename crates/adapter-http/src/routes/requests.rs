//! What the caller's application has asked of late (specification §9.10).

use payroll_domain::violation::Violations;

use crate::answer::Reading;
use crate::call::Call;
use crate::media_type::JSON;
use crate::requests::{self, Shown};
use crate::routes::Handled;

/// GET /management/requests.
pub(crate) async fn list(call: Call) -> Handled {
    let asked = call.after_authentication::<_, Violations>(requests::asked(&call.incoming.query())).await?;
    call.negotiate(&[JSON]).await?;
    let (access, page) = call.open(call.store().requests_for(&call.caller, &asked).await?)?;
    let shown = Shown::page(&page)?;
    shown.list(&Reading::new(&call, &access, JSON, shown.version()))
}
