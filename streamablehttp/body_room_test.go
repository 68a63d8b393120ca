package streamablehttp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// left is how much room there is for bodies that are on their way.
func (b *bodies) left() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.room
}

// slowBodies has as many bodies on their way as there is room for, and returns the
// connection of one.
func slowBodies(p *place, size int) (last net.Conn) {
	_, mirror := modernGet("text")
	for range pendingBodies {
		last = p.begin(fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			headerVersion+": %s\r\n"+headerMethod+": %s\r\n"+headerName+": %s\r\nContent-Length: %d\r\n\r\n{",
			mirror[headerVersion], mirror[headerMethod], mirror[headerName], size))
	}
	synctest.Wait()
	return last
}

// Once as many large bodies are on their way as there is room for, the next is
// refused, small ones are not, and one that could never pass is told so.
func TestBodiesOnTheirWay(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	body, mirror := modernGet("text")
	padded := func(size int) string { return body + strings.Repeat(" ", size-len(body)) }
	for _, test := range []struct {
		name   string
		size   int
		status int
	}{
		{"as it is", len(body), 200},
		{"small", smallBody, 200},
		{"larger", smallBody + 1, 503},
		{"the largest", size, 503},
		{"too large", size + 1, 413},
	} {
		for _, isChunked := range []bool{false, true} {
			if isChunked && test.size >= smallBody {
				continue // how large it is shows too late
			}
			t.Run(fmt.Sprintf("%s %v", test.name, isChunked), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p := newPipePlaceOf(t, prompts.Options{MaxMessageBytes: size}, Options{})
					slowBodies(p, size)
					require.Zero(t, p.handler.bodies.left())
					r := p.request(http.MethodPost, padded(test.size), mirror)
					if isChunked {
						r.Body, r.ContentLength = io.NopCloser(r.Body), -1
					}
					got := p.do(r)
					assert.Equal(t, test.status, got.status, got.body)
					assert.NotEmpty(t, got.body)
					assert.Equal(t, test.status == 503, got.header.Get("Retry-After") == "1", got.header)
					assert.Zero(t, p.handler.bodies.left())
				})
			})
		}
	}
	t.Run("chunked", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := newPipePlaceOf(t, prompts.Options{MaxMessageBytes: size}, Options{})
			slowBodies(p, size)
			r := p.request(http.MethodPost, padded(smallBody+1), mirror)
			r.Body, r.ContentLength = io.NopCloser(r.Body), -1
			assert.Equal(t, http.StatusServiceUnavailable, p.do(r).status)
		})
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
			_, err := io.WriteString(c, body[1:]+strings.Repeat(" ", size-len(body)))
			return err
		}, 200},
		{"all of what is none", func(c net.Conn) error {
			_, err := io.WriteString(c, strings.Repeat(" ", size-1))
			return err
		}, 400},
		{"too slow", func(net.Conn) error { return nil }, 400},
		{"gone", func(c net.Conn) error { return c.Close() }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPipePlaceOf(t, prompts.Options{MaxMessageBytes: size}, Options{ReadTimeout: limit})
				begin := time.Now()
				c := slowBodies(p, size)
				require.Zero(t, p.handler.bodies.left())
				require.NoError(t, test.end(c))
				if test.status != 0 {
					response, err := http.ReadResponse(bufio.NewReader(c), nil)
					require.NoError(t, err)
					assert.Equal(t, test.status, response.StatusCode)
				}
				synctest.Wait()
				if time.Since(begin) < limit {
					assert.Equal(t, int64(size), p.handler.bodies.left())
				}
				time.Sleep(limit) // the others too have had their time
				synctest.Wait()
				assert.Equal(t, int64(pendingBodies*size), p.handler.bodies.left())
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
		{"large, cut off", most, most / 2, most, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"chunked, nothing", -1, 0, 0, nil},
		{"chunked, small", -1, smallBody - 1, 0, nil},
		{"chunked, larger", -1, smallBody + 1, most, nil},
		{"chunked, the largest", -1, most, most, nil},
		{"chunked, too large", -1, most + 1, most, isTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := NewHandler(prompts.NewServer(nil, prompts.Options{MaxMessageBytes: most}), Options{})
			defer h.Close()
			least := h.bodies.left()
			source := io.MultiReader(strings.NewReader(strings.Repeat(" ", test.size)), readerFunc(func([]byte) (int, error) {
				if int64(test.size) < test.announced {
					return 0, io.ErrUnexpectedEOF
				}
				return 0, io.EOF
			}))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", readerFunc(func(p []byte) (int, error) {
				least = min(least, h.bodies.left())
				return source.Read(p)
			}))
			require.NoError(t, err)
			r.ContentLength = test.announced
			body, err := h.readBody(&recorder{}, r)
			assert.Equal(t, test.room, pendingBodies*most-least)
			assert.Equal(t, int64(pendingBodies*most), h.bodies.left())
			if test.fault != nil {
				assert.True(t, test.fault(err), "%v", err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, bytes.Repeat([]byte(" "), test.size), append([]byte{}, body...))
			if test.announced >= 0 {
				const page = 8 << 10 // to which the size of an allocation is rounded up
				assert.LessOrEqual(t, cap(body), test.size+bytes.MinRead+page, "the buffer has grown")
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
