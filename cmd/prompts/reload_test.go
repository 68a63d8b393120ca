//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/regular"
)

// rewrite replaces a file at once.
func rewrite(t *testing.T, path, content string) {
	t.Helper()
	next := filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.WriteFile(next, []byte(content), 0o600))
	require.NoError(t, os.Rename(next, path))
}

// waitFor reads a log until a line has a text.
func waitFor(t *testing.T, log *bufio.Reader, text string) string {
	t.Helper()
	for {
		line, err := log.ReadString('\n')
		require.NoError(t, err, "waiting for %q", text)
		if strings.Contains(line, text) {
			return line
		}
	}
}

// A file of tokens that is rewritten with the same size and the same time is read again.
func TestTokensWithTheSameTime(t *testing.T) {
	t.Parallel()
	file, at := filepath.Join(t.TempDir(), "tokens"), time.Now().Add(-time.Hour)
	write := func(content string) os.FileInfo {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		require.NoError(t, os.Chtimes(file, at, at))
		info, err := os.Stat(file)
		require.NoError(t, err)
		return info
	}
	before := write("ada first\n")
	parse := func(contents [][]byte) (string, error) { return string(contents[0]), nil }
	r, err := newReloaded(t.Context(), slog.New(slog.DiscardHandler), []string{file}, parse, nil)
	require.NoError(t, err)
	for now := before; regular.Changed(now).Equal(regular.Changed(before)); { // the clock of the file system may be coarse
		now = write("ada other\n")
	}
	assert.Equal(t, "ada other\n", r.get(t.Context()))
}

// A request that ends while the files are read does not get the tokens that they had before, and
// the files are read to their end.
func TestTokensOfAnEndedRequest(t *testing.T) {
	t.Parallel()
	file := tokensOf(t, "ada token-of-ada\n")
	ctx, cancel := context.WithCancel(t.Context())
	reads, ended := 0, make(chan struct{})
	parse := func(contents [][]byte) (tokens, error) {
		if reads++; reads == 2 {
			cancel()
			<-ended
		}
		return parseTokens(file, contents[0])
	}
	isRemoved := false
	r, err := newReloaded(t.Context(), slog.New(slog.DiscardHandler), []string{file}, parse, func(old, next tokens) { isRemoved = true })
	require.NoError(t, err)
	rewrite(t, file, "grace token-of-grace\n")
	isServed := false
	handler := authenticate(r, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { isServed = true }))
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", nil)
	request.Header.Set("Authorization", "Bearer token-of-ada")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	assert.Equal(t, http.StatusUnauthorized, answer.Code)
	close(ended)
	r.reading <- struct{}{} // when the files are read
	assert.True(t, isRemoved)
	rewrite(t, file, "mary token-of-mary\n")
	request.Header.Set("Authorization", "Bearer token-of-grace")
	answer = httptest.NewRecorder() // it cannot read, because another does
	handler.ServeHTTP(answer, request)
	assert.Equal(t, http.StatusUnauthorized, answer.Code)
	assert.False(t, isServed)
}

// listenFor opens a stream of notifications, and waits until the stream is open.
func listenFor(t *testing.T, url, token string) io.Reader {
	t.Helper()
	const body = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r := newGet(t, url, token)
	r.Header.Set("Mcp-Method", "subscriptions/listen")
	r.Header.Del("Mcp-Name")
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { response.Body.Close() })
	require.Equal(t, http.StatusOK, response.StatusCode)
	stream := bufio.NewReader(response.Body)
	waitFor(t, stream, "acknowledged")
	return stream
}

// TestTokensAgain checks that the file of tokens applies as it is at each request: a new
// token is accepted and a removed one rejected, streams with a removed token end, and an
// invalid file changes nothing.
func TestTokensAgain(t *testing.T) {
	t.Parallel()
	file := tokensOf(t, "ada token-of-ada\ngrace token-of-grace\n")
	url, output := serveLogged(t, "--tokens", file, folderOfHello(t))
	log := bufio.NewReader(output)
	status := func(token string) int { status, _ := getPrompt(t, http.DefaultClient, url, token); return status }
	removed, kept := listenFor(t, url, "token-of-grace"), listenFor(t, url, "token-of-ada")

	rewrite(t, file, "ada token-of-ada\nmary token-of-mary\n")
	answer := make(chan int, 1)
	go func() { answer <- status("token-of-grace") }() // ends with the response
	waitFor(t, log, "files read again")
	assert.Equal(t, http.StatusUnauthorized, <-answer)
	assert.Equal(t, http.StatusOK, status("token-of-ada"))
	assert.Equal(t, http.StatusOK, status("token-of-mary"))
	_, _ = io.Copy(io.Discard, removed) // ends, although the server goes on

	rewrite(t, file, "ada\n")
	go func() { answer <- status("token-of-ada") }() // ends with the response
	assert.Contains(t, waitFor(t, log, "files not read again"), "must be NAME TOKEN, got ")
	assert.Equal(t, http.StatusOK, <-answer)
	assert.Equal(t, http.StatusUnauthorized, status("token-of-grace"))
	require.NoError(t, os.Remove(file))
	go func() { answer <- status("token-of-mary") }() // ends with the response
	waitFor(t, log, "no such file")
	assert.Equal(t, http.StatusOK, <-answer)

	// Without a request, too, which ends the stream.
	rewrite(t, file, "grace token-of-grace\n")
	waitFor(t, log, "files read again")
	_, _ = io.Copy(io.Discard, kept)
	go func() { _, _ = io.Copy(io.Discard, log) }() // ends with the server
}

// TestHangup checks that SIGHUP reads the files again, even if the system says that they
// have not changed, and reports what became of it.
func TestHangup(t *testing.T) {
	t.Parallel()
	file := tokensOf(t, "ada token-of-ada\n")
	before, err := os.Stat(file)
	require.NoError(t, err)
	url, output := serveLogged(t, "--tokens", file, folderOfHello(t))
	log := bufio.NewReader(output)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	waitFor(t, log, "files read again") // although nothing has changed
	require.NoError(t, os.WriteFile(file, []byte("ada token-of-eve\n"), 0o600))
	require.NoError(t, os.Chtimes(file, before.ModTime(), before.ModTime()))
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	waitFor(t, log, "files read again")
	go func() { _, _ = io.Copy(io.Discard, log) }() // ends with the server
	for token, want := range map[string]int{"token-of-ada": http.StatusUnauthorized, "token-of-eve": http.StatusOK} {
		status, _ := getPrompt(t, http.DefaultClient, url, token)
		assert.Equal(t, want, status, token)
	}
}

// TestCertificateAgain checks that a new connection gets the certificate that the files
// then have, and that a certificate without its key changes nothing.
func TestCertificateAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write := func(name, content string) { rewrite(t, filepath.Join(dir, name), content) }
	first, second := newCertificate(t, 1), newCertificate(t, 2)
	write("cert.pem", first.cert)
	write("key.pem", first.key)
	url := serveHTTP(t, "--cert", certFile, "--key", keyFile, folderOfHello(t))
	serial := func() int64 {
		dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
		c, err := dialer.DialContext(context.Background(), "tcp", strings.TrimSuffix(strings.TrimPrefix(url, "https://"), "/mcp"))
		require.NoError(t, err)
		defer c.Close()
		return c.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	assert.EqualValues(t, 1, serial())
	write("cert.pem", second.cert)
	assert.EqualValues(t, 1, serial(), "the key is another one's")
	write("key.pem", second.key)
	assert.EqualValues(t, 2, serial())
}
