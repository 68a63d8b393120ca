// Package servertest plays clients of a prompts server in tests: messages over a connection or an
// exchange, judged by the schemas of the specification, and rounds of questions and answers.
package servertest

import (
	"log/slog"
	"os"
	"testing"
)

// Main runs the tests of a package without the default log: most tests of errors have no logger,
// and their records are noise.
func Main(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
