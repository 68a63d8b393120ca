// Package foldertest has the checks that package promptfstest of module promptfs exports. They need a
// parser of YAML, which module promptfs has. Package prompttest, whose client they use, sets them.
//
// The modules that import the package have versions of their own: the package only gets additions.
package foldertest

import (
	"encoding/json"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptskills"
)

// Cases is promptfstest.CheckCases. options is a prompttest.CheckOptions.
var Cases func(t testing.TB, reg *prompts.Registry, dir string, parseYAML func(path string, content []byte) (value json.RawMessage, lineOf func(pointer string) int, err error), options any)

// Skills is promptfstest.CheckSkills.
var Skills func(t testing.TB, skills *promptskills.Registry, frontmatter func(content []byte) (json.RawMessage, error))
