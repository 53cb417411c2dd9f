//! Finds the end of the head of an HTTP/1.1 request: the request line and the headers. Also finds faults of
//! the head that the HTTP library does not report.
//!
//! Without this module, the library would read beyond the head and buffer further requests. The library also
//! discards the part of the target after a `#`, which is not allowed in requests (RFC 9112 §3.2).

/// The head of a request that is being received.
#[derive(Debug, Default)]
pub(super) struct HeadScanner {
    bytes: usize,
    /// The number of scanned bytes that belong to the request line.
    line_bytes: usize,
    has_line: bool,
    /// Whether the current line is not empty.
    in_line: bool,
    has_fragment: bool,
}

impl HeadScanner {
    /// Reads more bytes. If the head is complete, returns how many of these bytes belong to the head, else
    /// `None`.
    pub(super) fn scan_bytes(&mut self, bytes: &[u8]) -> Option<usize> {
        for (index, &byte) in bytes.iter().enumerate() {
            self.bytes += 1;
            match byte {
                // Empty lines before the request line do not belong to the head.
                b'\n' if !self.in_line => {
                    if self.has_line {
                        return Some(index + 1);
                    }
                }
                b'\n' => (self.in_line, self.has_line) = (false, true),
                b'\r' => {}
                _ => {
                    self.in_line = true;
                    if !self.has_line {
                        self.line_bytes += 1;
                        self.has_fragment |= byte == b'#';
                    }
                }
            }
        }
        None
    }

    /// Returns the number of bytes of the head that were read so far.
    pub(super) const fn scanned_bytes(&self) -> usize {
        self.bytes
    }

    /// Whether more than half of the head is the request line, which contains the target.
    pub(super) const fn is_mostly_target(&self) -> bool {
        self.line_bytes > self.bytes / 2
    }

    /// Whether the target contains a `#`.
    pub(super) const fn has_fragment(&self) -> bool {
        self.has_fragment
    }
}

/// Returns the length of the body that a head announces, or 0. The library reports malformed headers.
pub(super) fn content_length(head: &[u8]) -> usize {
    let value = head.split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked("content-length:".len())?;
        name.eq_ignore_ascii_case(b"content-length:").then_some(value)
    });
    value.and_then(|value| std::str::from_utf8(value).ok()?.trim().parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of_head(text: &str) -> Option<usize> {
        HeadScanner::default().scan_bytes(text.as_bytes())
    }

    #[test]
    fn a_request_head_ends_with_its_first_empty_line() {
        for head in
            ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\n\n"]
        {
            assert_eq!(end_of_head(head), Some(head.len()), "{head:?}");
            assert_eq!(end_of_head(&format!("{head}GET /")), Some(head.len()), "{head:?}");
            for length in 0..head.len() {
                assert_eq!(end_of_head(&head[..length]), None, "{head:?} {length}");
            }
            let mut apart = HeadScanner::default();
            let ends: Vec<_> = head.bytes().filter_map(|byte| apart.scan_bytes(&[byte])).collect();
            assert_eq!((ends, apart.scanned_bytes()), (vec![1], head.len()), "{head:?}");
        }
    }

    #[test]
    fn a_content_length_is_parsed_like_in_the_library() {
        for (line, length) in
            [("Content-Length: 12", 12), ("content-length:3 ", 3), ("X-Content-Length: 5", 0)]
        {
            assert_eq!(
                content_length(format!("PUT / HTTP/1.1\r\n{line}\r\n\r\n").as_bytes()),
                length,
                "{line}"
            );
        }
        for line in ["Content-Length: x", "Content-Length: -1", "Content-Length", ""] {
            assert_eq!(content_length(format!("PUT / HTTP/1.1\r\n{line}\r\n\r\n").as_bytes()), 0, "{line}");
        }
    }

    #[test]
    fn only_the_target_can_contain_a_fragment() {
        let has_fragment = |text: &str| {
            let mut head = HeadScanner::default();
            head.scan_bytes(text.as_bytes());
            head.has_fragment()
        };
        assert!(has_fragment("GET /companies#x HTTP/1.1\r\n\r\n"));
        assert!(!has_fragment("GET /companies HTTP/1.1\r\nX-Note: #1\r\n\r\n"));
    }
}
