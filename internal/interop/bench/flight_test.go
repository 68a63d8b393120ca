package bench_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

// streams are the libraries behind their own transports for standard input and
// output: serve answers until in ends.
var streams = []struct {
	name  string
	serve func(tb testing.TB, o setup, in io.ReadCloser, out io.WriteCloser) func() error
}{
	{"prompts", func(tb testing.TB, o setup, in io.ReadCloser, out io.WriteCloser) func() error {
		s := prompts.MustNewServer(newOurs(tb, o), prompts.Options{PageSize: o.page})
		return func() error { return s.Serve(context.Background(), stdio.NewStream(in, out, stdio.Options{})) }
	}},
	{"go-sdk", func(_ testing.TB, o setup, in io.ReadCloser, out io.WriteCloser) func() error {
		s := newGoSDK(o)
		return func() error { return s.Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: out}) }
	}},
	{"mcp-go", func(_ testing.TB, o setup, in io.ReadCloser, out io.WriteCloser) func() error {
		s := mcpgo.NewStdioServer(newMCPGo(o))
		return func() error { return s.Listen(context.Background(), in, out) }
	}},
}

// BenchmarkInFlight has 1, 16 and 64 requests for a prompt under way on one
// connection of two operating-system pipes: a request is written whenever an
// answer has come. The client shares the processors with the server, and costs
// each of them the same.
func BenchmarkInFlight(b *testing.B) {
	one := setup{prompts: 1, page: pageSize}
	for _, s := range streams {
		b.Run(s.name, func(b *testing.B) {
			inR, inW, err := os.Pipe()
			require.NoError(b, err)
			outR, outW, err := os.Pipe()
			require.NoError(b, err)
			serve := s.serve(b, one, inR, outW)
			served := make(chan error)
			go func() { served <- serve() }() // ends with the end of inW
			c := &streamClient{w: inW, r: bufio.NewReaderSize(outR, 1<<16)}
			b.Cleanup(func() {
				assert.NoError(b, inW.Close())
				assert.NoError(b, <-served)
				_ = outR.Close()
				_, _ = inR.Close(), outW.Close() // some close them themselves
			})
			initialize(b, c.ask)
			require.NoError(b, c.write([]byte(initialized)))
			verifyGet(b, c.ask, one)
			for _, n := range []int{1, 16, 64} {
				b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { measureInFlight(b, c, getRequest(b, one), n) })
			}
		})
	}
}

func measureInFlight(b *testing.B, c *streamClient, request []byte, n int) {
	prefix, suffix, found := bytes.Cut(request, []byte(`"id":1,`))
	require.True(b, found)
	size := 0
	require.NoError(b, c.ask(request, func(msg []byte) { size = len(msg) }))

	free := make(chan struct{}, n)
	for range n {
		free <- struct{}{}
	}
	over := make(chan struct{})
	failed := make(chan error, 1)
	go func() { failed <- c.count(over, free, size) }() // ends with over and one more answer
	b.ReportAllocs()
	id := 0
	line := make([]byte, 0, len(request)+32)
	for b.Loop() {
		select {
		case <-free:
		case err := <-failed:
			b.Fatal(err)
		}
		id++
		line = append(line[:0], prefix...)
		line = append(line, `"id":`...)
		line = strconv.AppendInt(line, int64(id), 10)
		line = append(append(line, ','), suffix...)
		if err := c.write(line); err != nil {
			b.Fatal(err)
		}
	}
	for range n {
		<-free
	}
	close(over)
	// One more, so that the reader wakes up and sees that it was the last.
	require.NoError(b, c.write(request))
	require.NoError(b, <-failed)
}

// streamClient is a client on a stream, which writes with one system call.
type streamClient struct {
	w    io.Writer
	r    *bufio.Reader
	line []byte
}

func (c *streamClient) write(msg []byte) error {
	c.line = append(append(c.line[:0], msg...), '\n')
	_, err := c.w.Write(c.line)
	return err
}

func (c *streamClient) read() ([]byte, error) {
	line, err := c.r.ReadSlice('\n')
	return bytes.TrimSuffix(line, []byte("\n")), err
}

func (c *streamClient) ask(request []byte, answer func([]byte)) error {
	if err := c.write(request); err != nil {
		return err
	}
	msg, err := c.read()
	if err == nil {
		answer(msg)
	}
	return err
}

// count reads answers, which have to be as long as the one that was verified,
// but for the id, and frees a place for each, until one comes after the last.
func (c *streamClient) count(over <-chan struct{}, free chan<- struct{}, size int) error {
	for {
		msg, err := c.read()
		if err != nil {
			return err
		}
		if len(msg) < size || len(msg) > size+20 {
			return fmt.Errorf("an answer of %d bytes, not %d: %s", len(msg), size, msg)
		}
		select {
		case <-over:
			return nil
		default:
			free <- struct{}{}
		}
	}
}
