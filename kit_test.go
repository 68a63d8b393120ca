package prompts_test

import (
	"log/slog"
	"os"
	"testing"
)

// Most tests of errors have no logger, and their records are noise.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
