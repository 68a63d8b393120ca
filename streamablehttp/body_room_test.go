package streamablehttp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// bodyRoom is how much room there is for bodies that are on their way.
func (h *Handler) bodyRoom() int64 {
	return int64(pendingBodies*h.server.MaxMessageBytes() - h.bodies.Used())
}

// addressHeader is the address that a request of a test comes from.
const addressHeader = "Test-Address"

// newBodyPlace is a place for bodies of at most size bytes.
func newBodyPlace(t *testing.T, size int, o Options) *place {
	return newPipePlaceOf(t, prompts.Options{Limits: prompts.Limits{MaxMessageBytes: size}}, o, func(s *httptest.Server) {
		inner := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if from := r.Header.Get(addressHeader); from != "" {
				r.RemoteAddr = from + ":1"
			}
			inner.ServeHTTP(w, r)
		})
	})
}

// slowBodies has n bodies of a client on their way, each of which takes room for
// size bytes, and returns the connection of the last.
func slowBodies(p *place, from string, n, size int) (last net.Conn) {
	_, mirror := modernGet("text")
	for range n {
		last = p.begin(fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+addressHeader+": %s\r\n"+
			headerVersion+": %s\r\n"+headerMethod+": %s\r\n"+headerName+": %s\r\nContent-Length: %d\r\n\r\n{%s",
			from, mirror[headerVersion], mirror[headerMethod], mirror[headerName], size, strings.Repeat(" ", size/2)))
		synctest.Wait()
	}
	return last
}

// allRoom has four clients take all room that there is.
func allRoom(t *testing.T, p *place, size int) (last net.Conn) {
	for i := range pendingBodies / pendingBodiesOfOne {
		last = slowBodies(p, fmt.Sprintf("192.0.2.%d", i+1), pendingBodiesOfOne, size)
	}
	require.Zero(t, p.handler.bodyRoom())
	return last
}

// Once as many large bodies are on their way as there is room for, the next is
// refused, small ones are not, and one that could never pass is told so. Those of
// one client do not keep those of another out.
func TestBodiesOnTheirWay(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	body, mirror := modernGet("text")
	padded := func(size int) string { return body + strings.Repeat(" ", size-len(body)) }
	for _, test := range []struct {
		name   string
		size   int
		status int // where there is no room for large ones
	}{
		{"as it is", len(body), 200},
		{"small", smallBody, 200},
		{"larger", smallBody + 1, 503},
		{"the largest", size, 503},
		{"too large", size + 1, 413},
	} {
		for _, isChunked := range []bool{false, true} {
			if isChunked && (test.size > size || test.size == smallBody) {
				continue // that it is over shows too late
			}
			for _, taken := range []string{"all", "the client's", "another client's"} {
				t.Run(fmt.Sprintf("%s, chunked %v, %s room is taken", test.name, isChunked, taken), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						p := newBodyPlace(t, size, Options{})
						status := test.status
						switch taken {
						case "all":
							allRoom(t, p, size)
						case "the client's":
							slowBodies(p, "192.0.2.99", pendingBodiesOfOne, size)
						default:
							slowBodies(p, "192.0.2.98", pendingBodiesOfOne, size)
							if status == 503 {
								status = 200
							}
						}
						before := p.handler.bodyRoom()
						r := p.request(http.MethodPost, padded(test.size), mirror)
						r.Header.Set(addressHeader, "192.0.2.99")
						if isChunked {
							r.Body, r.ContentLength = io.NopCloser(r.Body), -1
						}
						got := p.do(r)
						assert.Equal(t, status, got.status, got.body)
						assert.NotEmpty(t, got.body)
						assert.Equal(t, status == 503, got.header.Get("Retry-After") == "1", got.header)
						assert.Equal(t, before, p.handler.bodyRoom())
					})
				})
			}
		}
	}
}

// A client that announces a large body and does not send it takes no room.
func TestBodiesThatAreOnlyAnnounced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size = 64 << 10
		p := newBodyPlace(t, size, Options{})
		for range 2 * pendingBodies {
			p.begin(fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", size))
		}
		synctest.Wait()
		assert.Equal(t, 2*pendingBodies, p.underWay())
		assert.EqualValues(t, pendingBodies*size, p.handler.bodyRoom())
	})
}

// The room for a body is free again however that has ended.
func TestBodyGivesRoomBack(t *testing.T) {
	t.Parallel()
	const size, limit = 64 << 10, 10 * time.Second
	body, _ := modernGet("text")
	for _, test := range []struct {
		name   string
		end    func(net.Conn) error
		status int // 0 for no reply
	}{
		{"all of it", func(c net.Conn) error {
			_, err := io.WriteString(c, strings.Repeat(" ", size/2-1-len(body[1:]))+body[1:])
			return err
		}, 200},
		{"all of what is none", func(c net.Conn) error {
			_, err := io.WriteString(c, strings.Repeat(" ", size/2-1))
			return err
		}, 400},
		{"too slow", func(net.Conn) error { return nil }, 400},
		{"gone", func(c net.Conn) error { return c.Close() }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newBodyPlace(t, size, Options{ReadTimeout: limit})
				begin := time.Now()
				c := allRoom(t, p, size)
				require.NoError(t, test.end(c))
				if test.status != 0 {
					response, err := http.ReadResponse(bufio.NewReader(c), nil)
					require.NoError(t, err)
					assert.Equal(t, test.status, response.StatusCode)
				}
				synctest.Wait()
				if time.Since(begin) < limit {
					assert.Equal(t, int64(size), p.handler.bodyRoom())
				}
				time.Sleep(limit) // the others too have had their time
				synctest.Wait()
				assert.Equal(t, int64(pendingBodies*size), p.handler.bodyRoom())
				assert.Zero(t, p.handler.bodies.Keys())
			})
		})
	}
}

// How much room a body of each kind takes while it is read, and with what it
// ends.
func TestReadBody(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	isTooLarge := func(err error) bool {
		var tooLarge *http.MaxBytesError
		return errors.As(err, &tooLarge)
	}
	for _, test := range []struct {
		name      string
		announced int64 // -1 for a body that is chunked
		size      int
		room      int64 // that it takes
		fault     func(error) bool
	}{
		{"nothing", 0, 0, 0, nil},
		{"small", smallBody, smallBody, 0, nil},
		{"larger", smallBody + 1, smallBody + 1, smallBody + 1, nil},
		{"the largest", most, most, most, nil},
		{"too large", most + 1, most + 1, 0, isTooLarge},
		{"small, cut off", 100, 50, 0, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"twice as large", 2 * smallBody, 2 * smallBody, 2 * smallBody, nil},
		{"large, cut off", most, most/4 - 1, most / 4, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"chunked, nothing", -1, 0, 0, nil},
		{"chunked, small", -1, smallBody - 1, 0, nil},
		{"chunked, larger", -1, smallBody + 1, 2 * smallBody, nil},
		{"chunked, the largest", -1, most, most, nil},
		{"chunked, too large", -1, most + 1, most, isTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: most}}), Options{})
			defer h.Close()
			least := h.bodyRoom()
			source := io.MultiReader(strings.NewReader(strings.Repeat(" ", test.size)), readerFunc(func([]byte) (int, error) {
				if int64(test.size) < test.announced {
					return 0, io.ErrUnexpectedEOF
				}
				return 0, io.EOF
			}))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", readerFunc(func(p []byte) (int, error) {
				least = min(least, h.bodyRoom())
				return source.Read(p)
			}))
			require.NoError(t, err)
			r.ContentLength = test.announced
			room := reservation{bodies: h.bodies, client: "a"}
			body, err := h.readBody(&recorder{}, r, &room, nil)
			room.release()
			assert.Equal(t, test.room, pendingBodies*most-least)
			assert.Equal(t, int64(pendingBodies*most), h.bodyRoom())
			if test.fault != nil {
				assert.True(t, test.fault(err), "%v", err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, bytes.Repeat([]byte(" "), test.size), append([]byte{}, body...))
			if test.announced >= 0 {
				assert.Equal(t, test.size, cap(body), "the buffer is larger than the body")
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A large message that waits to be parsed is given up when its client disconnects.
func TestDisconnectEndsWaitToParse(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", modern} {
		synctest.Test(t, func(t *testing.T) {
			p := newPipePlaceOf(t, prompts.Options{Limits: prompts.Limits{MaxMessageBytes: 64 << 10, MaxMemoryBytes: 64 << 10}}, Options{})
			h := p.session("2025-11-25")
			padding := strings.Repeat(" ", 32<<10)
			parsing, parsed := make(chan struct{}), make(chan error)
			go func() { // holds the memory for parsing
				parsed <- p.handler.server.Handle(t.Context(), []byte(modernBody("ping", "")+padding), transport.Exchange{
					CheckVersion: func(transport.RequestInfo) error { <-parsing; return nil },
					Send:         func([]byte, transport.Code, bool) error { return nil },
				})
			}()
			synctest.Wait()
			body, mirror := oldGet("1", "text"), h
			if version == modern {
				body, mirror = modernGet("text")
			}
			c, err := p.http.Listener.(*pipes).dial(t.Context(), "", "")
			require.NoError(t, err)
			require.NoError(t, p.request(http.MethodPost, body+padding, mirror).Write(c))
			synctest.Wait()
			assert.Equal(t, 1, p.underWay(), version)
			require.NoError(t, c.Close())
			synctest.Wait()
			assert.Zero(t, p.underWay(), version)
			assert.EqualValues(t, pendingBodies*64<<10, p.handler.bodyRoom(), version)
			close(parsing)
			require.NoError(t, <-parsed)
			assert.Equal(t, http.StatusOK, p.post(body+padding, mirror).status, version)
		})
	}
}
