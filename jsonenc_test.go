package prompts_test

import "github.com/mcp-prompts/prompts/internal/jsonenc"

const maxDepth = jsonenc.MaxDepth

var jsonText = jsonenc.Text
