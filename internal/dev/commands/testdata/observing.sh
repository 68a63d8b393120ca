prompts new review --dir prompts
# A stand-in for a collector.
before=$(listening)
python3 - <<'PYTHON' &
import http.server
class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.end_headers()
http.server.ThreadingHTTPServer(("127.0.0.1", 4318), Collector).serve_forever()
PYTHON
wait_for_listener
