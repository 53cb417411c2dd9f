//! `clock …` and `sandbox …`: commands for a running sandbox.

use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use crate::commands::table::{BodyKind, CommandNoun, CommandRow, Parameter, ParameterTarget};
use crate::failure::{Failure, Outcome};
use crate::operator::Method;

/// The help text of both nouns about the servers that support these commands.
const SANDBOX_ONLY_HELP: &str = "Works only with a running sandbox: the demo, or `serve --sandbox`. Set \
    --url to its operator listener.";
const CLOCK_PATH: &str = "sandbox/clock";

pub(in crate::commands) const CLOCK: CommandNoun = CommandNoun {
    name: "clock",
    about: "Show and set the clock of a sandbox",
    extra_help: SANDBOX_ONLY_HELP,
    example: "clock advance 5m --url http://127.0.0.1:8081",
    rows: &[&[
        CommandRow::get("show", "Show the time of the sandbox", CLOCK_PATH),
        CommandRow::send(
            Method::Put,
            "advance",
            "Advance the clock. The server first does everything that is due before the new time, in order",
            CLOCK_PATH,
        )
        .with_body(BodyKind::Own(duration_argument, duration_document))
        .with_sentence("It is {/now} in the sandbox."),
        CommandRow::send(Method::Put, "set", "Set the clock to a future instant", CLOCK_PATH)
            .with_parameters(&[Parameter {
                name: "instant",
                value: "INSTANT",
                help: "The new time of the sandbox, such as 2031-01-05T08:00:00Z",
                target: ParameterTarget::Argument("now"),
            }])
            .with_body(BodyKind::Members)
            .with_sentence("It is {/now} in the sandbox."),
        CommandRow::send(Method::Delete, "release", "Reset the clock to the machine's time", CLOCK_PATH)
            .with_sentence("The clock shows the machine's time again."),
    ]],
};

pub(in crate::commands) const SANDBOX: CommandNoun = CommandNoun {
    name: "sandbox",
    about: "Trigger events of a sandbox, and reset it",
    extra_help: SANDBOX_ONLY_HELP,
    example: "sandbox trigger WRKR_DEM 00DEMO0001COMPANY001 --worker 00DEMO0001WORKER0001",
    rows: &[&[
        CommandRow::send(
            Method::Post,
            "trigger",
            "Trigger an event although nothing has changed. The event is delivered like a real one",
            "sandbox/triggers",
        )
        .with_parameters(&[
            Parameter {
                name: "domain",
                value: "DOMAIN",
                help: "The event domain, such as WRKR_DEM or CLT_PYRN",
                target: ParameterTarget::Argument("domain"),
            },
            Parameter {
                name: "company",
                value: "COMPANY",
                help: "The company's id",
                target: ParameterTarget::Argument("companyId"),
            },
            Parameter::member(
                "worker",
                "WORKER",
                "workerId",
                "The worker that the event is about. Only for event domains of workers",
            ),
            Parameter::member(
                "period",
                "PERIOD",
                "payPeriodId",
                "The pay period that the event is about. Only for CLT_PYRN",
            ),
            Parameter {
                name: "duplicate",
                value: "",
                help: "Deliver the event twice, to test how a receiver handles duplicates",
                target: ParameterTarget::Flag("duplicate"),
            },
            Parameter {
                name: "out-of-order",
                value: "",
                help: "After the event, deliver an older event of the same kind, to test a receiver with \
                    notifications in the wrong order",
                target: ParameterTarget::Flag("outOfOrder"),
            },
        ])
        .with_body(BodyKind::Members)
        .with_sentence("Sent as notification {/notificationIds}."),
        CommandRow {
            needs_confirmation: true,
            ..CommandRow::send(
                Method::Post,
                "reset",
                "Delete all companies and their history, and store the initial data again",
                "sandbox/reset",
            )
            .with_parameters(&[Parameter {
                name: "database",
                value: "NAME",
                help: "The name of the database to reset, such as demo.db or payroll.db",
                target: ParameterTarget::Argument("database"),
            }])
            .with_body(BodyKind::Members)
            .with_sentence("The sandbox contains its initial data again.")
        },
    ]],
};

fn duration_argument(command: Command) -> Command {
    let help = "The duration, such as 90s, 5m, 36h, 3d or 1d12h, or PT5M (ISO 8601)";
    command.arg(Arg::new("duration").value_name("DURATION").required(true).help(help))
}

fn duration_document(matches: &ArgMatches) -> Outcome<Value> {
    let text = matches.get_one::<String>("duration").map(String::as_str).unwrap_or_default();
    let duration = to_iso_duration(text).ok_or_else(|| {
        Failure::new(format!("{text:?} is not a duration such as 90s, 5m, 36h, 3d or 1d12h"))
    })?;
    Ok(json!({"advance": duration}))
}

/// Returns a duration in ISO 8601 format. A text that starts with P is returned unchanged, and only the
/// server validates it. `None` if the text is not a duration.
fn to_iso_duration(text: &str) -> Option<String> {
    if text.starts_with('P') {
        return Some(text.to_owned());
    }
    let is_made_of_units = text.ends_with(['d', 'h', 'm', 's'])
        && text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"dhms".contains(&byte));
    if !is_made_of_units {
        return None;
    }
    let (days, time) = text.split_once('d').map_or(("", text), |(days, time)| (days, time));
    let days = if days.is_empty() { String::new() } else { format!("{days}D") };
    let time = if time.is_empty() { String::new() } else { format!("T{}", time.to_ascii_uppercase()) };
    Some(format!("P{days}{time}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_short_and_iso_durations() {
        for (text, expected) in [
            ("5m", Some("PT5M")),
            ("90s", Some("PT90S")),
            ("1d12h", Some("P1DT12H")),
            ("3d", Some("P3D")),
            ("PT5M", Some("PT5M")),
            ("5", None),
            ("m", None),
            ("-5m", None),
            ("5 m", None),
            ("", None),
        ] {
            assert_eq!(to_iso_duration(text).as_deref(), expected, "{text}");
        }
    }
}
