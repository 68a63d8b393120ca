package rpc

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/errorid"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
)

// work makes the result of a request. The method has returned before the work runs, so the
// runner keeps what it needs of the message.
type work struct {
	runner     runner
	timeout    time.Duration // 0 for that of the server
	method     *method       // which checks and finishes the result; nil for a result of ours
	isFinished bool
}

var errNotAnObject = errors.New("result is not a JSON object")

// finish puts a result of the method on one line and adds the tail, unless it is finished. The
// result is what follows the first n bytes.
func (m *method) finish(rev revision.Revision, result []byte, n int, isFinished bool) ([]byte, error) {
	if !isFinished {
		result = putOnOneLine(result, n)
	}
	// The bytes come from the application, and a result that is no object would be a response
	// that clients reject. A full parse of the result would slow every get.
	if len(result) < n+len("{}") || result[n] != '{' || result[len(result)-1] != '}' {
		return nil, errNotAnObject
	}
	if !rev.Stateless() || isFinished {
		return result, nil
	}
	result = bytes.TrimRight(result[:len(result)-1], " \t")
	tail := m.tail
	if result[len(result)-1] == '{' {
		tail = tail[1:] // without the comma
	}
	return append(result, tail...), nil
}

// putOnOneLine replaces the line breaks after the first n bytes by spaces, and cuts off white
// space at the end, such as the line break of a json.Encoder. JSON has line breaks between
// values only. They would end a message of stdio, and a line of an event stream. The bytes
// are changed in place, because a runner appends to the buffer of the server.
func putOnOneLine(result []byte, n int) []byte {
	if len(result) < n { // finish rejects it
		return result
	}
	line := bytes.TrimRight(result[n:], " \t\r\n")
	for _, c := range []byte("\r\n") {
		rest := line
		for i := bytes.IndexByte(rest, c); i >= 0; i = bytes.IndexByte(rest, c) {
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
	return result[:n+len(line)]
}

// runner is a [call.Runner] that the log and errors can name. The methods must not
// run the application's code.
type runner interface {
	call.Runner
	Subject() string // names the request to the client, such as prompt "code_review"
	LogAttr() slog.Attr
}

// workOf returns the work of a feature. Without a Noun, the method is named. The runners
// of a server's own methods name themselves: a name in each task would cost every get.
func workOf(w call.Work, method string) work {
	h, ok := w.Runner.(runner)
	switch {
	case w.Runner == nil:
		return work{}
	case !ok && w.Noun == "":
		h = &named{w.Runner, methodNoun, method}
	case !ok:
		h = &named{w.Runner, w.Noun, w.Name}
	}
	return work{runner: h, timeout: w.Timeout}
}

type named struct {
	call.Runner
	noun, name string
}

const methodNoun = "method"

func (n *named) Subject() string {
	if n.noun == methodNoun {
		return n.name
	}
	return n.noun + " " + phrase.Quote(n.name)
}

func (n *named) LogAttr() slog.Attr { return slog.String(n.noun, n.name) }

// logFailure logs what the client did not get to see. An error that the client has read in full,
// such as an invalid argument, is not logged: clients would fill the log with their own mistakes.
func (w *work) logFailure(ctx context.Context, e *engine, f *Failure) {
	if f.Log == nil {
		return
	}
	attrs := []slog.Attr{w.runner.LogAttr(), slog.Any("error", f.Log)}
	if f.errorID != "" {
		attrs = append(attrs, slog.String(errorid.Attr, f.errorID))
	}
	if f.stack != nil {
		attrs = append(attrs, slog.String("stack", string(f.stack)))
	}
	e.Log(ctx, f.Level, f.Event, attrs...)
}
