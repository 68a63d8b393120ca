package mcpgo

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
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

// letter is what an answer is to be.
type letter struct {
	error     *prompts.Error
	cancelled bool // there is to be none
}

// letters are on their way to the transport.
type letters struct {
	mu    sync.Mutex // protects the fields below
	sent  map[string]letter
	order []string
}

func newLetters() *letters { return &letters{sent: map[string]letter{}} }

// post keeps a letter, and returns the stamp to put into the error's text.
func (l *letters) post(content letter) (stamp string) {
	var random [stampRandom]byte
	_, _ = rand.Read(random[:]) // never fails
	stamp = stampBegin + hex.EncodeToString(random[:]) + stampEnd
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) == maxLetters {
		delete(l.sent, l.order[0])
		l.order = l.order[1:]
	}
	l.sent[stamp] = content
	l.order = append(l.order, stamp)
	return stamp
}

// none reports whether nothing is on its way.
func (l *letters) none() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.sent) == 0
}

// noneIn reports whether there is no stamp in what is written, nor the beginning
// of one.
func (l *letters) noneIn(p []byte) bool {
	return l.none() || bytes.HasSuffix(p, []byte("\n")) && !bytes.Contains(p, []byte(stampBegin))
}

// take returns the letter with that stamp, once.
func (l *letters) take(stamp string) (content letter, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if content, ok = l.sent[stamp]; ok {
		delete(l.sent, stamp)
		l.order = slices.DeleteFunc(l.order, func(other string) bool { return other == stamp })
	}
	return content, ok
}

// find returns the letter whose stamp is in text, once. There may be others in
// front of it, such as one that a client has made up.
func (l *letters) find(text string) (content letter, ok bool) {
	for !ok {
		at := strings.Index(text, stampBegin)
		if at < 0 || at+stampLength > len(text) {
			return letter{}, false
		}
		content, ok = l.take(text[at : at+stampLength])
		text = text[at+len(stampBegin):]
	}
	return content, true
}

// deliver returns a line as it is to be written, and the letter that it was the
// answer of: the line as it is if there is none, and nothing for a request that
// was cancelled. The line may be an event's "data: ".
func (l *letters) deliver(line []byte) ([]byte, letter) {
	begin := bytes.IndexByte(line, '{')
	if begin < 0 || !bytes.Contains(line, []byte(stampBegin)) {
		return line, letter{}
	}
	var response struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	// Only an error's message counts. What else has a stamp stays as it is.
	if json.Unmarshal(line[begin:], &response) != nil {
		return line, letter{}
	}
	content, ok := l.find(response.Error.Message)
	if !ok {
		return line, letter{}
	}
	if content.cancelled {
		return nil, content
	}
	e := content.error
	data, err := json.Marshal(e.Data)
	if err != nil || e.Data == nil {
		data = nil // an author's data that cannot be sent is no reason not to answer
	}
	answer := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{response.JSONRPC, response.ID, struct {
		Code    prompts.Code    `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{e.Code, e.Message, data}}
	text, err := json.Marshal(answer)
	if err != nil {
		return line, letter{}
	}
	return slices.Concat(line[:begin], text, []byte("\n")), content
}
