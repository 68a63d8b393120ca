package interop_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/interop/hosts/model"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// proxies are programs with a configuration for users in examples/proxy.
var proxies = []struct {
	name, ready string                                             // ready is a part of the line that it logs at its start
	configure   func(c proxyConfig) (config string, args []string) // args are those after the name of the configuration
}{
	{"nginx", "start worker process", func(c proxyConfig) (string, []string) {
		site := strings.NewReplacer("127.0.0.1:8080", c.upstream,
			"listen 443 ", "listen "+c.listen+" ",
			"/etc/ssl/mcp.example.org.pem", c.certificate, "/etc/ssl/mcp.example.org.key", c.key).Replace(c.file)
		temp := ""
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			temp += kind + "_temp_path " + filepath.Join(c.dir, kind) + ";\n"
		}
		return "daemon off;\nworker_processes 1;\nerror_log stderr notice;\npid " + filepath.Join(c.dir, "pid") +
			";\nevents {}\nhttp {\naccess_log off;\n" + temp + site + "}\n", []string{"-e", "stderr", "-c"}
	}},
	{"caddy", "serving initial configuration", func(c proxyConfig) (string, []string) {
		_, port, _ := net.SplitHostPort(c.listen)
		address := "mcp.example.org:" + port + ", " + c.listen + " {\n\ttls " + c.certificate + " " + c.key
		return "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n\tstorage file_system " + c.dir + "\n}\n" +
			strings.NewReplacer("127.0.0.1:8080", c.upstream, "mcp.example.org {", address).Replace(c.file), []string{"run", "--adapter", "caddyfile", "--config"}
	}},
}

type proxyConfig struct {
	file             string // the file in examples/proxy
	dir              string
	listen, upstream string
	certificate, key string
}

var lastPort atomic.Int32

// freeAddress returns an address that nobody listens at, with a port that the system
// gives to no connection and to no listener that asks for any.
func freeAddress(t *testing.T) string {
	t.Helper()
	lastPort.CompareAndSwap(0, 20_000+mathrand.Int32N(5_000))
	for {
		address := fmt.Sprintf("127.0.0.1:%d", lastPort.Add(1))
		l, err := net.Listen("tcp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, l.Close())
		return address
	}
}

// startProgram runs a proxy of the table in front of the URL until the test is over,
// and returns the address that it listens at.
func startProgram(t *testing.T, proxy int, upstream, certificate, key string) (listen string) {
	t.Helper()
	p := proxies[proxy]
	target, err := url.Parse(upstream)
	require.NoError(t, err)
	listen = freeAddress(t)
	file, err := os.ReadFile(filepath.Join("../../examples/proxy", map[string]string{"nginx": "nginx.conf", "caddy": "Caddyfile"}[p.name]))
	require.NoError(t, err)
	dir := t.TempDir()
	config, args := p.configure(proxyConfig{string(file), dir, listen, target.Host, certificate, key})
	name := filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(name, []byte(config), 0o600))

	if testing.Short() {
		t.Skip("needs nginx and Caddy")
	}
	program, err := exec.LookPath(p.name)
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/" + p.name) // which is not in the PATH of Debian's users
	}
	require.NoError(t, err, "apt-get install nginx caddy")
	cmd := exec.Command(program, append(args, name)...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	t.Cleanup(func() {
		late := time.AfterFunc(endTimeout, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		_ = cmd.Wait()
	})
	late := time.AfterFunc(startTimeout, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	lines, said := bufio.NewReader(stderr), ""
	for !strings.Contains(said, p.ready) {
		line, err := lines.ReadString('\n')
		said += line
		if err != nil {
			close(ended)
			require.NoError(t, err, "%s ended: %s\nwith %s", p.name, said, config)
		}
	}
	go func() { defer close(ended); _, _ = io.Copy(io.Discard, lines) }()
	return listen
}

// A client behind the proxies of examples/proxy gets all that it gets without one:
// sessions, streams that are not buffered, progress, cancellation and questions.
func TestProxies(t *testing.T) {
	t.Parallel()
	tools := built(t)
	certificate, key := newCertificate(t)
	for i, proxy := range proxies {
		for _, revision := range []string{stateless, newest} {
			t.Run(proxy.name+"/"+revision, func(t *testing.T) {
				t.Parallel()
				fixture := tools.startFixture(t, "fixture")
				args := []string{"--expect-version", revision, "--config", "fixture.json", "--url", "https://" + startProgram(t, i, fixture, certificate, key) + "/mcp"}
				if revision != stateless {
					args = append(args, "--protocol-version", revision)
				}
				runDriver(t, wanted(revision, "list-iter"), "env", append([]string{"SSL_CERT_FILE=" + certificate, tools.path("gosdk")}, args...)...)
			})
		}
	}
}

// Behind the proxies of examples/proxy, with AllowedHosts as their comments say, the
// server accepts pages of its own host and no others. The proxies answer other paths
// with 404.
func TestHostsBehindProxies(t *testing.T) {
	t.Parallel()
	certificate, key := newCertificate(t)
	for i, proxy := range proxies {
		for name, test := range map[string]struct {
			options streamablehttp.Options
			origin  string
			want    int
			body    string
		}{
			"a program":       {streamablehttp.Options{AllowedHosts: []string{"mcp.example.org"}}, "", 200, `"serverInfo"`},
			"its own page":    {streamablehttp.Options{AllowedHosts: []string{"mcp.example.org"}}, "https://mcp.example.org", 200, `"serverInfo"`},
			"another page":    {streamablehttp.Options{AllowedHosts: []string{"mcp.example.org"}}, "https://example.net", 403, "Origin"},
			"an allowed page": {streamablehttp.Options{AllowedHosts: []string{"mcp.example.org"}, AllowedOrigins: []string{"https://example.net"}}, "https://example.net", 200, `"serverInfo"`},
			"no AllowedHosts": {streamablehttp.Options{}, "", 403, "Host"},
		} {
			t.Run(proxy.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				var reg prompts.Registry
				handler := streamablehttp.MustNewHandler(prompts.MustNewServer(&reg, prompts.Options{}), test.options)
				defer handler.Close()
				server := httptest.NewServer(handler)
				defer server.Close()
				listen := startProgram(t, i, server.URL, certificate, key)
				client := &http.Client{Transport: &http.Transport{
					ForceAttemptHTTP2: true,
					TLSClientConfig:   &tls.Config{RootCAs: poolOf(t, certificate), ServerName: "mcp.example.org"},
				}}
				defer client.CloseIdleConnections()
				const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
				r, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+listen+"/mcp", strings.NewReader(initialize))
				require.NoError(t, err)
				r.Host = "mcp.example.org"
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				if test.origin != "" {
					r.Header.Set("Origin", test.origin)
				}
				response, err := client.Do(r)
				require.NoError(t, err)
				defer response.Body.Close()
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				assert.Equal(t, test.want, response.StatusCode, "%s", body)
				assert.Contains(t, string(body), test.body)
				assert.Equal(t, test.want == 200, response.Header.Get("Mcp-Session-Id") != "")
				for _, path := range []string{"/", "/other", "/mcp/other"} {
					r, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+listen+path, nil)
					require.NoError(t, err)
					r.Host = "mcp.example.org"
					response, err := client.Do(r)
					require.NoError(t, err)
					assert.NoError(t, response.Body.Close())
					assert.Equal(t, 404, response.StatusCode, path)
				}
			})
		}
	}
}

// statusRecorder is a middleware's ResponseWriter, which hides that the inner one can stream.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (w *statusRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// dropStateless makes a client negotiate a session, and passes on the header of the session.
func dropStateless(version []string) []string {
	if slices.Contains(version, stateless) {
		return nil
	}
	return version
}

// Claude Code connects, and uses a prompt, if its user has configured the header of the
// protocol version, if a proxy repeats the header, behind the proxies of examples/proxy, and
// if a middleware cannot stream.
func TestClaudeCodeOverHTTP(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs Claude Code")
	}
	claude, err := filepath.Abs(fmt.Sprintf("hosts/node/node_modules/@anthropic-ai/claude-code-%s-%s/claude", runtime.GOOS, map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]))
	require.NoError(t, err)
	_, err = os.Stat(claude)
	require.NoError(t, err, "run: npm install --prefix internal/interop/hosts/node")
	certificate, key := newCertificate(t)
	const header = "MCP-Protocol-Version:"
	direct := func(_ *testing.T, url string) string { return url }
	for name, test := range map[string]struct {
		take func(t *testing.T, url string) string
		wrap func(http.Handler) http.Handler
		args []string
	}{
		"a proxy that doubles":            {take: proxyThat(doubleVersion)},
		"a proxy that joins":              {take: proxyThat(joinVersion)},
		"a header and a proxy that joins": {take: proxyThat(joinVersion), args: []string{"--header", header + stateless}},
		"a header in a session":           {take: proxyThat(dropStateless), args: []string{"--header", header + newest}},
		"nginx": {take: func(t *testing.T, url string) string {
			return "https://" + startProgram(t, 0, url, certificate, key) + "/mcp"
		}},
		"caddy": {take: func(t *testing.T, url string) string {
			return "https://" + startProgram(t, 1, url, certificate, key) + "/mcp"
		}},
		"a recorder of the status": {take: direct, wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(&statusRecorder{ResponseWriter: w}, r) })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reg prompts.Registry
			reg.MustAdd(prompts.Prompt{Name: "hello", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
				prompts.Progress(ctx, 1, 1, "")
				return prompts.Messages(prompts.User("HELLO-TEXT")), nil
			}})
			handler := streamablehttp.MustNewHandler(prompts.MustNewServer(&reg, prompts.Options{}), streamablehttp.Options{})
			defer handler.Close()
			mux := http.NewServeMux()
			mux.Handle("/mcp", handler)
			served := http.Handler(mux)
			if test.wrap != nil {
				served = test.wrap(served)
			}
			server := httptest.NewServer(served)
			defer server.Close()
			mind := model.Start()
			defer mind.Close()
			home := t.TempDir()
			work := filepath.Join(home, "work")
			require.NoError(t, os.Mkdir(work, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(home, ".claude.json"), fmt.Appendf(nil,
				`{"hasCompletedOnboarding":true,"customApiKeyResponses":{"approved":["any"]},"projects":{%q:{"hasTrustDialogAccepted":true}}}`, work), 0o600))
			run := func(args ...string) string {
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				defer cancel()
				cmd := exec.CommandContext(ctx, claude, args...)
				cmd.Dir = work
				cmd.Env = append(os.Environ(), "HOME="+home, "NODE_EXTRA_CA_CERTS="+certificate, "ANTHROPIC_BASE_URL="+mind.URL, "ANTHROPIC_API_KEY=any",
					"MCP_CONNECTION_NONBLOCKING=0", "MCP_CONNECT_TIMEOUT_MS=60000", "MCP_TIMEOUT=60000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				return string(out)
			}
			run(append([]string{"mcp", "add", "--transport", "http", "review", test.take(t, server.URL+"/mcp")}, test.args...)...)
			assert.Contains(t, run("mcp", "list"), "Connected")
			run("-p", "/mcp__review__hello")
			assert.Contains(t, fmt.Sprint(mind.Requests()), "HELLO-TEXT")
		})
	}
}

// newCertificate writes a certificate for the proxies, and its key, into files.
func newCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"mcp.example.org"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		require.NoError(t, os.WriteFile(name, pem.EncodeToMemory(block), 0o600))
	}
	return certificate, key
}

func poolOf(t *testing.T, certificate string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(certificate)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))
	return pool
}
