package speccheck

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Options say what to judge. The zero value judges everything.
type Options struct {
	// ServerOnly does not judge the client's messages. They may be anything,
	// and only tell which request a response answers.
	ServerOnly bool
}

// Report is the judgement of a session.
type Report struct {
	// Messages is how many messages were judged.
	Messages int
	// Faults has an error for each of them that is at fault; it begins with
	// the number of the line.
	Faults []error
}

// maxLine is the length of the longest line of a session.
const maxLine = 64 << 20

// Session judges the session that r holds. A request or notification with an
// envelope of its own is judged by the revision without a handshake; any other
// by the revision that initialize has agreed on; a response by the revision of
// the request that has its id. The error is r's, or a schema's that cannot be
// read.
func (c *Checker) Session(r io.Reader, o Options) (Report, error) {
	s := newSession(c)
	var report Report
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if lines.Text() == "---" {
			s = newSession(c)
			continue
		}
		from, text, err := split(lines.Text())
		if err != nil {
			return report, fmt.Errorf("line %d: %w", n, err)
		}
		if from == 0 {
			continue
		}
		judged := !o.ServerOnly || from == server
		fault, err := s.message(from, text, judged)
		if err != nil {
			return report, fmt.Errorf("line %d: %w", n, err)
		}
		if !judged {
			continue
		}
		report.Messages++
		if fault != nil {
			report.Faults = append(report.Faults, fmt.Errorf("line %d: %.500w\n\t%c> %.300s", n, fault, from, text))
		}
	}
	return report, lines.Err()
}

// side is who sent a message: the letter that its line begins with.
type side byte

const (
	client side = 'C'
	server side = 'S'
)

func (s side) other() side { return client + server - s }

// split returns whose message a line is, and the message; 0 if it is no message.
func split(line string) (from side, text []byte, err error) {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "C>", "S>":
		return side(kind[0]), []byte(rest), nil
	case "C>q", "S>q":
		rest, err := strconv.Unquote(rest)
		return side(kind[0]), []byte(rest), err
	}
	return 0, nil, nil
}

// session is what is known at one line of a session.
type session struct {
	checker  *Checker
	revision string // of messages without an envelope
	asked    []request
}

func newSession(c *Checker) *session { return &session{checker: c, revision: latest} }

// request is one that is not answered yet.
type request struct {
	by       side
	id       string
	method   string
	revision string
}

// message takes the next message and returns what is wrong with it, if it is
// to be judged.
func (s *session) message(from side, text []byte, judged bool) (fault, err error) {
	m, fault := parse(text)
	if fault != nil {
		return fault, nil
	}
	if m.method == "" {
		return s.response(from, m)
	}
	revision := s.revision
	if m.isStateless() {
		revision = stateless
	}
	if m.id != "" {
		s.asked = append(s.asked, request{by: from, id: m.id, method: m.method, revision: revision})
	}
	if !judged {
		return nil, nil
	}
	schema, err := s.checker.schema(revision)
	if err != nil {
		return nil, err
	}
	return schema.checkCall(m), nil
}

// response judges a response by the request of its id that it fits, which it
// answers. An id may be in use more than once: because that is a fault, which
// is answered at once with an error, or because a request was cancelled, which
// has no answer. So an error is taken to answer the latest request, and a
// result the first that it fits.
func (s *session) response(from side, m *message) (fault, err error) {
	var candidates []int
	for i, q := range s.asked {
		if q.by == from.other() && q.id == m.id {
			candidates = append(candidates, i)
		}
	}
	if m.has("error") {
		slices.Reverse(candidates)
	}
	for _, i := range candidates {
		q := s.asked[i]
		revision := q.revision
		if version, ok := m.agreed(); ok && q.method == "initialize" {
			revision = version
		}
		schema, err := s.checker.schema(revision)
		if err != nil {
			return nil, err
		}
		reason := schema.checkResponse(m, q.method)
		if reason == nil {
			s.asked = slices.Delete(s.asked, i, i+1)
			if q.method == "initialize" && m.has("result") {
				s.revision = revision
			}
			return nil, nil
		}
		if fault == nil {
			fault = fmt.Errorf("as the answer to %s: %w", q.method, reason)
		}
	}
	if fault != nil {
		return fault, nil
	}
	schema, err := s.checker.schema(s.revision)
	if err != nil {
		return nil, err
	}
	return schema.checkResponse(m, ""), nil
}
