package streamablehttp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// manyStreams is how many clients of each era listen.
const manyStreams = 2000

// TestManyStreams has one change reach every client of many: as many sessions
// with a GET stream as subscriptions.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	n := 200 // BenchmarkManyStreams has more
	c := openCrowd(t, n)
	c.change("a")
	c.awaitChange()
	c.change("b")
	c.awaitChange()
}

// BenchmarkManyStreams measures how long it takes for a change to reach the last
// of 2,000 GET streams and 2,000 subscriptions, the 20 ms included for which the
// server waits for more changes, and what an idle stream costs in memory, that
// of net/http included.
func BenchmarkManyStreams(b *testing.B) {
	before := inUse()
	c := openCrowd(b, manyStreams)
	perStream := float64(inUse()-before) / (2 * manyStreams)
	i := 0
	for b.Loop() {
		i++
		c.change(fmt.Sprint("change", i%2))
		c.awaitChange()
	}
	b.ReportMetric(perStream, "B/stream")
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/change")
	b.ReportMetric(0, "ns/op")
}

// inUse returns the bytes of heap and stacks that are in use.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// crowd is many clients with an open stream each. They cost next to nothing
// themselves: a connection and a small buffer.
type crowd struct {
	tb       testing.TB
	registry *prompts.Registry
	http     *httptest.Server
	streams  []net.Conn
}

// openCrowd opens n streams of each era.
func openCrowd(tb testing.TB, n int) *crowd {
	c := &crowd{tb: tb, registry: new(prompts.Registry)}
	handler := MustNewHandler(prompts.MustNewServer(c.registry, prompts.Options{}), Options{})
	c.http = httptest.NewServer(handler)
	tb.Cleanup(func() {
		for _, s := range c.streams {
			_ = s.Close()
		}
		require.NoError(tb, handler.Close())
		c.http.Close()
	})
	listen := modernBody("subscriptions/listen", `"notifications":{"promptsListChanged":true},`)
	mirror := modernHeader("subscriptions/listen", "")
	for range n {
		h := c.session()
		c.open("GET", "", h, "")
		c.open("POST", listen, mirror, "acknowledged")
	}
	return c
}

// session opens a session on a connection that is closed again.
func (c *crowd) session() header {
	conn := c.dial()
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 512)
	response := c.exchange(conn, r, "POST", initializeBody("2025-11-25"), nil)
	h := header{headerSession: response.Header.Get(headerSession), headerVersion: "2025-11-25"}
	_, err := io.Copy(io.Discard, response.Body)
	require.NoError(c.tb, err)
	require.Equal(c.tb, http.StatusAccepted, c.exchange(conn, r, "POST", initialized, h).StatusCode)
	return h
}

func (c *crowd) dial() net.Conn {
	conn, err := net.Dial("tcp", c.http.Listener.Addr().String())
	require.NoError(c.tb, err)
	require.NoError(c.tb, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

func (c *crowd) exchange(conn net.Conn, r *bufio.Reader, method, body string, h header) *http.Response {
	var request strings.Builder
	fmt.Fprintf(&request, "%s / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", method, len(body))
	for name, value := range h {
		fmt.Fprintf(&request, "%s: %s\r\n", name, value)
	}
	_, err := io.WriteString(conn, request.String()+"\r\n"+body)
	require.NoError(c.tb, err)
	response, err := http.ReadResponse(r, nil)
	require.NoError(c.tb, err)
	return response
}

// open opens a stream and reads it up to the text.
func (c *crowd) open(method, body string, h header, text string) {
	conn := c.dial()
	r := bufio.NewReaderSize(conn, 512)
	response := c.exchange(conn, r, method, body, h)
	require.Equal(c.tb, http.StatusOK, response.StatusCode)
	for text != "" {
		line, err := r.ReadString('\n')
		require.NoError(c.tb, err)
		if strings.Contains(line, text) {
			break
		}
	}
	c.streams = append(c.streams, conn)
}

func (c *crowd) change(name string) {
	require.NoError(c.tb, c.registry.Set(prompts.Prompt{Name: name, Render: nothing, Description: time.Now().String()}))
}

// awaitChange reads of each stream that the list has changed.
func (c *crowd) awaitChange() {
	buf := make([]byte, 512)
	for _, s := range c.streams {
		require.NoError(c.tb, s.SetDeadline(time.Now().Add(time.Minute)))
		for got := ""; !strings.Contains(got, "list_changed") || !strings.HasSuffix(got, "\n\n\r\n"); {
			n, err := s.Read(buf)
			require.NoError(c.tb, err, got)
			got += string(buf[:n])
		}
	}
}

func nothing(context.Context, map[string]string) (*prompts.Result, error) {
	return prompts.Messages(prompts.User("")), nil
}
