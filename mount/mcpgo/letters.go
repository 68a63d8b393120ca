package mcpgo

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"sync"

	"github.com/mcp-prompts/prompts"
)

// mcp-go sends every error of a handler as an internal error, and what answers a
// message cannot be wrapped. So where the author has put this package around the
// transport, an error's text ends with a stamp that nobody can guess, and what
// the transport writes is looked through for it.

const (
	stampBegin  = "[prompts-error:"
	stampEnd    = "]"
	stampRandom = 16 // bytes
	stampLength = len(stampBegin) + 2*stampRandom + len(stampEnd)

	// maxLetters is how many errors may be on their way through one transport. An
	// older one, which the author's middleware may have swallowed, arrives as the
	// SDK has made it.
	maxLetters = 4096
)

// lettersKey is the key of a *letters in a context.
type lettersKey struct{}

// letters are the errors that are on their way to the transport.
type letters struct {
	mu     sync.Mutex // protects the fields below
	errors map[string]*prompts.Error
	order  []string
}

func newLetters() *letters { return &letters{errors: map[string]*prompts.Error{}} }

// post keeps an error, and returns the stamp to put into its text.
func (l *letters) post(e *prompts.Error) (stamp string) {
	var random [stampRandom]byte
	_, _ = rand.Read(random[:]) // never fails
	stamp = stampBegin + hex.EncodeToString(random[:]) + stampEnd
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) == maxLetters {
		delete(l.errors, l.order[0])
		l.order = l.order[1:]
	}
	l.errors[stamp] = e
	l.order = append(l.order, stamp)
	return stamp
}

// none reports whether nothing is on its way.
func (l *letters) none() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.errors) == 0
}

// take returns the error with that stamp, once.
func (l *letters) take(stamp string) *prompts.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.errors[stamp]
	if e != nil {
		delete(l.errors, stamp)
		for i, other := range l.order {
			if other == stamp {
				l.order = append(l.order[:i], l.order[i+1:]...)
				break
			}
		}
	}
	return e
}

// deliver returns a line with the error that it is the answer of, or the line as
// it is. The line may be an event's "data: ".
func (l *letters) deliver(line []byte) ([]byte, *prompts.Error) {
	at := bytes.Index(line, []byte(stampBegin))
	if at < 0 || at+stampLength > len(line) {
		return line, nil
	}
	begin := bytes.IndexByte(line, '{')
	if begin < 0 || begin > at {
		return line, nil
	}
	var response struct {
		JSONRPC string                     `json:"jsonrpc"`
		ID      json.RawMessage            `json:"id"`
		Error   map[string]json.RawMessage `json:"error"`
	}
	// A result may quote an error that has a stamp, and stays as it is.
	if json.Unmarshal(line[begin:], &response) != nil || response.Error == nil {
		return line, nil
	}
	e := l.take(string(line[at : at+stampLength]))
	if e == nil {
		return line, nil
	}
	answer := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{response.JSONRPC, response.ID, struct {
		Code    prompts.Code `json:"code"`
		Message string       `json:"message"`
		Data    any          `json:"data,omitempty"`
	}{e.Code, e.Message, e.Data}}
	text, err := json.Marshal(answer)
	if err != nil {
		return line, nil // the author's data cannot be encoded
	}
	return append(append(append([]byte{}, line[:begin]...), text...), '\n'), e
}
