package prompts

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
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

// addSessions adds what clients say in the golden sessions.
func addSessions(f *testing.F) {
	files, err := filepath.Glob("testdata/sessions/*.txt")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		for line := range strings.SplitSeq(string(raw), "\n") {
			if msg, ok := strings.CutPrefix(line, "C> "); ok {
				f.Add([]byte(msg))
			} else if msg, ok := strings.CutPrefix(line, "C>q "); ok {
				msg, err = strconv.Unquote(msg)
				require.NoError(f, err)
				f.Add([]byte(msg))
			}
		}
	}
}

// FuzzHandle passes one message to a session of each state and holds the
// answer against what encoding/json makes of the message.
func FuzzHandle(f *testing.F) {
	addSessions(f)
	reg := goldenRegistry()
	for _, name := range []string{"slow", "deaf", "faulty"} { // which would stop the test
		reg.Remove(name)
	}
	servers := []*Server{
		NewServer(reg, Options{PageSize: 2}),
		NewServer(reg, Options{StrictArguments: true, NoListChanged: true, Methods: map[string]Method{"echo": goldenServers["methods"].Methods["echo"]}}),
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		if len(msg) > 8192 {
			return // encoding/json has a limit of its own for nesting
		}
		want := outlineOf(msg)
		for i, s := range servers {
			fresh := s.NewSession(SessionOptions{})
			defer fresh.Close()
			holdToOutline(t, s, fresh, msg, want, i == 0)
			holdToOutline(t, s, newSession(t, s), msg, want, false)
			holdToOutline(t, s, nil, msg, want, false)
		}
	})
}

// holdToOutline passes the message to the session, or to the server if that
// is nil.
func holdToOutline(t *testing.T, s *Server, session *Session, msg []byte, want outline, fresh bool) {
	r := &recorder{t: t}
	given := r.hear(session, string(msg))
	var err error
	if session != nil {
		err = session.Handle(t.Context(), given, Exchange{Send: r.send})
	} else {
		err = s.Handle(t.Context(), given, Exchange{Send: r.send})
	}
	require.NoError(t, err)
	require.Equal(t, msg, given, "Handle has changed the message")
	silent := want.object && (want.method && len(want.ids) == 0 || want.answer && !want.named)
	if silent {
		require.Empty(t, r.messages, "an answer to a notification or a response (JRP-16)")
		return
	}
	require.Len(t, r.messages, 1, "answers")
	answer := r.messages[0]
	require.True(t, answer.last)

	var members map[string]json.RawMessage
	require.True(t, utf8.ValidString(answer.msg), answer.msg)
	require.NoError(t, json.Unmarshal([]byte(answer.msg), &members), answer.msg)
	var own outline
	lookFor(json.NewDecoder(strings.NewReader(answer.msg)), 0, &own)
	require.False(t, own.broken, answer.msg)
	require.Equal(t, `"2.0"`, string(members["jsonrpc"]), "JRP-01")
	result, isResult := members["result"]
	failure, isError := members["error"]
	require.NotEqual(t, isResult, isError, "one of them (JRP-07): %s", answer.msg)
	id, hasID := members["id"]
	require.Equal(t, want.id, string(id), "JRP-06, GAP-13: %s", answer.msg)
	require.Equal(t, want.id != "", hasID, answer.msg)
	require.Len(t, members, map[bool]int{true: 3, false: 2}[hasID], answer.msg)

	if isResult {
		require.Equal(t, byte('{'), result[0], "JRP-08")
		require.Zero(t, answer.code)
		require.True(t, want.valid && want.method && want.id != "" && !want.broken, answer.msg)
		if fresh && len(versionOf(msg)) == 0 {
			allowed := []string{"{}"}
			for _, initialized := range s.initialized {
				allowed = append(allowed, string(initialized))
			}
			require.Contains(t, allowed, string(result), "GAP-07")
		}
		return
	}
	var e struct {
		Code    *Code            `json:"code"`
		Message *string          `json:"message"`
		Data    *json.RawMessage `json:"data"`
	}
	dec := json.NewDecoder(bytes.NewReader(failure))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&e), "JRP-11: %s", answer.msg)
	require.NotNil(t, e.Code)
	require.NotNil(t, e.Message)
	require.Equal(t, answer.code, *e.Code)
	require.Equal(t, !want.valid, *e.Code == CodeParseError, "JRP-18: %s", answer.msg)
	if want.valid && (want.broken || want.id == "" || !want.method) {
		require.Equal(t, CodeInvalidRequest, *e.Code, answer.msg)
	}
}
