package portable

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Each rule has its source, and the rules have a date.
func TestClientRules(t *testing.T) {
	t.Parallel()
	_, err := time.Parse(time.DateOnly, CheckedOn)
	assert.NoError(t, err)
	for _, r := range Rules {
		u, err := url.Parse(r.Source)
		assert.NoError(t, err)
		assert.Equal(t, "https", u.Scheme, "%v", r)
		assert.NotEmpty(t, r.Client)
		assert.NotEmpty(t, r.Effect)
	}
}
