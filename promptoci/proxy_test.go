package promptoci

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A proxy at a loopback address is dialed in each form of the variable that net/http accepts. The
// process of the test reads the variable once, so each form has a process of its own.
func TestProxyOfTheVariable(t *testing.T) {
	t.Parallel()
	if os.Getenv("PROMPTS_TEST_CHILD") != "" {
		_, err := newTransport("registry.example").RoundTrip(httptest.NewRequest(http.MethodGet, "https://registry.example/v2/", nil))
		assert.ErrorContains(t, err, "I'm a teapot")
		return
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "CONNECT registry.example:443", r.Method+" "+r.Host)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	for _, proxy := range []string{address, "http://" + address, "http://ada:secret@" + address + "/"} {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyOfTheVariable$")
		child.Env = append(os.Environ(), "PROMPTS_TEST_CHILD=1", "HTTPS_PROXY="+proxy, "NO_PROXY=")
		output, err := child.CombinedOutput()
		assert.NoError(t, err, "%s: %s", proxy, output)
	}
}
