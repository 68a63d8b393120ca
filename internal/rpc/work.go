package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/errorid"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file has the work that makes a result, and how the log and errors name it. task.go
// runs it.

// work makes the result of a request.
type work struct {
	feature.Work
	isRaw bool    // the result is on one line
	tail  *string // see method; nil for none
}

// isObject reports whether what follows the first n bytes of result begins and ends as
// a JSON object: anything else would make the response invalid JSON.
func isObject(result []byte, n int) bool {
	return len(result) >= n+len("{}") && result[n] == '{' && result[len(result)-1] == '}'
}

var errNotAnObject = errors.New("result is not a JSON object")

// putOnOneLine replaces the line breaks after the first n bytes by spaces, and cuts off
// white space at the end, such as the line break of a json.Encoder. JSON has line breaks
// between values only. They would end a message of stdio, and a line of an event stream.
func putOnOneLine(result []byte, n int) []byte {
	if len(result) < n { // isObject rejects it
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

// subject names the request to the client, such as prompt "code_review".
func (w *work) subject() string { return subjectOf(w.Handler) }

// subjectOf returns the subject of a Handler that has one, or else what the log says
// of the request.
func subjectOf(h feature.Handler) string {
	if s, ok := h.(interface{ Subject() string }); ok {
		return s.Subject()
	}
	switch a := attrOf(h); {
	case a.Value.Kind() != slog.KindString:
		return "request"
	case a.Key == "method":
		return a.Value.String()
	default:
		return a.Key + " " + strconv.Quote(phrase.Clip(a.Value.String(), 64))
	}
}

// logAttr describes the request in the log.
func (w *work) logAttr() slog.Attr { return attrOf(w.Handler) }

// attrOf returns the LogAttr of a Handler, which may panic.
func attrOf(h feature.Handler) (a slog.Attr) {
	defer func() {
		if v := recover(); v != nil {
			a = slog.Any("request", fmt.Errorf("panic of LogAttr: %v", v))
		}
	}()
	return h.LogAttr()
}

// logFailure logs what the client did not get to see.
func (w *work) logFailure(ctx context.Context, e *engine, f *Failure) {
	if f.Log == nil {
		return
	}
	attrs := []slog.Attr{w.logAttr(), slog.Any("error", f.Log)}
	if f.errorID != "" {
		attrs = append(attrs, slog.String(errorid.Attr, f.errorID))
	}
	if f.stack != nil {
		attrs = append(attrs, slog.String("stack", string(f.stack)))
	}
	e.Log(ctx, f.Level, f.Event, attrs...)
}

// appendTail replaces the last brace of a result by the tail. A nil result stays
// nil.
func appendTail(result []byte, tail string) []byte {
	if result == nil {
		return nil
	}
	result = bytes.TrimRight(result[:len(result)-1], " \t")
	if result[len(result)-1] == '{' {
		tail = tail[1:]
	}
	return append(result, tail...)
}
