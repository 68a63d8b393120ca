package stdio_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/stdio"
)

// Lines that come together are returned one by one, in order, and none of them
// waits for what follows: not for the end of a line, nor behind a blank one.
func TestReadWhatComesTogether(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"a\nb\nc\n", "a\r\n\n  \nb\nc\nrest", "a\nb\nc\n\n", "\n\na\nb\nc\n \t"} {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			tr := stdio.NewStream(r, io.Discard, stdio.Options{})
			var got []string
			go func() {
				for {
					msg, err := tr.Read(context.Background())
					if err != nil {
						return
					}
					got = append(got, string(msg))
				}
			}()
			_, err := io.WriteString(w, piece)
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, []string{"a", "b", "c"}, got, "%q", piece)
			require.NoError(t, tr.Close())
		})
	}
}

// Lines that come together are there for whoever reads: for another goroutine
// than the one that got the first, and for one that has been waiting.
func TestReadersShareWhatComesTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		tr := stdio.NewStream(r, io.Discard, stdio.Options{})
		got := make(chan string, 3)
		for range 3 {
			go func() {
				msg, err := tr.Read(context.Background())
				assert.NoError(t, err)
				got <- string(msg)
			}()
		}
		given, cancel := context.WithCancel(context.Background())
		givenUp := make(chan error)
		go func() {
			_, err := tr.Read(given)
			givenUp <- err
		}()
		synctest.Wait()
		cancel()
		assert.Equal(t, context.Canceled, <-givenUp)
		_, err := io.WriteString(w, "a\nb\nc\n")
		require.NoError(t, err)
		synctest.Wait()
		assert.Len(t, got, 3)
		require.NoError(t, tr.Close())
	})
}

// What has come together is lost with Close, as any other line is, and counts
// for the bound each on its own.
func TestReadTogetherBoundAndClose(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 11)
	tr := stdio.NewStream(strings.NewReader("a\n"+long+"\nb\n"+long+"\n"), io.Discard, stdio.Options{MaxMessageBytes: 10})
	got, err := readAll(tr)
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, []string{"a", tooLarge, "b", tooLarge}, got)

	tr = stdio.NewStream(bytes.NewReader([]byte("a\nb\n")), io.Discard, stdio.Options{})
	msg, err := tr.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a", string(msg))
	require.NoError(t, tr.Close())
	_, err = tr.Read(t.Context())
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

// Of no messages nothing is written: on a pipe even an empty write waits for a
// reader, and on others it is the end.
func TestWriteOfNothing(t *testing.T) {
	t.Parallel()
	_, w := io.Pipe()
	tr := stdio.NewStream(strings.NewReader(""), w, stdio.Options{})
	require.NoError(t, tr.Write(t.Context()))
	require.NoError(t, tr.Close())
	assert.ErrorIs(t, tr.Write(t.Context()), io.ErrClosedPipe)
}
