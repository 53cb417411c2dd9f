//! A connection whose received bytes pass through an [`ErrorScanner`] before the driver reads them. Without
//! TLS, the scanner reads the bytes of the socket. With TLS, it reads the decrypted bytes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

use super::reports::ErrorScanner;

/// A stream that passes all bytes that are read from it to a scanner.
pub(super) struct ScannedStream<S> {
    stream: S,
    listener: ErrorScanner,
}

impl<S> ScannedStream<S> {
    pub(super) fn new(stream: S, listener: ErrorScanner) -> Self {
        Self { stream, listener }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ScannedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.listener.process_bytes(buffer.filled().get(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ScannedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl<S: TlsStream + Unpin> TlsStream for ScannedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

/// Starts TLS on a [`ScannedStream`], and lets a scanner read the decrypted stream.
pub(super) struct TlsConnector<T>(pub(super) T);

impl<S, T> TlsConnect<ScannedStream<S>> for TlsConnector<T>
where
    T: TlsConnect<S>,
    T::Future: Send + 'static,
{
    type Stream = ScannedStream<T::Stream>;
    type Error = T::Error;
    type Future = BoxFuture<'static, Result<Self::Stream, Self::Error>>;

    fn connect(self, scanned_stream: ScannedStream<S>) -> Self::Future {
        let listener = scanned_stream.listener.for_tls_connection();
        let connecting = self.0.connect(scanned_stream.stream);
        async move { Ok(ScannedStream::new(connecting.await?, listener)) }.boxed()
    }
}
