package stdio

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tooLarge stands for a line over the bound among the lines of a test.
const tooLarge = "(too large)"

// smallest is the smallest buffer that bufio allows: with it, lines of a few
// bytes cross the buffer's edge.
const smallest = 16

// readLines returns all lines of r, tooLarge among them, and the final error.
func readLines(r io.Reader, limit, size int) ([]string, error) {
	l := newLineReader(r, limit, size)
	lines := []string{}
	for {
		msg, err := l.next()
		switch err {
		case nil:
			lines = append(lines, string(msg))
		case l.tooLarge:
			lines = append(lines, tooLarge)
		default:
			return lines, err
		}
	}
}

// modelLines is what readLines must return, in the simplest words.
func modelLines(data []byte, limit int) []string {
	want := []string{}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(line) > limit:
			want = append(want, tooLarge)
		case len(bytes.Trim(line, " \t\r")) > 0:
			want = append(want, string(line))
		}
	}
	return want
}

// FuzzFraming cuts random streams in random places, and compares with a split
// of the whole (STD-01, GAP-14).
func FuzzFraming(f *testing.F) {
	f.Add([]byte("{}\n{}\n"), uint8(10), uint64(1))
	f.Add([]byte("\r\n \t\r\n{\"a\":1}\r\n\r\r\nlast"), uint8(3), uint64(2))
	f.Add([]byte(strings.Repeat("x", 40)+"\nok\n"+strings.Repeat("y", 33)+"\r"), uint8(33), uint64(3))
	f.Add([]byte(strings.Repeat(" ", 32)+"\n"), uint8(31), uint64(4))
	f.Fuzz(func(t *testing.T, data []byte, max uint8, seed uint64) {
		limit := int(max) + 1
		want := modelLines(data, limit)
		for _, size := range []int{smallest, readBufferBytes} {
			r := &chunkReader{data: data, rand: rand.New(rand.NewPCG(seed, 0))}
			got, err := readLines(r, limit, size)
			if err != io.EOF {
				t.Fatalf("buffer of %d: final error %v", size, err)
			}
			assert.Equal(t, want, got, "buffer of %d", size)
		}
		var got []string
		s := NewStream(&chunkReader{data: data, rand: rand.New(rand.NewPCG(0, seed))}, io.Discard, Options{MaxMessageBytes: limit})
		for msg, err := s.Read(t.Context()); err != io.EOF; msg, err = s.Read(t.Context()) {
			if err != nil {
				msg = []byte(tooLarge)
			}
			got = append(got, string(msg))
		}
		if len(want)+len(got) > 0 {
			assert.Equal(t, want, got, "Conn")
		}
	})
}

// chunkReader returns data in pieces of random size, now and then an empty
// one, and its end sometimes together with the last piece.
type chunkReader struct {
	data []byte
	rand *rand.Rand
}

func (c *chunkReader) Read(p []byte) (int, error) {
	n := min(len(p), len(c.data), c.rand.IntN(40))
	copy(p, c.data[:n])
	c.data = c.data[n:]
	if len(c.data) == 0 && (n == 0 || c.rand.IntN(2) == 0) {
		return n, io.EOF
	}
	return n, nil
}

// GAP-14: the bound holds wherever the pieces of a line happen to end.
func TestLinesBoundAtEveryBufferEdge(t *testing.T) {
	t.Parallel()
	for limit := 1; limit <= 3*smallest+1; limit++ {
		for _, end := range []string{"\n", "\r\n"} {
			exact := strings.Repeat("x", limit)
			in := exact + end + exact + "y" + end + "z" + end + exact + "y" + end + exact
			want := []string{exact, tooLarge, "z", tooLarge, exact}
			got, err := readLines(strings.NewReader(in), limit, smallest)
			require.Equal(t, io.EOF, err)
			require.Equal(t, want, got, "limit %d, end %q", limit, end)
			got, err = readLines(iotest.OneByteReader(strings.NewReader(in)), limit, smallest)
			require.Equal(t, io.EOF, err)
			require.Equal(t, want, got, "limit %d, end %q", limit, end)
		}
	}
}

// A line over the bound is not held in memory, and the bound itself takes none.
func TestLinesMemory(t *testing.T) {
	allocated := func(f func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	t.Run("over the bound", func(t *testing.T) {
		const size = 64 << 20
		in := io.MultiReader(io.LimitReader(endless('x'), size), strings.NewReader("\n{}\n"))
		got := allocated(func() {
			lines, err := readLines(in, 64<<10, readBufferBytes)
			assert.Equal(t, io.EOF, err)
			assert.Equal(t, []string{tooLarge, "{}"}, lines)
		})
		assert.Less(t, got, uint64(1<<20))
	})
	t.Run("far below the bound", func(t *testing.T) {
		got := allocated(func() {
			lines, err := readLines(strings.NewReader("{}\n"), math.MaxInt, readBufferBytes)
			assert.Equal(t, io.EOF, err)
			assert.Equal(t, []string{"{}"}, lines)
		})
		assert.Less(t, got, uint64(1<<20))
	})
}

// endless is a stream of one byte, over and over.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// A message costs the one allocation that makes it the caller's.
func TestLinesAllocations(t *testing.T) {
	in := &repeat{text: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")}
	l := newLineReader(in, defaultMaxMessageBytes, readBufferBytes)
	assert.Equal(t, 1.0, testing.AllocsPerRun(1000, func() {
		_, _ = l.next()
	}))
}

// repeat is a stream of one text, over and over.
type repeat struct {
	text []byte
	off  int
}

func (r *repeat) Read(p []byte) (n int, _ error) {
	for n < len(p) {
		c := copy(p[n:], r.text[r.off:])
		n += c
		r.off = (r.off + c) % len(r.text)
	}
	return n, nil
}
