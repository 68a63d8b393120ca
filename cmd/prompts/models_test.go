//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModels runs the ready commands for models, against an endpoint and a program claude
// of the test. They need python3.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.md"), []byte("One\n--- assistant ---\nTwo\n--- user ---\nThree ä"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.test.yaml"), []byte("cases: [{name: a, answer: {contains: 'fine, ä'}}]"), 0o600))
	scripts, err := filepath.Abs("../../examples/models")
	require.NoError(t, err)
	test := func(script string) (int, string) {
		var out, errOut bytes.Buffer
		code := run(t.Context(), []string{"test", "--exec", "python3 '" + filepath.Join(scripts, script) + "'", dir}, nil, &out, &errOut)
		return code, out.String() + errOut.String()
	}

	var body, key string
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var raw json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&raw)
		body, key = string(raw), r.Header.Get("Authorization")
		if r.URL.Path != "/v1/chat/completions" {
			http.Error(w, "no such model", http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(`{"choices":[{"message":{"role":"assistant","content":"fine, ä"}}]}`))
	}))
	defer endpoint.Close()
	t.Setenv("OPENAI_BASE_URL", endpoint.URL+"/v1/")
	t.Setenv("MODEL", "small")
	t.Setenv("OPENAI_API_KEY", "key")
	code, out := test("openai.py")
	assert.Equal(t, exitOK, code, out)
	assert.JSONEq(t, `{"model":"small","messages":[{"role":"user","content":"One"},{"role":"assistant","content":"Two"},{"role":"user","content":"Three ä"}]}`, body)
	assert.Equal(t, "Bearer key", key)
	t.Setenv("OPENAI_BASE_URL", endpoint.URL+"/other")
	code, out = test("openai.py")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "HTTP Error 404: Not Found: no such model")

	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\necho \"$@\" >"+bin+"/args\ncat >"+bin+"/input\nls\necho 'fine, ä'\n"), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("CLAUDE_ARGS", "--model 'haiku'")
	code, out = test("claude.py")
	assert.Equal(t, exitOK, code, out)
	args, err := os.ReadFile(filepath.Join(bin, "args"))
	require.NoError(t, err)
	assert.Equal(t, "-p --model haiku\n", string(args))
	input, err := os.ReadFile(filepath.Join(bin, "input"))
	require.NoError(t, err)
	assert.Equal(t, "User:\nOne\n\nAssistant:\nTwo\n\nUser:\nThree ä", string(input))
}
