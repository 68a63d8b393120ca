package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// logOf runs a prompt that fails, and returns the error in the log.
func logOf(t *testing.T, p prompts.Prompt, args map[string]string) string {
	t.Helper()
	var log bytes.Buffer
	srv := prompts.NewServer(registryOf(p), prompts.Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	params, err := json.Marshal(map[string]any{"name": p.Name, "arguments": args})
	require.NoError(t, err)
	_, err = srv.Call(t.Context(), "prompts/get", params, prompts.CallOptions{})
	require.Error(t, err)
	var record struct{ Error string }
	require.NoError(t, json.Unmarshal(log.Bytes(), &record), log.String())
	return record.Error
}

// A short value is not removed from the midst of a word.
func TestSensitiveShortValue(t *testing.T) {
	t.Parallel()
	srv := prompts.NewServer(registryOf(promptOf[struct {
		Grade string `json:"grade" sensitive:"true" enum:"x,y"`
	}]()), prompts.Options{})
	_, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":{"grade":"a"}}`), prompts.CallOptions{})
	assert.EqualError(t, err, `invalid arguments for prompt "p": grade is not valid (one of: x, y) (-32602)`)
}

// A link is rejected in whatever way its URI is escaped, and so is the icon of a link.
func TestSensitiveLinks(t *testing.T) {
	t.Parallel()
	const secret = "my/to ken&more"
	for _, link := range []prompts.ResourceLink{
		{URI: (&url.URL{Scheme: "https", Host: "example.org", Path: "/" + secret}).String(), Name: "x"},
		{URI: "https://example.org/?" + url.Values{"t": {secret}}.Encode(), Name: "x"},
		{URI: (&url.URL{Scheme: "https", Host: "example.org", User: url.UserPassword("me", secret)}).String(), Name: "x"},
		{URI: "https://example.org/#%6dy%2fto%20ken%26more", Name: "x"},
		{URI: "https://example.org/", Name: "x", Icons: []prompts.Icon{{Src: "https://example.org/?t=" + url.QueryEscape(secret)}}},
	} {
		p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Sensitive: true}}, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.UserContent(link)), nil
		}}
		assert.Contains(t, logOf(t, p, map[string]string{"a": secret}), "message 1: URI contains the value of a sensitive argument", link.URI)
	}
}

// The user is not asked to open a URL with a secret, however it is escaped and whatever
// the question is (MRT-27).
func TestSensitivePages(t *testing.T) {
	t.Parallel()
	const secret = "my/to ken&more"
	for _, page := range []string{`"https://example.org/my/to%20ken&more"`, `"https://example.org/?t=m%79%2fto+ken%26more"`, `"https://example.org/\u006dy%2Fto%20ken%26more"`} {
		for _, message := range []string{"Sign in", "100% sure?", "100%25"} {
			p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Sensitive: true}}, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
				return nil, prompts.Ask(ctx, prompts.InputRequest("page", "elicitation/create", map[string]any{"mode": "url", "message": message, "url": json.RawMessage(page)}))
			}}
			assert.Contains(t, logOf(t, p, map[string]string{"a": secret}), `question "page": URI contains the value of a sensitive argument`, page)
		}
	}
}

// What a prompt that is included is given in secret is as secret, and is not cached.
func TestSensitiveIncluded(t *testing.T) {
	t.Parallel()
	inner := prompts.NewText(prompts.Prompt{Name: "inner"}, func(_ context.Context, in struct {
		Token string `json:"token" sensitive:"true"`
	}) (string, error) {
		return "", &prompts.Error{Code: 7, Message: "denied to " + in.Token}
	})
	outer := prompts.Prompt{Name: "outer", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		return prompts.Include(ctx, "inner", map[string]string{"token": "hunter2"})
	}}
	cached := outer
	cached.Name, cached.Cache = "cached", prompts.Cache{TTL: time.Hour}
	var log bytes.Buffer
	srv := prompts.NewServer(registryOf(inner, outer, cached), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	_, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"outer"}`), prompts.CallOptions{})
	assert.EqualError(t, err, "denied to [sensitive] (7)")
	_, err = srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"cached"}`), prompts.CallOptions{})
	assert.EqualError(t, asNeutral(err), renderFailed+" (-32603)")
	assert.NotContains(t, log.String(), "hunter2")
	assert.Contains(t, log.String(), "cannot be part of a cached result")
}

// panicsWith is an error whose text panics.
type panicsWith string

func (p panicsWith) Error() string { panic("no text for " + string(p)) }

// An error that panics with a secret is logged without.
func TestSensitiveErrorPanics(t *testing.T) {
	t.Parallel()
	p := prompts.NewText(prompts.Prompt{Name: "p"}, func(_ context.Context, in struct {
		Token string `json:"token" sensitive:"true"`
	}) (string, error) {
		return "", panicsWith(in.Token)
	})
	assert.Equal(t, "panic in a method of an error; the value is withheld, because the prompt has sensitive arguments", logOf(t, p, map[string]string{"token": "hunter2"}))
}
