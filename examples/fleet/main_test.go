package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command serves the folder, says so, and ends when it is told to.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, options{listen: "127.0.0.1:0", replicas: 3, bucket: "prompts"}, &lines{w: w})
		_ = w.Close()
		ended <- err
	}()
	said := bufio.NewScanner(r)
	url, serves := "", 0
	for url == "" && said.Scan() {
		if strings.Contains(said.Text(), ": serves 7 prompts + ") {
			serves++
		}
		url, _ = strings.CutPrefix(said.Text(), "serving: ")
		if url == said.Text() {
			url = ""
		}
	}
	if url == "" {
		require.FailNow(t, "run has ended", "%v", <-ended)
	}
	assert.Equal(t, 3, serves)
	names, err := newClient(t, url).list(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"announce", "commit-message", "notes/release", "review/code", "review/explain", "triage", "writing-tests"}, names)
	cancel()
	_, _ = io.Copy(io.Discard, r)
	assert.NoError(t, <-ended)
}
