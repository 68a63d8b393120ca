package speccheck

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Options say how to judge. The zero value is for a stream of bytes, such as
// standard input and output.
type Options struct {
	// HTTP is for messages that are sent in requests and responses of another
	// protocol. There, an error response to a request without a readable id has no
	// id in any revision (GAP-13).
	HTTP bool
}

// Report is the judgement of a session.
type Report struct {
	// Messages is how many messages the server has sent.
	Messages int
	// Errors contains an error for each invalid message. It begins with the
	// number of the line.
	Errors []error
}

// maxLine is the length of the longest line of a session.
const maxLine = 64 << 20

// Session judges recorded sessions, which are a text. A line of "C> " or "S> "
// and a message is what the client or the server has sent; "C>q " and "S>q "
// have it as a Go string literal. A line of "---" begins another connection.
// All other lines are ignored. The error is r's, or a literal's.
func (c *Checker) Session(r io.Reader, o Options) (Report, error) {
	j := c.Judge(o)
	var report Report
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "---" {
			j = c.Judge(o)
			continue
		}
		from, text, err := split(lines.Text())
		if err != nil {
			return report, fmt.Errorf("line %d: %w", n, err)
		}
		if from == 0 {
			continue
		}
		if from == 'C' {
			j.Client(text)
			continue
		}
		report.Messages++
		if fault := j.Server(text); fault != nil {
			report.Errors = append(report.Errors, fmt.Errorf("line %d: %.500w\n\tS> %.300s", n, fault, text))
		}
	}
	return report, lines.Err()
}

// split returns whose message a line is, and the message; 0 if it is no message.
func split(line string) (from byte, text []byte, err error) {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "C>", "S>":
		return kind[0], []byte(rest), nil
	case "C>q", "S>q":
		rest, err := strconv.Unquote(rest)
		return kind[0], []byte(rest), err
	}
	return 0, nil, nil
}
