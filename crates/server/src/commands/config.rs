//! `config`: prints every setting with its effective value, its source and its description, in the format of
//! a settings file. Secrets are masked.

use super::context::CommandContext;
use crate::config::ROWS;
use crate::failure::Outcome;

pub(super) fn run(context: CommandContext<'_>) -> Outcome {
    let shown = context.settings.shown_values();
    for (row, (name, value)) in ROWS.iter().zip(shown) {
        let origin = context.sources.get(name).map(|(_, origin)| origin.to_string());
        writeln!(context.out, "# {}", row.documentation.trim())?;
        writeln!(context.out, "{name} = {value:?} # from: {}\n", origin.as_deref().unwrap_or("default"))?;
    }
    Ok(())
}
