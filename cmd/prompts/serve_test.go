package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptnats"
)

// serveHTTP runs serve until the test ends. It returns the URL of the server; the exit
// code must be 0.
func serveHTTP(t *testing.T, args ...string) string {
	t.Helper()
	url, logs := serveLogged(t, args...)
	go func() { _, _ = io.Copy(io.Discard, logs) }() // ends with the server
	return url
}

// serveLogged is serveHTTP, and returns the log, which has to be read.
func serveLogged(t *testing.T, args ...string) (url string, log io.Reader) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	logs, in := io.Pipe()
	ended, code := make(chan struct{}), 0
	go func() { // ends with ctx
		defer close(ended)
		code = run(ctx, append([]string{"serve", "--http", "127.0.0.1:0"}, args...), strings.NewReader(""), io.Discard, in)
		in.Close()
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		assert.Equal(t, exitOK, code)
	})
	lines := bufio.NewReader(logs)
	for {
		line, err := lines.ReadString('\n')
		if m := regexp.MustCompile(`url"?[=:]"?([^\s"]+)`).FindStringSubmatch(line); m != nil {
			return m[1], lines
		}
		if err != nil {
			t.Fatal("the server has not started")
		}
	}
}

// TestRejectedRequest checks that the log of a request with status 403 names the flag
// that would allow the request, and that the body names no option of Go.
func TestRejectedRequest(t *testing.T) {
	t.Parallel()
	url, log := serveLogged(t, folderOfHello(t))
	lines := bufio.NewReader(log)
	for header, flag := range map[string]string{"Host": "--allow-host", "Origin": "--allow-origin"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
		require.NoError(t, err)
		if r.Header.Set(header, "https://evil.example.org"); header == "Host" {
			r.Host = "evil.example.org"
		}
		status, body := make(chan int, 1), make(chan string, 1)
		go func() { // ends with the response
			code, text := do(t, http.DefaultClient, r)
			status <- code
			body <- text
		}()
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		assert.Contains(t, line, "allow_with="+flag)
		assert.Equal(t, http.StatusForbidden, <-status)
		text := <-body
		assert.Contains(t, text, header+" is not allowed")
		assert.NotContains(t, text, "Allowed")
	}
	go func() { _, _ = io.Copy(io.Discard, log) }() // ends with the server
}

// getPrompt sends a prompts/get of the prompt hello, and returns the status and the
// body.
func getPrompt(t *testing.T, client *http.Client, url, token string) (int, string) {
	t.Helper()
	return do(t, client, newGet(t, url, token))
}

func newGet(t *testing.T, url, token string) *http.Request {
	t.Helper()
	const body = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"hello","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/get", "Mcp-Name": "hello",
	} {
		r.Header.Set(key, value)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r
}

func do(t *testing.T, client *http.Client, r *http.Request) (int, string) {
	t.Helper()
	response, err := client.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(content)
}

func folderOfHello(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello.md"), []byte("Hello!\n"), 0o600))
	return dir
}

func TestServeHTTP(t *testing.T) {
	t.Parallel()
	url := serveHTTP(t, folderOfHello(t))
	status, body := getPrompt(t, http.DefaultClient, url, "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "Hello!")
	for _, path := range []string{"/healthz", "/readyz"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(url, "/mcp")+path, nil)
		require.NoError(t, err)
		status, body := do(t, http.DefaultClient, r)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, "ok\n", body)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			r, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(url, "/mcp")+path, strings.NewReader("{}"))
			require.NoError(t, err)
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, http.StatusMethodNotAllowed, response.StatusCode, "%s %s", method, path)
			assert.Equal(t, "GET, HEAD", response.Header.Get("Allow"), "%s %s", method, path)
		}
	}
}

// TestPreview checks that the page is served at the URL that is printed, and that it ends
// with its context.
func TestPreview(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", ":0"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out, in := io.Pipe()
		ended := make(chan int, 1)
		go func() { // ends with ctx
			ended <- run(ctx, []string{"preview", "--no-open", "--addr", address, folderOfHello(t)}, strings.NewReader(""), in, io.Discard)
			in.Close()
		}()
		url, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSpace(url), nil)
		require.NoError(t, err)
		status, body := do(t, http.DefaultClient, r)
		assert.Equal(t, http.StatusOK, status, url)
		assert.Contains(t, body, "<html")
		cancel()
		assert.Equal(t, exitOK, <-ended)
	}
}

// TestPreviewSettings checks that preview has the settings of the folders, as serve.
func TestPreviewSettings(t *testing.T) {
	t.Parallel()
	dirs := []string{folderOfHello(t), folderOfHello(t)}
	for i, tools := range []string{"pair", "each"} {
		text := "tools: " + tools + "\ninstructions: Use these.\n"
		require.NoError(t, os.WriteFile(filepath.Join(dirs[i], settingsFile), []byte(text), 0o600))
	}
	for n, want := range map[int]string{1: `msg="instructions of the folder"`, 2: "have different tools in prompts.yaml"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out, in := io.Pipe()
		var log strings.Builder
		ended := make(chan int, 1)
		go func() { // ends with ctx
			ended <- run(ctx, append([]string{"preview", "--no-open"}, dirs[:n]...), strings.NewReader(""), in, &log)
			in.Close()
		}()
		_, err := bufio.NewReader(out).ReadString('\n')
		if n == 1 {
			require.NoError(t, err)
			cancel()
		} else {
			assert.ErrorIs(t, err, io.EOF)
		}
		<-ended
		assert.Contains(t, log.String(), want)
	}
}

func TestServeTokens(t *testing.T) {
	t.Parallel()
	file := tokensOf(t, "# clients\n\nada token-of-ada\ngrace  token-of-grace\n")
	url := serveHTTP(t, "--tokens", file, folderOfHello(t))
	const missing, invalid = "Bearer", `Bearer error="invalid_token"` // RFC 6750
	for authorization, challenge := range map[string]string{
		"": missing, "Bearer": missing, "Basic token-of-ada": missing, "token-of-ada": missing,
		"Bearer token-of-nobody": invalid, "bearer ada": invalid,
		"Bearer token-of-ada": "", "bearer token-of-grace": "",
	} {
		r := newGet(t, url, "")
		r.Header.Set("Authorization", authorization)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, challenge, response.Header.Get("WWW-Authenticate"), authorization)
		assert.Equal(t, challenge == "", response.StatusCode == http.StatusOK, authorization)
		assert.Equal(t, challenge != "", response.StatusCode == http.StatusUnauthorized, authorization)
	}
}

// TestWrongPath checks that a client with a wrong URL gets the path of the endpoint, and
// that the log has the request.
func TestWrongPath(t *testing.T) {
	t.Parallel()
	url, records := serveLogged(t, folderOfHello(t))
	log := bufio.NewReader(records)
	long := "/mcp/" + strings.Repeat("x", 300)
	for path, logged := range map[string]string{"/": "/", "/mcp/": "/mcp/", "/sse": "/sse", "/mcp/prompts": "/mcp/prompts", long: long[:256] + "…"} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions} {
			r := newGet(t, strings.TrimSuffix(url, "/mcp")+path, "")
			r.Method = method
			r.Header.Set("Mcp-Session-Id", "one") // whose 404 means that the session is unknown
			status, body := make(chan int, 1), make(chan string, 1)
			go func() { // ends with the response
				code, text := do(t, http.DefaultClient, r)
				status <- code
				body <- text
			}()
			line, err := log.ReadString('\n')
			require.NoError(t, err)
			assert.Contains(t, line, fmt.Sprintf(`level=INFO msg="HTTP path not found" method=%s path=%s endpoint=/mcp`,
				method, logged))
			assert.Equal(t, http.StatusNotFound, <-status)
			assert.Equal(t, "path not found; the MCP endpoint is /mcp\n", <-body)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }() // ends with the server
}

// postAs sends a prompts/get with a Host header, an Origin and a token, and returns the
// status.
func postAs(t *testing.T, url, host, origin, token string) int {
	t.Helper()
	r := newGet(t, url, token)
	r.Host = host
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	status, _ := do(t, http.DefaultClient, r)
	return status
}

// TestServeHosts checks that a server without tokens answers only requests with a Host
// that it knows, on any address, and that the health of a server is for everybody.
func TestServeHosts(t *testing.T) {
	t.Parallel()
	const evil, known = "evil.example.org", "mcp.example.org"
	for _, test := range []struct {
		flags               []string
		host, origin, token string
		want                int
	}{
		{nil, evil, "http://" + evil, "", http.StatusForbidden},
		{nil, "localhost", "http://" + evil, "", http.StatusForbidden},
		{nil, "localhost", "", "", http.StatusOK},
		{[]string{"--http", ":0", "--allow-host", known}, evil, "http://" + evil, "", http.StatusForbidden},
		{[]string{"--http", ":0", "--allow-host", known}, known, "http://" + evil, "", http.StatusForbidden},
		{[]string{"--http", ":0", "--allow-host", known}, known, "", "", http.StatusOK},
		{[]string{"--http", ":0", "--insecure"}, "localhost", "", "", http.StatusOK},
		{[]string{"--allow-origin", "chrome-extension://abc"}, "localhost", "chrome-extension://abc", "", http.StatusOK},
		{[]string{"--allow-origin", "chrome-extension://abc"}, "localhost", "chrome-extension://abd", "", http.StatusForbidden},
		{[]string{"--tokens"}, evil, "", "token-of-ada", http.StatusOK},
		{[]string{"--tokens"}, evil, "http://other.example.org", "token-of-ada", http.StatusForbidden},
		{[]string{"--tokens"}, evil, "", "", http.StatusUnauthorized},
		{[]string{"--allow-host", known, "--tokens"}, evil, "", "token-of-ada", http.StatusForbidden},
		{[]string{"--http", ":0", "--tokens"}, evil, "", "token-of-ada", http.StatusOK},
	} {
		flags := test.flags
		if len(flags) > 0 && flags[len(flags)-1] == "--tokens" {
			flags = append(flags, tokensOf(t, "ada token-of-ada\n"))
		}
		url := serveHTTP(t, append(flags, folderOfHello(t))...)
		assert.Equal(t, test.want, postAs(t, url, test.host, test.origin, test.token), test)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(url, "/mcp")+"/healthz", nil)
		require.NoError(t, err)
		r.Host = evil
		status, _ := do(t, http.DefaultClient, r)
		assert.Equal(t, http.StatusOK, status, test)
	}
}

func tokensOf(t *testing.T, content string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "tokens.txt")
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

// TestServeTokensToPages checks that a page of an allowed origin can call a server with
// tokens: a browser first sends a preflight, which has no token.
func TestServeTokensToPages(t *testing.T) {
	t.Parallel()
	file := tokensOf(t, "\ufeff# of an editor on Windows\r\nada token-of-ada\r\n")
	url := serveHTTP(t, "--tokens", file, "--allow-origin", "https://app.example.org", folderOfHello(t))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, url, nil)
	require.NoError(t, err)
	r.Header.Set("Origin", "https://app.example.org")
	r.Header.Set("Access-Control-Request-Method", http.MethodPost)
	r.Header.Set("Access-Control-Request-Headers", "authorization")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusNoContent, response.StatusCode)
	assert.Contains(t, response.Header.Get("Access-Control-Allow-Headers"), "authorization")
	status, _ := getPrompt(t, http.DefaultClient, url, "token-of-ada")
	assert.Equal(t, http.StatusOK, status)
}

// certificate is a certificate for 127.0.0.1 and its key, in PEM format.
type certificate struct{ cert, key string }

func newCertificate(t *testing.T, serial int64) certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	keyBytes, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return certificate{
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyBytes})),
	}
}

func TestServeTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certificate := newCertificate(t, 1)
	require.NoError(t, os.WriteFile(certFile, []byte(certificate.cert), 0o600))
	require.NoError(t, os.WriteFile(keyFile, []byte(certificate.key), 0o600))
	url, log := serveLogged(t, "--log-format", "json", "--cert", certFile, "--key", keyFile, folderOfHello(t))
	assert.True(t, strings.HasPrefix(url, "https://"), url)
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "https://"), "/mcp"))
	require.NoError(t, err)
	_, err = c.Write([]byte("no TLS at all\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(log).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, `"level":"WARN","msg":"http: TLS handshake error`)
	require.NoError(t, c.Close())
	go func() { _, _ = io.Copy(io.Discard, log) }() // ends with the server
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(certificate.cert)))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	status, body := getPrompt(t, &http.Client{Transport: transport}, url, "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "Hello!")
}

func TestServeNATS(t *testing.T) {
	t.Parallel()
	broker, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	require.NoError(t, err)
	go broker.Start() // ends with Shutdown
	t.Cleanup(func() { broker.Shutdown(); broker.WaitForShutdown() })
	require.True(t, broker.ReadyForConnections(time.Minute))
	nc, err := nats.Connect(broker.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	_, err = js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "mine"})
	require.NoError(t, err)
	_, err = promptnats.Publish(t.Context(), js, "mine", os.DirFS(folderOfHello(t)), promptnats.Options{})
	require.NoError(t, err)
	url := serveHTTP(t, "--nats", broker.ClientURL(), "--bucket", "mine")
	status, body := getPrompt(t, http.DefaultClient, url, "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "Hello!")
}

// The prompt that "prompts new" writes works in a client that sends placeholders, and in any
// other.
func TestStarterInClients(t *testing.T) {
	t.Parallel()
	p, err := promptfs.Parse(nil, "review.md", starterOf(starter, "review"), promptfs.Options{})
	require.NoError(t, err)
	reg := new(prompts.Registry)
	reg.MustAdd(p)
	s := prompts.MustNewServer(reg, prompts.Options{})
	get := func(client string) string {
		raw, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"review","arguments":{"text":"$1"}}`), prompts.CallOptions{Version: "2025-11-25", ClientInfo: []byte(`{"name":"` + client + `"}`)})
		require.NoError(t, err)
		return string(raw)
	}
	const framed = `<untrusted-\w+>\\n\$1\\n</untrusted-\w+>`
	first, second := get("opencode"), get("opencode")
	assert.Regexp(t, framed, first)
	assert.Regexp(t, framed, second)
	assert.NotEqual(t, first, second)
	assert.Regexp(t, framed, get("x"))
	assert.Equal(t, get("x"), get("x"))
}
