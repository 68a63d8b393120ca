prompts new review --dir my-prompts
mkdir -p my-prompts/review
printf -- '---\ndescription: Reviews code\narguments:\n  - name: code\n    description: the code\n---\nReview this: {{.code}}\n' >my-prompts/review/code.md
printf 'cases:\n  - name: a bug\n    arguments: {code: "if x = 1 {}"}\n    answer: {contains: "=="}\n' >my-prompts/review/code.test.yaml
git init --quiet
git add my-prompts
git commit --quiet --message 'the first prompts'
git tag v1.2.0
git update-ref refs/remotes/origin/main HEAD
export GITHUB_BASE_REF=main PR=1
ln -s "$REPOSITORY/examples" examples
# A stand-in for Ollama.
before=$(listening)
python3 - <<'PYTHON' &
import http.server
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"choices": [{"message": {"content": "Use == to compare."}}]}')
http.server.ThreadingHTTPServer(("127.0.0.1", 11434), Model).serve_forever()
PYTHON
wait_for_listener
