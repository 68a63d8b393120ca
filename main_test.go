package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// Most tests of errors have no logger, and their records are noise.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// Without a Logger, the cause of a failing prompt is in slog.Default; with
// slog.DiscardHandler it is nowhere.
func TestDefaultLogger(t *testing.T) {
	var log bytes.Buffer
	quiet := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(quiet)
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return nil, errors.New("the disk is full")
	}})
	call := func(o prompts.Options) {
		_, err := prompts.NewServer(&reg, o).Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{})
		assert.ErrorContains(t, err, "-32603")
	}
	call(prompts.Options{Logger: slog.New(slog.DiscardHandler)})
	assert.Empty(t, log.String())
	call(prompts.Options{})
	assert.Contains(t, log.String(), "the disk is full")
}
