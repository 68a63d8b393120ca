package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseTop(t *testing.T) {
	t.Parallel()
	got, err := parseTop(`File: bench.test
Type: cpu
Active filters:
   focus=measure
Showing nodes accounting for 1.50s, 75.00% of 2s total
Showing top 10 nodes out of 90
      flat  flat%   sum%        cum   cum%
     0.50s 25.00% 25.00%      0.50s 25.00%  runtime.memmove
     0.25s 12.50% 37.50%      1.50s 75.00%  github.com/mcp-prompts/prompts.(*Session).Handle
     0.10s  5.00% 42.50%      0.10s  5.00%  github.com/mcp-prompts/prompts/internal/strictjson.skip (inline)
     0.05s  2.50% 45.00%      0.10s  5.00%  github.com/mcp-prompts/prompts/internal/ordmap.Map[go.shape.struct { A string "json:\"a/b\"" }].Get
         0     0% 45.00%      1.50s 75.00%  github.com/mcp-prompts/prompts.(*Server).handle
`)
	require.NoError(t, err)
	assert.Equal(t, []flat{
		{"runtime.memmove", "0.50s", "25.00%"},
		{"prompts.(*Session).Handle", "0.25s", "12.50%"},
		{"strictjson.skip", "0.10s", "5.00%"},
		{"ordmap.Map[…].Get", "0.05s", "2.50%"},
	}, got)

	_, err = parseTop("no such file")
	assert.Error(t, err)
}
