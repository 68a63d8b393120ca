package streamablehttp

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClientOf(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"192.0.2.1:1234":           "192.0.2.1",
		"[::ffff:192.0.2.1]:1234":  "192.0.2.1",
		"[2001:db8:1:2:3::4]:1234": "2001:db8:1:2::/64",
		"[2001:db8:1:2::5%eth0]:1": "2001:db8:1:2::/64",
		"@":                        "@", // a Unix socket
		"":                         "",
	} {
		assert.Equal(t, want, clientOf(&http.Request{RemoteAddr: addr}), addr)
	}
}

// CMP-10: clients without a session or a principal are told apart by address.
func TestRateByAddress(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	body := modernBody("completion/complete", `"ref":{"type":"ref/prompt","name":"text"},"argument":{"name":"a","value":""},`)
	refused := 0
	for range 200 {
		if p.post(body, modernHeader("completion/complete", "")).code() == -32603 {
			refused++
		}
	}
	assert.Positive(t, refused)
}
