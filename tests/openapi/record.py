"""Forwards TCP connections to a server, and records every request with its response.

Bytes are forwarded unchanged, so the recorder does not influence the client or the server. HTTP/1.1 is
decoded afterwards, in `Recorder.exchanges`.
"""

import gzip
import http.client
import io
import json
import socket
import threading
import time
import urllib.parse


class Connection:
    """The bytes of one connection, with the time at which each piece of a request arrived."""

    def __init__(self):
        self.requests, self.responses, self.arrivals = bytearray(), bytearray(), []

    def pump(self, source, target, record):
        try:
            while piece := source.recv(65536):
                record(piece)
                target.sendall(piece)
        except OSError:
            pass
        try:
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def request(self, piece):
        self.arrivals.append((len(self.requests), time.monotonic()))
        self.requests += piece

    def response(self, piece):
        self.responses += piece

    def exchanges(self):
        requests, responses = io.BytesIO(self.requests), Stream(self.responses)
        while requests.tell() < len(self.requests):
            started = max(at for offset, at in self.arrivals if offset <= requests.tell())
            method, target = read_request(requests)
            status, body = read_response(responses, method)
            yield started, {"method": method, "target": target, "status": status, "body": body}


class Stream(io.BytesIO):
    """Replaces the socket for `http.client`, which reads several responses from one stream."""

    def makefile(self, _mode):
        return self

    def close(self):
        pass


def read_request(stream):
    method, target, _ = stream.readline().decode("ascii").split()
    headers = http.client.parse_headers(stream)
    if headers.get("Transfer-Encoding", "").lower() == "chunked":
        while size := int(stream.readline().split(b";")[0], 16):
            stream.read(size + 2)
        stream.readline()
    else:
        stream.read(int(headers.get("Content-Length", 0)))
    return method, target


def read_response(stream, method):
    response = http.client.HTTPResponse(stream, method=method)
    response.begin()
    body = response.read()
    if response.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return response.status, json.loads(body) if body else None


class Recorder:
    def __init__(self, base):
        address = urllib.parse.urlsplit(base)
        self.server = (address.hostname, address.port)
        self.connections = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.server)
            connection = Connection()
            self.connections.append(connection)
            for pump in ((client, server, connection.request), (server, client, connection.response)):
                threading.Thread(target=connection.pump, args=pump, daemon=True).start()

    def exchanges(self):
        """Returns all requests in the order in which they were sent. Call this after the client has ended."""
        recorded = [exchange for connection in self.connections for exchange in connection.exchanges()]
        return [exchange for _, exchange in sorted(recorded, key=lambda it: it[0])]
