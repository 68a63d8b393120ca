package stdio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/mcp-prompts/prompts/transport"
)

// lineReader cuts a stream into messages: it knows lines, their ends and
// their bound, and nothing of goroutines or closing.
type lineReader struct {
	r        *bufio.Reader
	limit    int   // bytes of a line, without its end
	tooLarge error // what next returns for a longer one
	end      error // what ended the stream, from then on
}

func newLineReader(r io.Reader, limit, size int) *lineReader {
	return &lineReader{
		r:        bufio.NewReaderSize(r, size),
		limit:    limit,
		tooLarge: tooLargeError(limit),
	}
}

// tooLargeError is the error of a line over the limit, in bytes.
type tooLargeError int

func (e tooLargeError) Error() string {
	return fmt.Sprintf("stdio: line exceeds the limit of %d bytes: %v", int(e), transport.ErrTooLarge)
}

func (e tooLargeError) Unwrap() error { return transport.ErrTooLarge }

// MaxBytes is the limit that the server names to the client.
func (e tooLargeError) MaxBytes() int { return int(e) }

// next returns the next line that is not blank, without its end, in memory of its own. For a line
// over the limit, next reads the whole line and returns the error tooLarge. The next call continues
// after that line. Any other error is the reader's own and final: io.EOF after the last line, or
// the error that interrupted the stream. In the second case, an incomplete line is dropped.
func (l *lineReader) next() ([]byte, error) {
	for l.end == nil {
		line, err := l.line()
		if err != nil {
			return nil, err
		}
		if len(line) > 0 {
			return line, nil
		}
	}
	return nil, l.end
}

// buffered returns the next lines that are in the buffer already, whole: none
// of them takes another read.
func (l *lineReader) buffered() []line {
	var lines []line
	for l.end == nil {
		rest, _ := l.r.Peek(l.r.Buffered())
		if bytes.IndexByte(rest, '\n') < 0 {
			break
		}
		if msg, err := l.line(); err != nil || len(msg) > 0 {
			lines = append(lines, line{msg, err})
		}
	}
	return lines
}

// line reads one line, for which it returns nil if that is blank. It sets end
// when there is nothing to read after it.
func (l *lineReader) line() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if err != nil {
		return l.longLine(part, err)
	}
	return l.finish(nil, part[:len(part)-1])
}

// longLine is line for a line that is longer than the buffer, or has no end. part and err are
// of the first read.
func (l *lineReader) longLine(part []byte, err error) ([]byte, error) {
	var head []byte // what the line had before part; only grown with what has arrived
	skip := false   // the line is over the limit already
	for ; ; part, err = l.r.ReadSlice('\n') {
		switch err {
		case nil:
			part = part[:len(part)-1]
		case bufio.ErrBufferFull:
			// One more byte than the limit is still fine: it may be a carriage return.
			if skip = skip || len(head)+len(part)-1 > l.limit; skip {
				head = nil
			} else {
				head = append(head, part...)
			}
			continue
		case io.EOF:
			l.end = err
		default:
			l.end = err
			return nil, err
		}
		if skip {
			return nil, l.tooLarge
		}
		return l.finish(head, part)
	}
}

// head was copied before, and may be nil. part is still in the reader's buffer.
func (l *lineReader) finish(head, part []byte) ([]byte, error) {
	line := part
	if head != nil {
		line = append(head, part...)
	}
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if len(line) > l.limit {
		return nil, l.tooLarge
	}
	if len(bytes.TrimLeft(line, " \t\r")) == 0 { // blank
		return nil, nil
	}
	if head == nil {
		line = bytes.Clone(line)
	}
	return line, nil
}
