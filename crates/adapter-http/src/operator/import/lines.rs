//! Reads a body line by line, within limits for each line.

use std::time::Duration;

use actix_web::dev::Payload;
use futures_util::StreamExt;
use payroll_domain::code::Reason;
use payroll_domain::steps;
use payroll_domain::violation::Violation;

use crate::transport::memory::ReservedMemory;

/// The maximum bytes of a line. This size suffices for a company with several hundred thousand workers. A
/// longer line is skipped without being stored, and reading continues with the next line.
const MAX_LINE_BYTES: usize = 512 * 1024 * 1024;

/// One line, or the reason why it cannot be returned.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadLine {
    /// The bytes without the line feed.
    Complete(Vec<u8>),
    /// The line was skipped, because it is too long.
    TooLong(Violation),
    /// There is no memory for the next bytes. Reading ends.
    NoMemory(Violation),
    /// The body ended early or arrived too slowly. Reading ends.
    BrokenOff(Violation),
}

/// A body that is read line by line.
pub(super) struct LineReader {
    payload: Payload,
    /// The time limit for the next bytes.
    read_timeout: Duration,
    /// The memory that is reserved for the received bytes.
    memory: ReservedMemory,
    max_line_bytes: usize,
    /// The bytes that have arrived.
    buffer: Vec<u8>,
    /// The number of bytes at the start of `buffer` that were already returned.
    returned_bytes: usize,
    /// The offset up to which the bytes after `returned_bytes` contain no line feed.
    searched: usize,
    number: u64,
    /// Whether the body has ended.
    body_ended: bool,
}

impl LineReader {
    pub(super) const fn new(payload: Payload, read_timeout: Duration, memory: ReservedMemory) -> Self {
        Self {
            payload,
            read_timeout,
            memory,
            max_line_bytes: MAX_LINE_BYTES,
            buffer: Vec::new(),
            returned_bytes: 0,
            searched: 0,
            number: 0,
            body_ended: false,
        }
    }

    /// Returns the number of the last returned line, from 1.
    pub(super) const fn line_number(&self) -> u64 {
        self.number
    }

    /// Returns the next line; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<ReadLine> {
        let mut too_long = false;
        loop {
            if let Some(line) = self.take_complete_line(too_long) {
                return Some(line);
            }
            too_long |= self.buffer.len().saturating_sub(self.returned_bytes) > self.max_line_bytes;
            if too_long {
                self.returned_bytes = self.buffer.len();
            }
            if self.body_ended {
                return self.take_last_line(too_long);
            }
            if let Err(end) = self.receive_bytes().await {
                self.number += 1;
                return Some(end);
            }
        }
    }

    /// Returns the first line of the received bytes, if it is complete.
    fn take_complete_line(&mut self, too_long: bool) -> Option<ReadLine> {
        let new = self.buffer.get(self.searched..).unwrap_or_default();
        let Some(length) = new.iter().position(|byte| *byte == b'\n') else {
            steps::record_steps(new.len());
            self.searched = self.buffer.len();
            return None;
        };
        let line = self.take_bytes(self.searched.saturating_add(length));
        self.returned_bytes = self.returned_bytes.saturating_add(1);
        self.searched = self.returned_bytes;
        self.number += 1;
        let fits = !too_long && line.len() <= self.max_line_bytes;
        Some(if fits { ReadLine::Complete(line) } else { ReadLine::TooLong(self.too_long_fault()) })
    }

    /// Returns the bytes after the last line feed, if there are any.
    fn take_last_line(&mut self, too_long: bool) -> Option<ReadLine> {
        let line = self.take_bytes(self.buffer.len());
        if line.is_empty() && !too_long {
            return None;
        }
        self.number += 1;
        Some(if too_long { ReadLine::TooLong(self.too_long_fault()) } else { ReadLine::Complete(line) })
    }

    /// Removes and returns the bytes up to `end`. Only the smaller part of the buffer is copied: the returned
    /// bytes or the remaining bytes. Otherwise many short lines would cause quadratic copying, and a long
    /// line would be in memory twice.
    fn take_bytes(&mut self, end: usize) -> Vec<u8> {
        let remaining = self.buffer.len().saturating_sub(end);
        let line_bytes = if self.returned_bytes == 0 && remaining < end {
            let remaining_bytes = self.buffer.split_off(end);
            // The line feed remains at the start of the new buffer and counts as returned.
            std::mem::replace(&mut self.buffer, remaining_bytes)
        } else {
            let line = self.buffer.get(self.returned_bytes..end).unwrap_or_default().to_vec();
            self.returned_bytes = end;
            line
        };
        steps::record_steps(1 + line_bytes.len().saturating_add(remaining.min(line_bytes.len())));
        line_bytes
    }

    /// Receives the next bytes.
    ///
    /// # Errors
    /// The reason why reading must end.
    async fn receive_bytes(&mut self) -> Result<(), ReadLine> {
        if self.returned_bytes > 0 {
            steps::record_steps(self.buffer.len().saturating_sub(self.returned_bytes));
            self.buffer.drain(..self.returned_bytes.min(self.buffer.len()));
            self.searched = self.searched.saturating_sub(self.returned_bytes);
            self.returned_bytes = 0;
        }
        match tokio::time::timeout(self.read_timeout, self.payload.next()).await {
            Ok(Some(Ok(bytes))) => {
                let needed = self.buffer.len().saturating_add(bytes.len());
                self.memory
                    .resize(needed)
                    .map_err(|refusal| ReadLine::NoMemory(refusal.into_violation(Reason::BodyTooLarge)))?;
                self.buffer.extend_from_slice(&bytes);
            }
            Ok(None) => self.body_ended = true,
            Ok(Some(Err(_))) => {
                let problem = "the request body ended early or has an invalid encoding";
                return Err(ReadLine::BrokenOff(Violation::new(Reason::InvalidParameter, problem)));
            }
            Err(_) => {
                let seconds = self.read_timeout.as_secs();
                let problem = format!("no more of the request body arrived within {seconds} seconds");
                return Err(ReadLine::BrokenOff(Violation::new(Reason::BodyTooSlow, problem)));
            }
        }
        Ok(())
    }

    fn too_long_fault(&self) -> Violation {
        let problem = format!("the line has more than {} bytes", self.max_line_bytes);
        Violation::new(Reason::BodyTooLarge, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::memory::MemoryBudget;
    use actix_web::error::PayloadError;
    use actix_web::web::Bytes;
    use futures_util::stream;
    use payroll_domain::steps::assert_linear;

    type Chunk = Result<Bytes, PayloadError>;

    fn reserve_memory(bytes: usize) -> ReservedMemory {
        MemoryBudget::new(bytes, bytes).new_reservation(None)
    }

    fn line_reader(chunks: Vec<Chunk>) -> LineReader {
        let payload = Payload::from(stream::iter(chunks).boxed_local());
        LineReader {
            max_line_bytes: 8,
            ..LineReader::new(payload, Duration::from_secs(1), reserve_memory(1 << 20))
        }
    }

    /// Returns all lines with their numbers. A line that could not be read is represented by its error code.
    async fn read_all_lines(chunks: Vec<Chunk>) -> Vec<String> {
        let mut lines = line_reader(chunks);
        let mut reported = Vec::new();
        while let Some(line) = lines.next().await {
            let text = match line {
                ReadLine::Complete(bytes) => String::from_utf8(bytes).unwrap(),
                ReadLine::TooLong(fault) => fault.reason.code().to_owned(),
                ReadLine::NoMemory(fault) | ReadLine::BrokenOff(fault) => {
                    reported.push(format!("{} {}", lines.line_number(), fault.reason.code()));
                    break;
                }
            };
            reported.push(format!("{} {text}", lines.line_number()));
        }
        reported
    }

    fn chunk(text: &str) -> Chunk {
        Ok(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_are_split_independently_of_the_body_chunks() {
        let text = "one\n\ntwo\r\n12345678\nlast";
        let expected = ["1 one", "2 ", "3 two\r", "4 12345678", "5 last"];
        assert_eq!(read_all_lines(vec![chunk(text)]).await, expected);
        let bytes = text.bytes().map(|byte| Ok(Bytes::copy_from_slice(&[byte]))).collect();
        assert_eq!(read_all_lines(bytes).await, expected);
        assert!(read_all_lines(vec![]).await.is_empty());
        assert_eq!(read_all_lines(vec![chunk("one\n")]).await, ["1 one"]);
    }

    #[test]
    fn splitting_a_body_into_lines_takes_linear_time() {
        let read = |text: &str| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let cuts = [text.as_bytes().chunks(1 << 20), text.as_bytes().chunks(100)];
            for chunks in cuts {
                let chunks = chunks.map(|it| Ok(Bytes::copy_from_slice(it))).collect();
                runtime.block_on(async { drop(read_all_lines(chunks).await) });
            }
        };
        assert_linear("empty lines", |n| "\n".repeat(n), read);
        assert_linear("short lines", |n| "{}\n".repeat(n), read);
        assert_linear("long lines", |n| format!("{}\n", "x".repeat(60)).repeat(n / 60), read);
        assert_linear("a line without an end", |n| "x".repeat(n), read);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let expected = ["1 API-413", "2 next"];
        assert_eq!(read_all_lines(vec![chunk("123456789\nnext")]).await, expected);
        assert_eq!(read_all_lines(vec![chunk("1234567890"), chunk("123\nne"), chunk("xt")]).await, expected);
        assert_eq!(read_all_lines(vec![chunk("a\n1234567890")]).await, ["1 a", "2 API-413"]);
    }

    #[tokio::test]
    async fn an_incomplete_body_is_reported_at_its_line() {
        let broken = Err(PayloadError::Incomplete(None));
        assert_eq!(read_all_lines(vec![chunk("one\ntw"), broken]).await, ["1 one", "2 API-40"]);
    }

    #[tokio::test]
    async fn reading_ends_at_a_line_without_available_memory() {
        let payload = Payload::from(stream::iter([chunk("a\n"), chunk("12345")]).boxed_local());
        let mut lines = LineReader::new(payload, Duration::from_secs(1), reserve_memory(4));
        assert_eq!(lines.next().await, Some(ReadLine::Complete(b"a".to_vec())));
        assert!(matches!(lines.next().await, Some(ReadLine::NoMemory(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stalled_body_is_reported() {
        let payload = Payload::from(stream::pending::<Chunk>().boxed_local());
        let line = LineReader::new(payload, Duration::from_secs(1), reserve_memory(1)).next().await.unwrap();
        assert!(matches!(line, ReadLine::BrokenOff(fault) if fault.reason == Reason::BodyTooSlow));
    }
}
