package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// outline is what encoding/json makes of a message, as far as it decides how
// the message is answered.
type outline struct {
	valid  bool // JSON in UTF-8, with whole characters
	object bool
	method bool     // a member "method" that is a string
	named  bool     // a member "method"
	answer bool     // a member "result" or "error"
	ids    []string // the values of members that are "id" in any case
	id     string   // the one id, if it can be used
	broken bool     // duplicate keys or nesting past 128
}

func outlineOf(msg []byte) outline {
	o := outline{valid: json.Valid(msg) && utf8.Valid(msg) && wholeCharacters(msg)}
	if !o.valid {
		return o
	}
	dec := json.NewDecoder(bytes.NewReader(msg))
	dec.UseNumber()
	lookFor(dec, 0, &o)
	dec = json.NewDecoder(bytes.NewReader(msg))
	if first, _ := dec.Token(); first != json.Delim('{') {
		return o
	}
	o.object = true
	usable := false
	for dec.More() {
		key, _ := dec.Token()
		var raw json.RawMessage
		_ = dec.Decode(&raw)
		name := key.(string)
		if strings.EqualFold(name, "id") {
			o.ids = append(o.ids, string(raw))
			usable = name == "id" && (raw[0] == '"' || !bytes.ContainsAny(raw, ".eE[{ntf"))
		}
		switch name {
		case "method":
			o.named = true
			o.method = o.method || raw[0] == '"'
		case "result", "error":
			o.answer = true
		}
	}
	if len(o.ids) == 1 && usable {
		o.id = o.ids[0]
	}
	return o
}

// lookFor reads a value and notes what breaks the rules in it.
func lookFor(dec *json.Decoder, depth int, o *outline) {
	token, _ := dec.Token()
	delim, ok := token.(json.Delim)
	if !ok {
		return
	}
	if depth++; depth > maxDepth {
		o.broken = true
	}
	keys := map[string]bool{}
	for dec.More() {
		if delim == '{' {
			key, _ := dec.Token()
			if keys[key.(string)] {
				o.broken = true
			}
			keys[key.(string)] = true
		}
		lookFor(dec, depth, o)
	}
	_, _ = dec.Token()
}

// wholeCharacters reports whether every escaped surrogate has its other half.
// The text is valid JSON.
func wholeCharacters(msg []byte) bool {
	s := string(msg)
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] != 'u' {
			i++
			continue
		}
		high := escaped(s[i:])
		i += 5
		if !utf16.IsSurrogate(high) {
			continue
		}
		if utf16.DecodeRune(high, escaped(s[i+1:])) == utf8.RuneError {
			return false
		}
		i += 6
	}
	return true
}

func escaped(s string) rune {
	if len(s) < 6 || s[:2] != `\u` {
		return 0
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	if err != nil {
		return 0
	}
	return rune(n)
}

// versionOf returns the protocol version in a message's own envelope, as JSON.
func versionOf(msg []byte) []byte {
	var m map[string]json.RawMessage
	var params, meta map[string]json.RawMessage
	_ = json.Unmarshal(msg, &m)
	_ = json.Unmarshal(m["params"], &params)
	_ = json.Unmarshal(params["_meta"], &meta)
	return meta[envelopeKey]
}

// fuzzPrompts are those of the golden sessions, but for the ones that would
// stop the test, and some that talk to their client.
func fuzzPrompts() *prompts.Registry {
	reg := goldenRegistry()
	for _, name := range []string{"slow", "deaf", "faulty"} {
		reg.Remove(name)
	}
	type release struct {
		Channel string `json:"channel"`
		Loud    bool   `json:"loud,omitempty"`
	}
	reg.MustAdd(
		rendered("fuzz ask", func(ctx context.Context) (*prompts.Result, error) {
			n, err := prompts.Once(ctx, "n", func(context.Context) (int, error) { return 1, nil })
			if err != nil {
				return nil, err
			}
			r, err := prompts.Elicit[release](ctx, "release", "Which release?", prompts.Argument{Name: "channel", Schema: prompts.Enum("beta", "stable")})
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(fmt.Sprint(n, r.Channel, r.Loud))), nil
		}),
		rendered("fuzz report", func(ctx context.Context) (*prompts.Result, error) {
			for i := range 3 {
				prompts.Progress(ctx, float64(i), 3, "\xff")
			}
			return prompts.Messages(prompts.User("reported")), nil
		}),
		prompts.New(prompts.Prompt{Name: "fuzz complete", Arguments: []prompts.Argument{{Name: "a", Complete: func(ctx context.Context, prefix string, others map[string]string) ([]string, error) {
			prompts.Progress(ctx, 1, 1, prefix)
			return []string{prefix, others["b"]}, nil
		}}}}, func(_ context.Context, in struct {
			A string `json:"a"`
			B int    `json:"b"`
		}) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(fmt.Sprint(in.A, in.B))), nil
		}),
	)
	return reg
}

// fuzzInitialize declares every capability.
const fuzzInitialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"VERSION","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}},"clientInfo":{"name":"fuzz","version":"1"}}}`

func assertFuzzTrace(t *testing.T, s *prompts.Server) {
	left := s.Leftovers() // sessions that are open listen
	require.Zero(t, left["subscriptions"])
	require.Zero(t, left["tasks"])
}

func methodOf(msg []byte) string {
	var m map[string]json.RawMessage
	var method string
	_ = json.Unmarshal(msg, &m)
	_ = json.Unmarshal(m["method"], &method)
	return method
}

// isSilent reports whether a message has no answer.
func (o outline) isSilent() bool {
	return o.object && (o.method && len(o.ids) == 0 || o.answer && !o.named)
}
