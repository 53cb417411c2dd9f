//! `period …`: the life of pay periods.

use std::io::Read;
use std::path::{Path as FilePath, PathBuf};

use serde_json::Value;

use super::context::Session;
use super::output::{day, text};
use crate::cli::{Paging, PeriodCommand};
use crate::failure::{Failure, Outcome};
use crate::operator::{Method, Path, Request, path};
use crate::terminal::{Cell, Tone};

/// The largest document of a completion: the taxes of some hundred thousand checks.
const MAX_INPUT_BYTES: u64 = 256 * 1024 * 1024;

pub(super) async fn run(mut session: Session<'_>, command: PeriodCommand) -> Outcome {
    match command {
        PeriodCommand::List { company, paging } => list(&mut session, &company, &paging).await,
        PeriodCommand::Process { company, period } => {
            let moved = Move { company, period, name: "process", input: None };
            moved.run(&mut session, "is closed and waits for its completion").await
        }
        PeriodCommand::Complete { company, period, input } => {
            let input = input.map(read).transpose()?;
            let moved = Move { company, period, name: "complete", input };
            moved.run(&mut session, "is completed").await
        }
        PeriodCommand::Reopen { company, period } => {
            let moved = Move { company, period, name: "reopen", input: None };
            moved.run(&mut session, "is open again").await
        }
    }
}

async fn list(session: &mut Session<'_>, company: &str, paging: &Paging) -> Outcome {
    let periods = path(&["companies", company, "payperiods"]).page(paging);
    let answer = session.operator.send(Request::get(periods)).await?;
    let head = ["PERIOD", "STATUS", "START", "END", "CHECK DATE", "INTERVAL", "DESCRIPTION"];
    session.output.list(&answer, head, |period| {
        [
            text(period, "payPeriodId").into(),
            status(period),
            day(period, "startDate").into(),
            day(period, "endDate").into(),
            day(period, "checkDate").into(),
            text(period, "intervalCode").into(),
            text(period, "description").into(),
        ]
    })
}

fn status(period: &Value) -> Cell {
    let status = text(period, "status");
    let tone = match status {
        "INITIAL" | "ENTRY" => Tone::Good,
        "PROCESSING" => Tone::Warning,
        _ => Tone::Plain,
    };
    Cell::toned(status, tone)
}

/// One move of one period.
struct Move {
    company: String,
    period: String,
    name: &'static str,
    input: Option<Vec<u8>>,
}

impl Move {
    async fn run(self, session: &mut Session<'_>, done: &str) -> Outcome {
        let seen = session.operator.send(Request::get(self.path(&[]))).await?;
        let request = Request::new(Method::Post, self.path(&[self.name])).if_as_in(&seen);
        let request = match self.input {
            Some(input) => request.body("application/json", input),
            None => request,
        };
        let answer = session.operator.send(request).await?;
        session.output.done(&answer, format_args!("Pay period {} {done}.", self.period))
    }

    fn path(&self, below: &[&str]) -> Path {
        let period = ["companies", self.company.as_str(), "payperiods", self.period.as_str()];
        path(&[&period, below].concat())
    }
}

/// The document that is handed in with a completion.
fn read(file: PathBuf) -> Outcome<Vec<u8>> {
    let unreadable =
        |error: std::io::Error| Failure::caused(format!("{} cannot be read", file.display()), &error);
    let mut input = Vec::new();
    let mut bounded: Box<dyn Read> = match file.as_path() == FilePath::new("-") {
        true => Box::new(std::io::stdin().take(MAX_INPUT_BYTES + 1)),
        false => Box::new(std::fs::File::open(&file).map_err(unreadable)?.take(MAX_INPUT_BYTES + 1)),
    };
    bounded.read_to_end(&mut input).map_err(unreadable)?;
    if input.len() as u64 > MAX_INPUT_BYTES {
        return Err(Failure::new(format!("{} has more than {MAX_INPUT_BYTES} bytes", file.display())));
    }
    Ok(input)
}
