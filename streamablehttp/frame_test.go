package streamablehttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// discarded is a ResponseWriter that takes what it is given.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) Write(p []byte) (int, error) { return len(p), nil }
func (d discarded) WriteHeader(int)             {}
func (d discarded) Flush()                      {}

func (d discarded) SetWriteDeadline(time.Time) error { return nil }

func discardingStream(t *testing.T) *stream {
	s := newStream(discarded{http.Header{}}, httptest.NewRequest(http.MethodGet, "/", nil), &Options{KeepAlive: -1})
	require.NoError(t, s.open())
	return s
}

// The frame of a large event is not kept, and what one event had is not in the
// next.
func TestFrameOfALargeEventIsNotKept(t *testing.T) {
	t.Parallel()
	s := discardingStream(t)
	require.NoError(t, s.event([]byte(strings.Repeat("x", 2*maxPooledFrame)), false))
	for range 100 {
		f := getFrame()
		assert.Empty(t, *f)
		assert.LessOrEqual(t, cap(*f), maxPooledFrame)
	}
}
