package promises

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pages of this repository are right.
func TestRepository(t *testing.T) {
	t.Parallel()
	faults, err := Check(os.DirFS("../.."))
	require.NoError(t, err)
	for _, fault := range faults {
		assert.Fail(t, fault)
	}
}
