import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import earshot

secret = os.environ["EARSHOT_WEBHOOK_SECRET"]
seen = set()  # in production, a table that survives a restart


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        headers = dict(self.headers)
        length = int(headers.get("Content-Length", 0))
        if length > 32 << 20:
            return self.send_error(413)
        body = self.rfile.read(length)
        try:
            event = earshot.verify_webhook(headers, body, secret)
        except earshot.SignatureError:
            return self.send_error(401)
        id = self.headers["webhook-id"]
        if id not in seen and "task" in event:
            print(event["task"]["id"], event["task"]["status"], flush=True)
        seen.add(id)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format, *args):
        pass  # the service lists its deliveries


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
