package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// mistake is a message that is refused, and how. %s in it is the id.
type mistake struct {
	name string
	text string
	code int
	noID bool // the id cannot be read
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func call1(method, params string) string {
	return `{"jsonrpc":"2.0","id":%s,"method":"` + method + `","params":{` + params + `}}`
}

// mistakes of a session of any revision but that with batches.
var mistakes = []mistake{
	{"an unknown prompt", call1(methodGet, `"name":"never"`), codeParams, false},
	{"a hidden prompt", call1(methodGet, `"name":"even-000","arguments":{}`), codeParams, false},
	{"no name", call1(methodGet, ``), codeParams, false},
	{"a missing argument", call1(methodGet, `"name":"stay-000"`), codeParams, false},
	{"an argument that is no string", call1(methodGet, `"name":"stay-000","arguments":{"topic":7}`), codeParams, false},
	{"an argument out of range", call1(methodGet, `"name":"stay-001","arguments":{"code":"x","times":"6"}`), codeParams, false},
	{"an argument of another type", call1(methodGet, `"name":"stay-001","arguments":{"code":"x","times":"often"}`), codeParams, false},
	{"none of the allowed", call1(methodGet, `"name":"stay-002","arguments":{"colour":"pink"}`), codeParams, false},
	{"what the author refuses", call1(methodGet, `"name":"do-wait","arguments":{"for":"long"}`), codeParams, false},
	{"a panic", call1(methodGet, `"name":"do-panic"`), codeInternal, false},
	{"a bad cursor", call1(methodList, `"cursor":"AAAA"`), codeParams, false},
	{"an empty cursor", call1(methodList, `"cursor":""`), codeParams, false},
	{"a cursor that is no string", call1(methodList, `"cursor":1`), codeParams, false},
	{"params in another case", call1(methodList, `"Cursor":"x"`), codeParams, false},
	{"completion of an unknown prompt", call1(methodComplete, `"ref":{"type":"ref/prompt","name":"never"},"argument":{"name":"x","value":""}`), codeParams, false},
	{"completion of an unknown kind", call1(methodComplete, `"ref":{"type":"ref/nothing","name":"stay-000"},"argument":{"name":"x","value":""}`), codeParams, false},
	{"completion of nothing", call1(methodComplete, ``), codeParams, false},
	{"an unknown method", call1("no/such", ``), codeNoMethod, false},
	{"a method of the other era", call1(methodListen, `"notifications":{}`), codeNoMethod, false},
	{"a method of this era", call1("ping", modernMeta), codeNoMethod, false},
	{"initialize again", call1("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`), codeRequest, false},
	{"an unknown version", call1(methodList, strings.Replace(modernMeta, modern, "2099-01-01", 1)), codeUnsupported, false},
	{"half an envelope", call1(methodList, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`), codeParams, false},
	{"params that are an array", `{"jsonrpc":"2.0","id":%s,"method":"prompts/list","params":[]}`, codeParams, false},
	{"a wrong version of JSON-RPC", `{"jsonrpc":"1.0","id":%s,"method":"ping"}`, codeRequest, false},
	{"a member in another case", `{"jsonrpc":"2.0","id":%s,"Method":"ping","method":"ping"}`, codeRequest, false},
	{"a duplicate key", `{"jsonrpc":"2.0","id":%s,"method":"ping","method":"ping"}`, codeRequest, false},
	{"a duplicate key in arguments", call1(methodGet, `"name":"stay-000","arguments":{"topic":"a","t\u006fpic":"b"}`), codeRequest, false},
	{"deep nesting", `{"jsonrpc":"2.0","id":%s,"method":"ping","params":{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`, codeRequest, false},
	{"an id that is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, codeRequest, true},
	{"an id that is none", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, codeRequest, true},
	{"two ids", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, codeRequest, true},
	{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, codeRequest, true},
	{"no object", `"ping"`, codeRequest, true},
	{"an empty object", `{}`, codeRequest, true},
	{"half a message", `{"jsonrpc":"2.0","id":1,`, codeParse, true},
	{"more than a message", `{"jsonrpc":"2.0","id":1,"method":"ping"}}`, codeParse, true},
	{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", codeParse, true},
	{"a lone surrogate", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, codeParse, true},
	{"a control character", "{\"jsonrpc\":\"2.0\",\"id\":\"\x01\",\"method\":\"ping\"}", codeParse, true},
	{"too large a message", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", mostBytes) + `"}}`, codeRequest, true},
}

// badStream is a client that makes mistakes on a stream.
type badStream struct {
	place   *place
	who     string
	version string
	stream  duplex
	lines   *bufio.Scanner
	n       int
}

// runBadStream is the life of a client that makes mistakes on streams.
func (p *place) runBadStream(ctx context.Context, number int) {
	r := rand.New(rand.NewPCG(p.options.seed, uint64(number)))
	who := principalName("bad", 2*number+1) // which is odd
	for ctx.Err() == nil {
		stream, err := p.stream(who, r.IntN(2) == 0)
		if err != nil {
			p.rec.fault(who, "no stream: %v", err)
			return
		}
		b := &badStream{place: p, who: who, version: []string{"2024-11-05", "2025-06-18", "2025-11-25"}[r.IntN(3)], stream: stream, lines: lines(stream)}
		// What does not come ends with the stream.
		overdue := time.AfterFunc(p.options.patience+renderTimeout, func() { _ = stream.Close() })
		for _, m := range []mistake{
			{"a list before initialize", call1(methodList, ``), codeParams, false},
			{"initialize of nothing", call1("initialize", ``), codeParams, false},
		} {
			b.make(m)
		}
		b.write(string(requestText("0", "initialize", initializeParams(b.version))))
		b.answer("initialize")
		b.write(string(notificationText("notifications/initialized", nil)))
		for n := 30; n > 0 && ctx.Err() == nil && overdue.Reset(p.options.patience); n-- {
			time.Sleep(time.Duration(r.IntN(4)) * time.Millisecond)
			if r.IntN(20) == 0 {
				b.useIDTwice()
			} else {
				b.make(mistakes[r.IntN(len(mistakes))])
			}
		}
		overdue.Stop()
		stream.hangUp()
		if m := b.answer(""); m != nil {
			p.rec.fault(who, "more has come: %v", m)
		}
		_ = stream.Close()
	}
}

func (b *badStream) fault(format string, args ...any) {
	b.place.rec.fault(b.who+" ("+b.version+")", format, args...)
}

func (b *badStream) write(line string) {
	_, _ = b.stream.Write([]byte(line + "\n")) // what fails is not answered
}

// answer returns the next message that is no notification; nil if there is no
// more, which is a fault where something is due.
func (b *badStream) answer(due string) *message {
	for b.lines.Scan() {
		all, isBatch, err := readAll(b.lines.Bytes())
		if err != nil || isBatch {
			b.fault("%s: what has come is no message: %v: %.200s", due, err, b.lines.Bytes())
			return nil
		}
		if m := all[0]; m.isAnswer() {
			return &m
		}
	}
	if due != "" {
		b.fault("%s: there is no answer", due)
	}
	return nil
}

func (b *badStream) make(m mistake) {
	b.place.rec.sent("a mistake", b.version)
	b.n++
	id := fmt.Sprint(b.n)
	text := m.text
	if !m.noID {
		text = strings.Replace(text, "%s", id, 1)
	}
	b.write(text)
	if got := b.answer(m.name); got != nil {
		checkMistake(b.place.rec, b.who+" ("+b.version+")", m, id, got)
	}
}

// checkMistake checks the answer to a mistake.
func checkMistake(rec *record, who string, m mistake, id string, got *message) {
	if m.noID {
		id = ""
		if string(got.ID) == "null" {
			id = "null"
		}
	}
	switch {
	case got.Error == nil:
		rec.fault(who, "%s: a result: %.200s", m.name, got.Result)
	case got.Error.Code != m.code || string(got.ID) != id:
		rec.fault(who, "%s: %v of %s instead of %d of %s", m.name, got.Error, got.ID, m.code, id)
	default:
		rec.answered(fmt.Sprint("error ", m.code))
	}
}

// useIDTwice sends a request with the id of one that is not answered yet.
func (b *badStream) useIDTwice() {
	b.place.rec.sent("a mistake", b.version)
	b.n++
	first := strings.Replace(call1(methodGet, `"name":"do-wait","arguments":{"for":"200ms"}`), "%s", fmt.Sprint(b.n), 1)
	b.write(first)
	b.write(first)
	refused, result := b.answer("an id that is used twice"), b.answer("an id that is used twice")
	if refused == nil || result == nil {
		return
	}
	if refused.Error == nil {
		refused, result = result, refused
	}
	if refused.Error == nil || refused.Error.Code != codeRequest || result.Error != nil || string(result.ID) != fmt.Sprint(b.n) {
		b.fault("an id that is used twice: %v and %v", refused.Error, result.Error)
		return
	}
	b.place.rec.answered(fmt.Sprint("error ", codeRequest))
}

// messageOf returns the message of a reply, nil if it is none.
func messageOf(body []byte) *message {
	var m message
	if json.Unmarshal(body, &m) != nil || !m.isAnswer() {
		return nil
	}
	return &m
}
