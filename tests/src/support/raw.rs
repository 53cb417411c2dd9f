//! Raw bytes on a TCP connection, for requests that no proper client sends.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends the bytes and reads until the server closes the connection.
pub(crate) async fn exchange_bytes(address: &str, bytes: &[u8]) -> String {
    let mut connection = TcpStream::connect(address).await.expect("the server listens");
    send_and_read(&mut connection, bytes).await
}

/// Sends as many of the bytes as the server accepts, and reads until the server closes the connection.
pub(crate) async fn send_and_read(connection: &mut TcpStream, bytes: &[u8]) -> String {
    let (mut reading, mut writing) = connection.split();
    let mut response = Vec::new();
    // A server may close the connection before it has read all bytes. A reset after the response counts as
    // the end of the response.
    let _ended = tokio::join!(writing.write_all(bytes), reading.read_to_end(&mut response));
    String::from_utf8_lossy(&response).into_owned()
}

/// Returns the status of a response, and ignores a preceding `100 Continue`. Returns 0 if there is no
/// response.
pub(crate) fn response_status(response: &str) -> u16 {
    let response = response.trim_start_matches("HTTP/1.1 100 Continue\r\n\r\n");
    response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default()
}

/// Opens a connection and sends the bytes. The server must accept all of them. The connection stays open.
pub(crate) async fn open_and_send(address: &str, bytes: &[u8]) -> TcpStream {
    let mut connection = TcpStream::connect(address).await.expect("the server listens");
    connection.write_all(bytes).await.expect("the server reads");
    connection
}
