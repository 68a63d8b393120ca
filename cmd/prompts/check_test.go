package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		"a password in a URL":    {"see postgres://ada:secret1@db.example.org/x"},
	} {
		for _, line := range lines {
			assert.Equal(t, what, secretIn("the text "+line+" goes on"), line)
		}
	}
	for _, line := range []string{"", "https://example.org/", "ask-me", "the eyJ of JSON", "postgres://ada:{{.password}}@db"} {
		assert.Empty(t, secretIn(line), line)
	}
}

// check reports the text that a comment cuts off, of prompts, skills and test files alike.
func TestCheckOfLostText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.md":        "---\ndescription: d\ntags:\n  - C # and C++\n---\nhi\n",
		"p.test.yaml": "cases:\n  - name: a\n    expect:\n      contains: hi #12\n",
		"s/SKILL.md":  "---\nname: s\ndescription: d\nmetadata:\n  list:\n    - fix #12\n---\nhi\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, args := range [][]string{{dir}, {filepath.Join(dir, "p.md"), filepath.Join(dir, "p.test.yaml"), filepath.Join(dir, "s", "SKILL.md")}} {
		var out, errOut bytes.Buffer
		assert.Zero(t, run(t.Context(), append([]string{"check"}, args...), nil, &out, &errOut), errOut.String())
		for _, place := range []string{"p.md:4: ", "p.test.yaml:4: ", "s/SKILL.md:6: "} {
			assert.Regexp(t, regexp.QuoteMeta(place)+`.*" #" begins a comment`, out.String(), args)
		}
	}
}
