package rpc_test

import (
	"testing"

	"github.com/mcp-prompts/prompts/internal/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }
