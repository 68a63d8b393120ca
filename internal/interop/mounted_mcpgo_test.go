package interop_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// onMCPGo is the fixture's prompts mounted on a server of mcp-go v1.2.1.
const onMCPGo = "mcpgo"

var mountedOnMCPGo = filepath.Join("mounted", onMCPGo)

func wantedOnMCPGo(revision string, checks ...string) map[string]string {
	want := wanted(revision, checks...)
	return want
}

func TestGoSDKOnMCPGo(t *testing.T) {
	t.Parallel()
	tools := build(t, mountedOnMCPGo, "gosdk", "record")
	drive := func(revision string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			args := append(args, "--expect-version", revision)
			tools.drive(t, onMCPGo, wantedOnMCPGo(revision, "list-iter"), tools.path("gosdk"), args...)
		}
	}
	t.Run("probing", drive(stateless))
	for _, revision := range handshakes {
		t.Run(revision, drive(revision, "--protocol-version", revision))
	}
}

func TestTypeScriptSDKOnMCPGo(t *testing.T) {
	t.Parallel()
	tools := build(t, mountedOnMCPGo, "record")
	node := installNode(t)
	for _, revision := range handshakes {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			tools.drive(t, onMCPGo, wantedOnMCPGo(revision), node, "node/ts1.mjs",
				"--protocol-version", revision, "--expect-version", revision)
		})
	}
}

func TestGoSDKOnMCPGoOverHTTP(t *testing.T) {
	t.Parallel()
	tools := build(t, mountedOnMCPGo, "gosdk")
	drive := func(revision string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			args := append(args, "--expect-version", revision, "--config", "fixture.json", "--url", tools.startFixture(t, onMCPGo))
			runDriver(t, wantedOnMCPGo(revision, "list-iter"), tools.path("gosdk"), args...)
		}
	}
	t.Run("probing", drive(stateless))
	for _, revision := range overHTTP {
		t.Run(revision, drive(revision, "--protocol-version", revision))
	}
}

func TestTypeScriptSDKOnMCPGoOverHTTP(t *testing.T) {
	t.Parallel()
	tools := build(t, mountedOnMCPGo)
	node := installNode(t)
	for _, revision := range overHTTP {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			runDriver(t, wantedOnMCPGo(revision), node, "node/ts1.mjs",
				"--protocol-version", revision, "--expect-version", revision,
				"--config", "fixture.json", "--url", tools.startFixture(t, onMCPGo))
		})
	}
}

// TestConformanceOnMCPGo has the suite's scenarios of prompts pass.
func TestConformanceOnMCPGo(t *testing.T) {
	t.Parallel()
	tools := build(t, mountedOnMCPGo)
	node := installNode(t)
	for _, revision := range []string{canAsk, newest, stateless} {
		for _, scenario := range []string{
			"completion-complete",
			"prompts-list",
			"prompts-get-simple",
			"prompts-get-with-args",
			"prompts-get-embedded-resource",
			"prompts-get-with-image",
		} {
			t.Run(revision+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				said := runSuite(t, node, tools.startFixture(t, onMCPGo), "--scenario", scenario, "--spec-version", revision)
				assert.Contains(t, said, "0 failed, 0 warnings", said) // and not skipped
			})
		}
	}
	t.Run(stateless+"/input-required-result-non-tool-request", func(t *testing.T) {
		t.Parallel()
		said := runSuite(t, node, tools.startFixture(t, onMCPGo), "--scenario", "input-required-result-non-tool-request", "--spec-version", stateless)
		assert.Contains(t, said, "0 failed, 0 warnings", said)
	})
}
