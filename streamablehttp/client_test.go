package streamablehttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

func TestAddressOf(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"192.0.2.1:1234":           "192.0.2.1",
		"[::ffff:192.0.2.1]:1234":  "192.0.2.1",
		"[2001:db8:1:2:3::4]:1234": "2001:db8:1:2::/64",
		"[2001:db8:1:2::5%eth0]:1": "2001:db8:1:2::/64",
		"@":                        "@", // a Unix socket
		"":                         "",
	} {
		assert.Equal(t, want, addressOf(&http.Request{RemoteAddr: addr}), addr)
	}
}

// CMP-10: clients without a session or a principal are told apart by address.
func TestRateByAddress(t *testing.T) {
	t.Parallel()
	handler := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{Limits: prompts.Limits{CompletionsPerSecond: 1e-6}}), Options{})
	defer handler.Close()
	body := modernBody("completion/complete", `"ref":{"type":"ref/prompt","name":"text"},"argument":{"name":"a","value":""},`)
	for _, test := range []struct {
		addr string
		code int
	}{
		{"192.0.2.1:1", -32602}, // there is no such prompt
		{"192.0.2.1:2", -32603}, // too many
		{"192.0.2.2:1", -32602},
		{"[2001:db8::1]:1", -32602},
		{"[2001:db8::2]:1", -32603},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.RemoteAddr = test.addr
		r.Header.Set("Content-Type", "application/json")
		for name, value := range modernHeader("completion/complete", "") {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		assert.Equal(t, test.code, reply{body: w.Body.String()}.code(), test.addr)
	}
}
