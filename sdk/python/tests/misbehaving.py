"""A local HTTP server that answers as a test says, also badly."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, Mapping, NamedTuple


class Reply(NamedTuple):
    """What the server does with one request."""

    status: int = 200
    body: object = {}  # bytes are sent unchanged, everything else as JSON
    headers: Mapping[str, str] = {}
    length: int | None = None  # a promise that the body does not keep
    lost: bool = False  # the connection ends without an answer


LOST = Reply(lost=True)


def refusal(status: int, code: str, **more: Any) -> Reply:
    """An error of the service."""
    headers = more.pop("headers", {})
    error = {"code": code, "message": "no", "requestId": "r-1", **more}
    return Reply(status, {"success": False, "error": error}, headers)


class Request(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Server:
    """Answers requests with the replies, in order. A request beyond them gets a 500."""

    def __init__(self, *replies: Reply) -> None:
        self.requests: list[Request] = []
        remaining = list(replies)
        received = self.requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                received.append(Request(self.command, self.path, dict(self.headers), body))
                reply = remaining.pop(0) if remaining else refusal(500, "INTERNAL_SERVER_ERROR")
                self.close_connection = True
                if reply.lost:
                    return
                text = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Connection", "close")
                self.send_header("Content-Length", str(reply.length or len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                pass

        # http.server's own class would look up the name of the address.
        self._http = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Server:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
