package prompts_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// What one message may cost to answer, whatever is in it: memory is allocated
// for no more than mostFactor times its bytes and mostBase, in no more than
// mostObjects pieces for each hundred bytes, and mostPieces; and no more than
// mostSent times its bytes, and mostBase, are sent. An input four times
// as long costs no more than five times as much, so that nothing grows with the
// square of it.
const (
	mostFactor  = 64
	mostBase    = 64 << 10
	mostObjects = 25
	mostPieces  = 500
	mostGrowth  = 5
	mostSent    = 3
)

// worst are the messages that are worst for us, of about n bytes.
var worst = map[string]func(n int) string{
	"a deep array":        func(n int) string { return strings.Repeat("[", n) },
	"deep objects":        func(n int) string { return strings.Repeat(`{"a":`, n/5) },
	"many deep values":    func(n int) string { return wrapped(n, strings.Repeat("[", 100)+strings.Repeat("]", 100)) },
	"many small values":   func(n int) string { return wrapped(n, "0") },
	"many empty objects":  func(n int) string { return wrapped(n, "{}") },
	"many small objects":  func(n int) string { return wrapped(n, `{"a":0}`) },
	"escapes":             func(n int) string { return getLine("1", strings.Repeat(`\u00e9`, n/6)) },
	"pairs of surrogates": func(n int) string { return getLine("1", strings.Repeat(`\ud83d\ude00`, n/12)) },
	"controls":            func(n int) string { return getLine("1", strings.Repeat(`\u0001`, n/6)) },
	"a long key":          func(n int) string { return `{"` + strings.Repeat(`\u0061`, n/6) + `":1}` },
	"a long method":       func(n int) string { return `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat(`\u0001`, n/6) + `"}` },
	"a long id":           func(n int) string { return pingLine(`"` + strings.Repeat(`\u0001`, n/6) + `"`) },
	"a huge id":           func(n int) string { return pingLine(strings.Repeat("9", n)) },
	"a huge number":       func(n int) string { return wrapped(0, strings.Repeat("9", n)) },
	"a huge exponent":     func(n int) string { return wrapped(0, "1e"+strings.Repeat("9", n)) },
	"many keys":           func(n int) string { return manyOf(`{"jsonrpc":"2.0","id":1,"method":"ping",`, n, `"k%07d":0`, `}`) },
	"keys with one hash": func(n int) string {
		return manyOf(`{"jsonrpc":"2.0","id":1,"method":"ping",`, n, `"\u006b%07d":0`, `}`)
	},
	"duplicate keys": func(n int) string { return `{"a":1` + strings.Repeat(`,"a":1`, n/6) + `}` },
	"members of _meta": func(n int) string {
		return manyOf(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{`, n, `"k%07d":0`, `}}}`)
	},
	"members of params": func(n int) string {
		return manyOf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"bare",`, n, `"k%07d":0`, `}}`)
	},
	"unknown arguments":   func(n int) string { return manyOf(argumentsLine("bare"), n, `"k%07d":"v"`, `}}}`) },
	"arguments that miss": func(n int) string { return manyOf(argumentsLine("types"), n, `"k%07d":"v"`, `}}}`) },
	"bad arguments":       func(n int) string { return manyOf(argumentsLine("types"), n, `"k%07d":0`, `}}}`) },
	"spellings":           func(n int) string { return manyOf(argumentsLine("greet"), n, `"wh%07d":"v"`, `}}}`) },
	"a long argument":     func(n int) string { return argumentsLine("greet") + `"who":"` + strings.Repeat(`\u0001`, n/6) + `"}}}` },
	"a long list": func(n int) string {
		return argumentsLine("types") + `"count":"1","tags":"` + strings.Repeat("a,", n/2) + `a"}}}`
	},
	"a long list as JSON": func(n int) string {
		return argumentsLine("types") + `"count":"1","tags":"[` + strings.Repeat("0,", n/2) + `0]"}}}`
	},
	"a long integer": func(n int) string { return argumentsLine("types") + `"count":"` + strings.Repeat("9", n) + `"}}}` },
	"a long float": func(n int) string {
		return argumentsLine("types") + `"count":"1","ratio":"0.` + strings.Repeat("9", n) + `"}}}`
	},
	"a long duration": func(n int) string {
		return argumentsLine("types") + `"count":"1","wait":"` + strings.Repeat("1ns", n/3) + `"}}}`
	},
	"a long text to match": func(n int) string {
		return argumentsLine("types") + `"count":"1","code":"` + strings.Repeat("a", n) + `"}}}`
	},
	"a cursor": func(n int) string {
		return envelopedLine("1", "prompts/list", `"cursor":"`+base64.RawURLEncoding.EncodeToString(make([]byte, n*3/4))+`"`)
	},
	"a state": func(n int) string {
		return stateful(`"` + base64.RawURLEncoding.EncodeToString(make([]byte, n*3/4)) + `"`)
	},
	"a state of escapes": func(n int) string { return stateful(`"` + strings.Repeat(`\u0041`, n/6) + `"`) },
	"responses for input": func(n int) string {
		return manyOf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"fuzz ask",`+bareEnvelope+`,"inputResponses":{`, n, `"k%07d":{"action":"accept"}`, `}}}`)
	},
	"a long prefix":     func(n int) string { return completeLine("1", "fuzz complete", "a", strings.Repeat("x", n)) },
	"a prefix to match": func(n int) string { return completeLine("1", "greet", "tone", strings.Repeat(`\u0130`, n/6)) },
	"a context of many": func(n int) string {
		return manyOf(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{`+completeParamsOf("fuzz complete", "a", "x")+`,"context":{"arguments":{`, n, `"k%07d":"v"`, `}}}}`)
	},
	"a long token": func(n int) string { return withToken(getLine("1", "fuzz report"), `"`+strings.Repeat("x", n)+`"`) },
	"a long reason": func(n int) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"` + strings.Repeat(`\n`, n/2) + `"}}`
	},
	"a long version": func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"_meta":{"` + envelopeKey + `":"` + strings.Repeat(`\u0001`, n/6) + `","` + capabilitiesKey + `":{}}}}`
	},
	"a response": func(n int) string {
		return `{"jsonrpc":"2.0","id":"prompts-1","result":{"a":[` + strings.Repeat("0,", n/2) + `0]}}`
	},
	"a batch of nothing":   func(n int) string { return "[" + strings.Repeat("0,", n/2) + "0]" },
	"a batch of pings":     func(n int) string { return batchOf(n, pingLine("1")) },
	"a batch of gets":      func(n int) string { return batchOf(n, getLine("1", "no such")) },
	"a batch of others":    func(n int) string { return batchOf(n, `{"jsonrpc":"2.0","method":"x"}`) },
	"a batch of responses": func(n int) string { return batchOf(n, `{"jsonrpc":"2.0","id":1,"result":{}}`) },
}

func wrapped(n int, value string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":[` + strings.Repeat(value+",", n/(len(value)+1)) + value + `]}}}`
}

func manyOf(head string, n int, member, tail string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, member, i)
	}
	return b.String() + tail
}

func argumentsLine(prompt string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + prompt + `","arguments":{`
}

func stateful(state string) string {
	return envelopedLine("1", "prompts/get", `"name":"fuzz ask","inputResponses":{},"requestState":`+state)
}

// batchOf is a batch of about n bytes, but of no more messages than are served.
func batchOf(n int, msg string) string {
	return batchLine(slices.Repeat([]string{msg}, min(n/(len(msg)+1), maxBatch))...)
}

// cost is what it takes to answer a message.
type cost struct{ bytes, objects uint64 }

// costOf answers a message, and reports what that took and how much was sent.
func costOf(t *testing.T, s *prompts.Server, msg string) (c cost, sent int) {
	t.Helper()
	session := s.NewSession(transport.SessionOptions{Version: batchVersion})
	defer session.Close()
	given := []byte(msg)
	// Pools are empty after two collections, so that each try pays for all that
	// it takes.
	runtime.GC()
	runtime.GC()
	x := transport.Exchange{Send: func(msg []byte, _ prompts.Code, _ bool) error { sent += len(msg); return nil }}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := session.Handle(context.Background(), given, x)
	runtime.ReadMemStats(&after)
	var ignored *prompts.Error
	if err != nil {
		require.ErrorAs(t, err, &ignored)
	}
	return cost{after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs}, sent
}

// leastCost is that of two tries: what else goes on in the process counts
// as well.
func leastCost(t *testing.T, s *prompts.Server, msg string) (least cost, sent int) {
	for i := range 2 {
		c, n := costOf(t, s, msg)
		sent = n
		if i == 0 {
			least = c
		}
		least = cost{min(least.bytes, c.bytes), min(least.objects, c.objects)}
	}
	return least, sent
}

// Nothing that a client sends makes the server allocate, or send, more than a
// small multiple of it. What has a bound of its own is not here: the results of
// a batch, which end at Options.Limits.MaxMessageBytes, and the work of an author's
// code. The test is not parallel, because it counts what all of the process
// allocates.
func TestCostOfWorstMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	const small, large = 64 << 10, 256 << 10
	for name, o := range map[string]prompts.Options{"as it is": {}, "strict": {StrictArguments: true}, "asking": {ElicitArguments: true}} {
		s := prompts.NewServer(fuzzPrompts(), o)
		for kind, message := range worst {
			t.Run(name+"/"+kind, func(t *testing.T) {
				short, long := message(small), message(large)
				least, _ := leastCost(t, s, short)
				most, sent := leastCost(t, s, long)
				n := uint64(len(long))
				assert.LessOrEqual(t, most.bytes, mostFactor*n+mostBase, "bytes")
				objects := mostObjects*n/100 + mostPieces
				if prompts.RaceEnabled {
					objects += objects / 10 // a sync.Pool drops some of what it gets
				}
				assert.LessOrEqual(t, most.objects, objects, "objects")
				assert.LessOrEqual(t, most.bytes, mostGrowth*least.bytes*n/(4*uint64(len(short)))+mostBase, "growth")
				assert.LessOrEqual(t, uint64(sent), mostSent*n+mostBase, "sent")
			})
		}
	}
}
