package streamablehttp_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// Over HTTP, the value of a sensitive argument is neither in a response nor in the
// log (LOG-12).
func TestSensitiveValueIsNowhere(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var reg prompts.Registry
	type in struct {
		Token string `json:"token" sensitive:"true" maxLength:"10"`
	}
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "fails"}, func(_ context.Context, in in) (string, error) {
		return "", errors.New("denied to " + in.Token)
	}))
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.Level(math.MinInt)}))
	handler := streamablehttp.MustNewHandler(prompts.MustNewServer(&reg, prompts.Options{Logger: logger}), streamablehttp.Options{})
	defer handler.Close()
	for _, token := range []string{`"c4n4ry"`, `"c4n4ry c4n4ry"`, `{"c4n4ry":1}`} {
		body := `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"fails","arguments":{"token":` + token + `},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		for name, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/get", "Mcp-Name": "fails"} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		assert.Contains(t, w.Body.String(), `"error"`)
		assert.NotContains(t, w.Body.String(), "c4n4ry")
	}
	assert.Contains(t, log.String(), "withheld because of a sensitive argument")
	assert.NotContains(t, log.String(), "c4n4ry")
}
