//! The transport over standard input and output, with one message in each line. Every line that is not a
//! valid message gets a JSON-RPC error.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::message::{MAX_MESSAGE_BYTES, MessageFault, parse_message, prepare_message};

/// Reads messages from an input and writes messages to an output.
pub(crate) struct LineTransport<R, W> {
    input: BufReader<R>,
    /// The bytes of the line that is being read. The library may cancel a read and start another one. The
    /// field keeps a partial line between the reads.
    line: Vec<u8>,
    output: Arc<Mutex<W>>,
    /// The task that writes the last error. A separate task is needed, because the library may cancel a read.
    /// If the read wrote the error itself, a cancelled read could leave an incomplete line in the output.
    error_response: Option<JoinHandle<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> LineTransport<R, W> {
    /// Creates a transport for an input and an output.
    pub(crate) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            output: Arc::new(Mutex::new(output)),
            error_response: None,
        }
    }

    /// Reads up to the end of a line into `line`. Returns `false` at the end of the input.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(available.len(), |end| end + 1);
            // The rest of a line that is too large is skipped.
            if self.line.len() <= MAX_MESSAGE_BYTES {
                self.line.extend(available.iter().take(length));
            }
            self.input.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Starts a task that writes the error for an invalid message, and returns the task.
    fn write_error(&self, fault: &MessageFault) -> JoinHandle<io::Result<()>> {
        tokio::spawn(write_line(Arc::clone(&self.output), fault.to_response()))
    }
}

/// Writes a message and the end of its line.
async fn write_line<W: AsyncWrite + Unpin>(output: Arc<Mutex<W>>, message: impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        write_line(Arc::clone(&self.output), message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(writing) = &mut self.error_response {
                let written = writing.await;
                self.error_response = None;
                written.ok()?.ok()?;
            }
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(%error, "the input cannot be read");
                    return None;
                }
            }
            let line = std::mem::take(&mut self.line);
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            let parsed = match text.len() > MAX_MESSAGE_BYTES {
                true => Err(MessageFault::too_large()),
                false => prepare_message(text).and_then(|text| parse_message(&text)),
            };
            match parsed {
                Ok(message) => return Some(message),
                Err(fault) => self.error_response = Some(self.write_error(&fault)),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.lock().await.flush().await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns the number of messages of an input, and the errors that were written.
    async fn process_input(input: Vec<u8>) -> (usize, Vec<Value>) {
        let (output, mut written) = tokio::io::duplex(MAX_MESSAGE_BYTES);
        let mut transport = LineTransport::new(io::Cursor::new(input), output);
        let mut count = 0;
        while transport.receive().await.is_some() {
            count += 1;
        }
        drop(transport);
        let mut text = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut written, &mut text).await.unwrap();
        (count, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[tokio::test]
    async fn every_malformed_line_gets_an_error_with_an_id() {
        let lines: [&[u8]; 5] = [
            b"{",
            b"\"\xff\"",
            b"",
            b"{\"jsonrpc\":\"2.0\",\"id\":2}",
            b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}",
        ];
        let (count, errors) = process_input(lines.join(&b"\n"[..])).await;
        assert_eq!(count, 1, "{errors:?}");
        let seen: Vec<_> = errors.iter().map(|it| (it["error"]["code"].clone(), it.get("id"))).collect();
        assert_eq!(
            seen,
            [
                (json!(-32700), Some(&Value::Null)),
                (json!(-32700), Some(&Value::Null)),
                (json!(-32600), Some(&json!(2)))
            ]
        );
    }

    #[tokio::test]
    async fn a_line_that_is_too_large_is_skipped_and_the_next_one_is_read() {
        let mut input = vec![b' '; 1];
        input.resize(2 * MAX_MESSAGE_BYTES, b'x');
        input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n");
        let (count, errors) = process_input(input).await;
        assert_eq!((count, errors.len()), (1, 1), "{errors:?}");
        assert_eq!((&errors[0]["error"]["code"], &errors[0]["id"]), (&json!(-32600), &Value::Null));
    }
}
