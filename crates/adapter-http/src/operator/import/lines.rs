//! The lines of a body, one after the other, each within its limits.

use std::time::Duration;

use actix_web::dev::Payload;
use futures_util::StreamExt;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

/// The longest line: a company of some hundred thousand workers. A longer one is refused before it
/// fills the memory, and the lines behind it are read.
const MAX_LINE_BYTES: usize = 512 * 1024 * 1024;

/// One line, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its bytes, without the line feed.
    Whole(Vec<u8>),
    /// It was skipped.
    TooLong(Violation),
    /// The body ends in the middle, or comes too slowly: there is no more.
    BrokenOff(Violation),
}

/// A body that is read line by line.
pub(super) struct Lines {
    payload: Payload,
    /// How long the next bytes may take.
    patience: Duration,
    max_line_bytes: usize,
    /// What has come and is not given yet.
    rest: Vec<u8>,
    /// How much of it holds no line feed.
    searched: usize,
    number: u64,
    /// The body has ended.
    ended: bool,
}

impl Lines {
    pub(super) const fn new(payload: Payload, patience: Duration) -> Self {
        Self {
            payload,
            patience,
            max_line_bytes: MAX_LINE_BYTES,
            rest: Vec::new(),
            searched: 0,
            number: 0,
            ended: false,
        }
    }

    /// The number of the line that was given last; the first is 1.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The next line; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Line> {
        let mut too_long = false;
        loop {
            if let Some(line) = self.take_line(too_long) {
                return Some(line);
            }
            if self.rest.len() > self.max_line_bytes {
                too_long = true;
            }
            if too_long {
                self.rest.clear();
                self.searched = 0;
            }
            if self.ended {
                return self.take_last(too_long);
            }
            if let Err(fault) = self.read_on().await {
                self.number += 1;
                return Some(Line::BrokenOff(fault));
            }
        }
    }

    /// The first line of what has come, if it is there to its end.
    fn take_line(&mut self, too_long: bool) -> Option<Line> {
        let new = self.rest.get(self.searched..).unwrap_or_default();
        let Some(end) = new.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.rest.len();
            return None;
        };
        let behind = self.rest.split_off(self.searched + end + 1);
        let mut line = std::mem::replace(&mut self.rest, behind);
        line.pop();
        self.searched = 0;
        self.number += 1;
        let fits = !too_long && line.len() <= self.max_line_bytes;
        Some(if fits { Line::Whole(line) } else { Line::TooLong(self.too_long()) })
    }

    /// What stands behind the last line feed, if anything does.
    fn take_last(&mut self, too_long: bool) -> Option<Line> {
        let line = std::mem::take(&mut self.rest);
        self.searched = 0;
        if line.is_empty() && !too_long {
            return None;
        }
        self.number += 1;
        Some(if too_long { Line::TooLong(self.too_long()) } else { Line::Whole(line) })
    }

    /// Takes in the next bytes.
    async fn read_on(&mut self) -> Result<(), Violation> {
        match tokio::time::timeout(self.patience, self.payload.next()).await {
            Ok(Some(Ok(bytes))) => self.rest.extend_from_slice(&bytes),
            Ok(None) => self.ended = true,
            Ok(Some(Err(_))) => {
                let problem = "the request's body breaks off or is wrongly encoded";
                return Err(Violation::new(Reason::InvalidParameter, problem));
            }
            Err(_) => {
                let seconds = self.patience.as_secs();
                let problem = format!("nothing more of the request's body came within {seconds} seconds");
                return Err(Violation::new(Reason::BodyTooSlow, problem));
            }
        }
        Ok(())
    }

    fn too_long(&self) -> Violation {
        let problem = format!("the line has more than {} bytes", self.max_line_bytes);
        Violation::new(Reason::BodyTooLarge, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::error::PayloadError;
    use actix_web::web::Bytes;
    use futures_util::stream;

    type Chunk = Result<Bytes, PayloadError>;

    fn lines(chunks: Vec<Chunk>) -> Lines {
        let payload = Payload::from(stream::iter(chunks).boxed_local());
        Lines { max_line_bytes: 8, ..Lines::new(payload, Duration::from_secs(1)) }
    }

    /// Every line with its number; one that is no line by its code.
    async fn all(chunks: Vec<Chunk>) -> Vec<String> {
        let mut lines = lines(chunks);
        let mut told = Vec::new();
        while let Some(line) = lines.next().await {
            let text = match line {
                Line::Whole(bytes) => String::from_utf8(bytes).unwrap(),
                Line::TooLong(fault) => fault.reason.code().to_owned(),
                Line::BrokenOff(fault) => {
                    told.push(format!("{} {}", lines.number(), fault.reason.code()));
                    break;
                }
            };
            told.push(format!("{} {text}", lines.number()));
        }
        told
    }

    fn chunk(text: &str) -> Chunk {
        Ok(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_are_the_same_however_the_body_is_cut() {
        let text = "one\n\ntwo\r\n12345678\nlast";
        let expected = ["1 one", "2 ", "3 two\r", "4 12345678", "5 last"];
        assert_eq!(all(vec![chunk(text)]).await, expected);
        let bytes = text.bytes().map(|byte| Ok(Bytes::copy_from_slice(&[byte]))).collect();
        assert_eq!(all(bytes).await, expected);
        assert!(all(vec![]).await.is_empty());
        assert_eq!(all(vec![chunk("one\n")]).await, ["1 one"]);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let expected = ["1 API-413", "2 next"];
        assert_eq!(all(vec![chunk("123456789\nnext")]).await, expected);
        assert_eq!(all(vec![chunk("1234567890"), chunk("123\nne"), chunk("xt")]).await, expected);
        assert_eq!(all(vec![chunk("a\n1234567890")]).await, ["1 a", "2 API-413"]);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_says_so_at_its_line() {
        let broken = Err(PayloadError::Incomplete(None));
        assert_eq!(all(vec![chunk("one\ntw"), broken]).await, ["1 one", "2 API-40"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_coming_says_so_too() {
        let payload = Payload::from(stream::pending::<Chunk>().boxed_local());
        let line = Lines::new(payload, Duration::from_secs(1)).next().await.unwrap();
        assert!(matches!(line, Line::BrokenOff(fault) if fault.reason == Reason::BodyTooSlow));
    }
}
