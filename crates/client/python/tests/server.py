"""A test server that records requests and sends predefined replies."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUSY = (503, {}, {"errors": [{"code": "API-503", "description": "busy"}]})


class Server:
    """A test server. A reply is (status, headers, body), "close" or "hang". The tokens are t1, t2, …"""

    def __init__(self, replies=(), token_replies=()):
        self.replies, self.token_replies = list(replies), list(token_replies)
        self.received, self.token_forms, self.ended, self.lock = [], [], threading.Event(), threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.http.shutdown()
        self.http.server_close()

    def reply(self, line, headers, body):
        with self.lock:
            if line == "POST /auth/oauth/v2/token":
                self.token_forms.append(body)
                token = {"access_token": f"t{len(self.token_forms)}", "token_type": "Bearer", "expires_in": 3600}
                return self.token_replies.pop(0) if self.token_replies else (200, {}, token)
            self.received.append((line, headers, body))
            return self.replies.pop(0) if self.replies else (500, {}, "the script has ended")

    def handler(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                reply = outer.reply(f"{self.command} {self.path}", self.headers, body)
                if reply == "hang":
                    outer.ended.wait()
                if isinstance(reply, str):
                    return
                status, headers, content = reply
                content = (content if isinstance(content, str) else json.dumps(content)).encode()
                self.send_response(status)
                for name, value in {"content-type": "application/json", "content-length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        return Handler
