package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/transport"
)

// tooLarge stands for a line over the bound among the lines of a test.
const tooLarge = "(too large)"

// readAll returns what t reads up to the final error, and that error.
func readAll(tr *stdio.Conn) ([]string, error) {
	var got []string
	for {
		msg, err := tr.Read(context.Background())
		switch {
		case err == nil:
			got = append(got, string(msg))
		case errors.Is(err, transport.ErrTooLarge):
			got = append(got, tooLarge)
		default:
			return got, err
		}
	}
}

// STD-01, STD-05, GAP-14: one line is one message.
func TestReadFraming(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("x", 10) // of exactly the bound
	long := strings.Repeat("l", 100_000)
	tests := []struct {
		name string
		in   string
		max  int
		want []string
	}{
		{"nothing", "", 0, nil},
		{"one message", "{}\n", 0, []string{"{}"}},
		{"several", "{\"a\":1}\n[{},{}]\n{\"b\":2}\n", 0, []string{`{"a":1}`, `[{},{}]`, `{"b":2}`}},
		{"last line without newline", "{}\n[]", 0, []string{"{}", "[]"}},
		{"last line with only a carriage return", "{}\r", 0, []string{"{}"}},
		{"CRLF", "{}\r\n[]\r\n", 0, []string{"{}", "[]"}},
		{"one carriage return is the line's end, another is not", "{}\r\r\n", 0, []string{"{}\r"}},
		{"carriage return inside", "{\r}\n", 0, []string{"{\r}"}},
		{"blank lines", "\n\r\n \t \n{}\n\n\r\r\n\t\r\n[]\n\n", 0, []string{"{}", "[]"}},
		{"only blank lines", "\n\n \t\r", 0, nil},
		{"white space around a message stays", " {} \n", 0, []string{" {} "}},
		{"what is not JSON is not our business", "hello\n\x00\xff\n", 0, []string{"hello", "\x00\xff"}},
		{"longer than the buffer", long + "\n{}\n" + long, 0, []string{long, "{}", long}},
		{"exactly the bound", x + "\n" + x + "\r\n" + x, 10, []string{x, x, x}},
		{"one over the bound", x + "y\n", 10, []string{tooLarge}},
		{"one over the bound, CRLF", x + "y\r\n", 10, []string{tooLarge}},
		{"the bound, then two carriage returns", x + "\r\r\n", 10, []string{tooLarge}},
		{"over the bound, then a good one", x + "y\n{}\n", 10, []string{tooLarge, "{}"}},
		{"far over the bound, then good ones", long + "\n{}\n" + long + "\r\n[]\n", 10, []string{tooLarge, "{}", tooLarge, "[]"}},
		{"over the bound without newline", "{}\n" + x + "y", 10, []string{"{}", tooLarge}},
		{"far over the bound without newline", long, 10, []string{tooLarge}},
		{"over the bound and blank", strings.Repeat(" ", 11) + "\n{}\n", 10, []string{tooLarge, "{}"}},
		{"no bound to speak of", long + "\n", math.MaxInt, []string{long}},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"in blocks":     func(r io.Reader) io.Reader { return r },
		"byte by byte":  iotest.OneByteReader,
		"half blocks":   iotest.HalfReader,
		"end with data": iotest.DataErrReader,
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for name, reader := range readers {
				tr := stdio.NewStream(reader(strings.NewReader(test.in)), io.Discard, stdio.Options{MaxMessageBytes: test.max})
				got, err := readAll(tr)
				assert.Equal(t, test.want, got, name)
				for range 3 {
					assert.Equal(t, io.EOF, err, "%s: the end is io.EOF itself, for ever", name)
					_, err = tr.Read(t.Context())
				}
			}
		})
	}
}

// GAP-14: the bound that Options leave open is 4 MiB.
func TestReadDefaultBound(t *testing.T) {
	t.Parallel()
	exact := strings.Repeat("x", 4<<20)
	got, err := readAll(stdio.NewStream(strings.NewReader(exact+"\n"+exact+"y\n{}\n"), io.Discard, stdio.Options{}))
	require.Equal(t, io.EOF, err)
	require.Len(t, got, 3)
	assert.Len(t, got[0], 4<<20)
	assert.Equal(t, []string{tooLarge, "{}"}, got[1:])
}

// Serve reads messages up to the limit of the server, which may be above the default of a
// stream, and answers a longer message with the limit. Options of the stream win.
func TestServeBound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ server, stream, want int }{
		"small": {1 << 10, 0, 1 << 10}, "large": {5 << 20, 0, 5 << 20}, "stream": {5 << 20, 1 << 10, 1 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: c.server}})
			ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
			exact := ping + strings.Repeat(" ", c.want-len(ping)-1) + "\t" // Read removes no spaces
			var out bytes.Buffer
			in := strings.NewReader(exact + "\n" + exact + " \n")
			require.NoError(t, srv.Serve(t.Context(), stdio.NewStream(in, &out, stdio.Options{MaxMessageBytes: c.stream})))
			tooLarge := fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"message exceeds the limit of %d bytes"}}`, c.want)
			assert.ElementsMatch(t, []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, tooLarge}, strings.Split(strings.TrimSpace(out.String()), "\n"))
		})
	}
}

// The slice belongs to the caller: a later line does not change it.
func TestReadSliceIsTheCallers(t *testing.T) {
	t.Parallel()
	tr := stdio.NewStream(strings.NewReader("{\"a\":1}\n{\"b\":2}\n"), io.Discard, stdio.Options{})
	first, err := tr.Read(t.Context())
	require.NoError(t, err)
	second, err := tr.Read(t.Context())
	require.NoError(t, err)
	_ = append(first, "overwritten"...)
	assert.Equal(t, `{"a":1}`, string(first))
	assert.Equal(t, `{"b":2}`, string(second))
}

// STD-09: an error is final; a line that it cuts short is no message.
func TestReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the cable is out")
	type test struct {
		name string
		err  error
		gone bool // the server may take it for the client's end
	}
	tests := []test{
		{"unknown", broken, false},
		{"unexpected end", io.ErrUnexpectedEOF, false},
		{"closed pipe", io.ErrClosedPipe, true},
		{"closed file", &os.PathError{Op: "read", Path: "x", Err: os.ErrClosed}, true},
	}
	for _, errno := range stdio.GoneErrnos {
		tests = append(tests, test{errno.Error(), os.NewSyscallError("read", errno), true})
	}
	for _, test := range tests {
		for _, partial := range []string{"", "{\"half\":", strings.Repeat("x", 100_000)} {
			r := io.MultiReader(strings.NewReader("{}\n"+partial), iotest.ErrReader(test.err))
			tr := stdio.NewStream(r, io.Discard, stdio.Options{MaxMessageBytes: 50_000})
			got, err := readAll(tr)
			assert.Equal(t, []string{"{}"}, got, test.name)
			require.ErrorIs(t, err, test.err)
			assert.ErrorContains(t, err, "stdio: read: ", test.name)
			assert.Equal(t, test.gone, errors.Is(err, io.ErrClosedPipe), test.name)
			assert.NotErrorIs(t, err, io.EOF)
			_, again := tr.Read(t.Context())
			assert.Equal(t, err, again, "the error stays")
		}
	}
}

// A client that has died, rather than said goodbye, on a real connection.
func TestReadReset(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	theirs, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	ours, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, theirs.(*net.TCPConn).SetLinger(0)) // Close resets
	require.NoError(t, theirs.Close())

	tr := stdio.NewStream(ours, ours, stdio.Options{})
	_, err = tr.Read(t.Context())
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorIs(t, tr.Write(t.Context(), []byte("{}")), io.ErrClosedPipe)
	assert.NoError(t, tr.Close())
}

// An error of the stream that happens to wrap ErrTooLarge is final like any
// other, and must not make the server read on for ever.
func TestReadForeignTooLarge(t *testing.T) {
	t.Parallel()
	tr := stdio.NewStream(iotest.ErrReader(transport.ErrTooLarge), io.Discard, stdio.Options{})
	_, err := tr.Read(t.Context())
	_, again := tr.Read(t.Context())
	require.EqualError(t, err, "stdio: read: message too large")
	assert.NotErrorIs(t, err, transport.ErrTooLarge)
	assert.Equal(t, err, again)
}

// A Read that its context ends loses no message.
func TestReadCancelLosesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		tr := stdio.NewStream(r, io.Discard, stdio.Options{})

		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := tr.Read(ctx)
			ended <- err
		}()
		synctest.Wait() // Read waits for a line that does not come
		cancel()
		require.Equal(t, context.Canceled, <-ended)

		go func() {
			_, _ = io.WriteString(w, "{\"a\":1}\n{\"b\":2}\n")
			_ = w.Close()
		}()
		synctest.Wait() // the first line waits for a Read
		for range 100 {
			_, err := tr.Read(ctx)
			require.Equal(t, context.Canceled, err, "an ended context gets no message")
		}

		got, err := readAll(tr)
		assert.Equal(t, io.EOF, err)
		assert.Equal(t, []string{`{"a":1}`, `{"b":2}`}, got)
	})
}

// Cancelled in the very moment that a line comes in, Read returns the one or
// the other, and never drops the line.
func TestReadCancelRace(t *testing.T) {
	t.Parallel()
	const lines = 300
	r, w := io.Pipe()
	go func() {
		for range lines {
			_, _ = io.WriteString(w, "{}\n")
		}
		_ = w.Close()
	}()
	tr := stdio.NewStream(r, io.Discard, stdio.Options{})
	got := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		_, err := tr.Read(ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			got++
		} else {
			require.Equal(t, context.Canceled, err)
		}
	}
	assert.Equal(t, lines, got)
}
