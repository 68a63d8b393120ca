package doubt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/doubt"
)

// TestSecrets checks that each kind of credential is found in a line, and that no text
// without the credential is one.
func TestSecrets(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a1B2", 10)
	for what, lines := range map[string][]string{
		"a private key":          {"-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----"},
		"an access key of AWS":   {"AKIAABCDEFGHIJKLMNOP", "key=ASIAABCDEFGHIJKLMNOP"},
		"a token of GitHub":      {"ghp_" + long[:36], "gho_" + long[:36], "ghu_" + long[:36], "ghs_" + long[:36], "ghr_" + long[:36], "github_pat_" + long},
		"a token of GitLab":      {"glpat-" + long},
		"a token of Slack":       {"xoxb-" + long, "xoxa-" + long, "xoxp-" + long, "xoxr-" + long, "xoxs-" + long},
		"a key of Google":        {"AIza" + long},
		"a key of Stripe":        {"sk_live_" + long, "rk_live_" + long},
		"a key of a model's API": {"sk-" + long, "sk-ant-" + long, "sk-proj-" + long},
		"a JSON Web Token":       {"eyJ" + long + ".eyJ" + long + "." + long},
		"a password in a URL":    {"see postgres://ada:Xk29vPq@db.corp.net/x", "postgres://a:secret1@localhost/x postgres://ada:Xk29vPq@db:5432"},
	} {
		for _, line := range lines {
			assert.Equal(t, what, doubt.Secret("the text "+line+" goes on"), line)
		}
	}
	for _, line := range []string{"", "https://example.org/", "ask-me", "the eyJ of JSON", "postgres://ada:{{.password}}@db", "postgresql://user:password@db", "postgres://postgres:postgres@db",
		"postgres://ada:Xk29vPq@localhost:5432/x", "mysql://ada:Xk29vPq@127.0.0.1", "https://ada:Xk29vPq@api.example.com/", "amqp://ada:changeme1@mq"} {
		assert.Empty(t, doubt.Secret(line), line)
	}
}
