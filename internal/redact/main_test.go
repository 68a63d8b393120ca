package redact_test

import (
	"testing"

	"github.com/mcp-prompts/prompts/internal/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// versions returns the versions of the protocol, or the newest one with sessions and the
// one without under -short.
func versions() []string {
	all := append(servertest.HandshakeVersions, "2026-07-28")
	if testing.Short() {
		return all[len(all)-2:]
	}
	return all
}
