package promptfs_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// sensitive: true marks a secret, and a default of it is an error.
func TestSensitiveArgument(t *testing.T) {
	t.Parallel()
	all, err := promptfs.Load(fstest.MapFS{"a.md": {Data: []byte("---\narguments:\n  - name: key\n    sensitive: true\n---\n{{.key}}\n")}}, promptfs.Options{})
	require.NoError(t, err)
	var reg prompts.Registry
	require.NoError(t, reg.Add(all...))
	p, _ := reg.Lookup("a")
	require.Len(t, p.Arguments, 1)
	assert.True(t, p.Arguments[0].Sensitive)
	_, err = promptfs.Load(fstest.MapFS{"a.md": {Data: []byte("---\narguments:\n  - name: key\n    sensitive: true\n    default: x\n---\n{{.key}}\n")}}, promptfs.Options{})
	assert.EqualError(t, err, `a.md:5: argument "key": a sensitive argument cannot have a default; remove one of the two`)
}
