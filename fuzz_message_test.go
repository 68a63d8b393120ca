package prompts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// fuzzPrompts are those of the golden sessions, but for the ones that would
// stop the test, and some that talk to their client.
func fuzzPrompts() *Registry {
	reg := goldenRegistry()
	for _, name := range []string{"slow", "deaf", "faulty"} {
		reg.Remove(name)
	}
	type release struct {
		Channel string `json:"channel"`
		Loud    bool   `json:"loud,omitempty"`
	}
	reg.MustAdd(
		rendered("fuzz ask", func(ctx context.Context) (*Result, error) {
			n, err := Once(ctx, "n", func(context.Context) (int, error) { return 1, nil })
			if err != nil {
				return nil, err
			}
			r, err := Elicit[release](ctx, "release", "Which release?", Argument{Name: "channel", Schema: Enum("beta", "stable")})
			if err != nil {
				return nil, err
			}
			return Messages(User(fmt.Sprint(n, r.Channel, r.Loud))), nil
		}),
		rendered("fuzz report", func(ctx context.Context) (*Result, error) {
			for i := range 3 {
				Progress(ctx, float64(i), 3, "\xff")
			}
			return Messages(User("reported")), nil
		}),
		New(Prompt{Name: "fuzz complete", Arguments: []Argument{{Name: "a", Complete: func(ctx context.Context, prefix string, others map[string]string) ([]string, error) {
			Progress(ctx, 1, 1, prefix)
			return []string{prefix, others["b"]}, nil
		}}}}, func(_ context.Context, in struct {
			A string `json:"a"`
			B int    `json:"b"`
		}) (*Result, error) {
			return Messages(User(fmt.Sprint(in.A, in.B))), nil
		}),
	)
	return reg
}

// fuzzInitialize declares every capability.
const fuzzInitialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"VERSION","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}},"clientInfo":{"name":"fuzz","version":"1"}}}`

// FuzzHandle passes one message to a session of each state and revision, and
// to a server without one, and holds the answer against what encoding/json
// makes of the message. A client that is asked answers; a subscription ends at
// once. So nothing may hang.
func FuzzHandle(f *testing.F) {
	addSessions(f)
	for _, line := range []string{
		envelopedLine("1", "server/discover", ""), envelopedLine("1", "prompts/list", `"cursor":"x"`), envelopedGet("1", "bare"), envelopedGet("1", "nothing"),
		withToken(envelopedGet("1", "fuzz ask"), "1"), withToken(envelopedGet("1", "fuzz report"), `"t"`), listenLine("1"), withToken(listenLine(`"a"`), "1"),
		strings.Replace(envelopedGet("1", "fuzz ask"), `ies":{}`, `ies":{"elicitation":{}}`, 1),
		strings.Replace(envelopedGet("1", "fuzz complete"), `ies":{}`, `ies":{"elicitation":{"form":{}}}`, 1),
		envelopedLine("1", "prompts/get", `"name":"fuzz ask","inputResponses":{"release":{"action":"accept","content":{"channel":"beta"}}},"requestState":"x"`),
		getLine("1", "fuzz ask"), getLine("1", "fuzz complete"), withToken(getLine("1", "fuzz report"), "7"),
		withToken(completeLine("1", "fuzz complete", "a", "x"), "7"), envelopedLine("1", "completion/complete", completeParamsOf("fuzz complete", "a", "x")),
		"[]", "[1,{}]", batchLine(pingLine("1"), initializedLine, withToken(getLine("2", "fuzz report"), "7"), getLine("2", "bare")),
		batchLine(initializeLine, getLine(`"x"`, "fuzz complete")), batchLine(`{"jsonrpc":"2.0","id":1,"result":{}}`, pingLine("1")),
		batchLine(`{"jsonrpc":"2.0","id":1,"result":{}}`), batchLine(pingLine("1"), envelopedGet("2", "bare")), batchLine("[]", pingLine("1")),
	} {
		f.Add([]byte(line))
	}
	reg := fuzzPrompts()
	servers := []*Server{
		NewServer(reg, Options{PageSize: 2}),
		NewServer(reg, Options{
			StrictArguments: true, NoListChanged: true, AskArguments: true,
			Visible: func(_ context.Context, p Prompt) bool { return p.Name != "nothing" },
			Methods: map[string]Method{"echo": goldenServers["methods"].Methods["echo"]},
		}),
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
			for _, version := range handshakeVersions {
				session := s.NewSession(SessionOptions{})
				defer session.Close()
				for _, line := range []string{strings.Replace(fuzzInitialize, "VERSION", version, 1), initializedLine} {
					_, err := handle(t, s, session, line)
					require.NoError(t, err)
				}
				if version == batchVersion && len(msg) > 0 && want.valid && !want.broken && bytes.TrimLeft(msg, " \t\r\n")[0] == '[' {
					holdToElements(t, session, msg)
				} else {
					holdToOutline(t, s, session, msg, want, false)
				}
				require.Empty(t, session.inFlight)
				require.Empty(t, session.outgoing)
			}
			holdToOutline(t, s, nil, msg, want, false)
			assertFuzzTrace(t, s)
		}
	})
}

func assertFuzzTrace(t *testing.T, s *Server) {
	require.Zero(t, s.places.open.n.Load(), "subscriptions")
	require.Zero(t, s.limit.inside(), "tasks")
}

// exchange passes the message to the session, or to the server if that is nil,
// and returns what is sent: all that comes before the answer, and the answer;
// and why there was to be no answer, and the message was ignored.
func exchange(t *testing.T, s *Server, session *Session, msg []byte) (before []string, last []sent, ignored *Error) {
	closing := make(chan struct{})
	close(closing)
	r := &recorder{t: t}
	x := Exchange{Closing: closing, Send: func(msg []byte, code Code, last bool) error {
		asked := requestOf(t, msg)
		if err := r.send(msg, code, last); err != nil || asked == "" {
			return err
		}
		require.NotNil(t, session, "a request to a client that has no session (JRP-36)")
		answer := `{"jsonrpc":"2.0","id":"` + asked + `","result":{"action":"accept","content":{"channel":"beta","a":"x","b":"1"}}}`
		return session.Handle(t.Context(), []byte(answer), Exchange{Send: func([]byte, Code, bool) error { return errDisk }})
	}}
	given := r.hear(session, string(msg))
	var err error
	if session != nil {
		err = session.Handle(t.Context(), given, x)
	} else {
		err = s.Handle(t.Context(), given, x)
	}
	if errors.As(err, &ignored) {
		require.Equal(t, CodeInvalidRequest, ignored.Code)
		require.Empty(t, r.messages, "ignored, but answered")
	} else if err != nil { // each request of a batch was cancelled by the batch itself
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, byte('['), bytes.TrimLeft(msg, " \t\r\n")[0])
		require.False(t, slices.ContainsFunc(r.messages, func(m sent) bool { return m.last }), "an answer and an error")
	}
	require.Equal(t, msg, given, "Handle has changed the message")
	for _, m := range r.messages {
		if m.last {
			last = append(last, m)
			continue
		}
		require.Empty(t, last, "sent after the answer: %s", m.msg)
		before = append(before, m.msg)
	}
	return before, last, ignored
}

// requestOf returns the id of a request to the client, empty if msg is none.
func requestOf(t *testing.T, msg []byte) string {
	var m struct {
		ID     *string
		Method string
	}
	if json.Unmarshal(msg, &m) != nil || m.ID == nil || m.Method == "" {
		return ""
	}
	require.Regexp(t, "^prompts-[0-9]+$", *m.ID)
	return *m.ID
}

// holdToOutline holds the answer to one message.
func holdToOutline(t *testing.T, s *Server, session *Session, msg []byte, want outline, fresh bool) {
	before, last, ignored := exchange(t, s, session, msg)
	require.True(t, ignored == nil || want.isSilent(), "%v", ignored)
	if want.isSilent() {
		require.True(t, ignored != nil || !want.broken && (session != nil || !want.answer), "accepted (HTO-09, GAP-32)")
		require.Empty(t, before, "sent for a notification or a response")
		require.Empty(t, last, "an answer to a notification or a response (JRP-16)")
		return
	}
	require.Len(t, last, 1, "answers")
	holdBefore(t, session, msg, before)
	result := holdAnswer(t, last[0], want)
	if result == nil {
		return
	}
	if fresh && len(versionOf(msg)) == 0 {
		allowed := []string{"{}"}
		for _, initialized := range s.initialized {
			allowed = append(allowed, string(initialized))
		}
		require.Contains(t, allowed, string(result), "GAP-07")
	}
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(result, &members))
	kind, ok := members["resultType"]
	require.Equal(t, len(versionOf(msg)) > 0, ok, "JRP-09, GAP-45: %s", result)
	if ok && string(kind) != `"complete"` {
		require.Equal(t, `"input_required"`, string(kind), "JRP-10")
		require.Equal(t, "prompts/get", methodOf(msg), "MRT-03")
	}
}

func methodOf(msg []byte) string {
	var m map[string]json.RawMessage
	var method string
	_ = json.Unmarshal(msg, &m)
	_ = json.Unmarshal(m["method"], &method)
	return method
}

// holdBefore holds what comes before an answer: what the request gives rise to.
func holdBefore(t *testing.T, session *Session, msg []byte, before []string) {
	stateless := len(versionOf(msg)) > 0
	for i, b := range before {
		require.True(t, utf8.ValidString(b), b)
		switch method := methodOf([]byte(b)); method {
		case "notifications/progress":
			require.Contains(t, string(msg), "progressToken")
			require.NotEqual(t, "subscriptions/listen", methodOf(msg), "SUB-09")
		case "notifications/subscriptions/acknowledged":
			require.Zero(t, i, "SUB-04")
			require.Equal(t, "subscriptions/listen", methodOf(msg))
		case "elicitation/create":
			require.False(t, stateless, "JRP-36")
			require.GreaterOrEqual(t, session.revision().String(), "2025-06-18", "GAP-40")
		default:
			require.Fail(t, "not to be sent", b)
		}
	}
}

// repeatsIDs reports whether two elements of an array have one id.
func repeatsIDs(msg []byte) bool {
	var elements []json.RawMessage
	_ = json.Unmarshal(msg, &elements)
	seen := map[string]bool{}
	for _, e := range elements {
		var m struct{ ID json.RawMessage }
		_ = json.Unmarshal(e, &m)
		id := string(m.ID)
		if seen[id] && id != "" {
			return true
		}
		seen[id] = true
	}
	return false
}

// holdToElements holds the answer to an array in a session that has batches
// (GAP-15): an array of answers, one for each request.
func holdToElements(t *testing.T, session *Session, msg []byte) {
	if repeatsIDs(msg) {
		// The judge could not tell which of them an answer is for.
		transcripts.Lock()
		transcripts.of[session] = nil
		transcripts.Unlock()
	}
	before, last, ignored := exchange(t, session.server, session, msg)
	var elements []json.RawMessage
	require.NoError(t, json.Unmarshal(msg, &elements))
	responses, stateless, cancels := 0, false, false
	ids := map[string]int{} // of the answers that there should be
	answers := 0
	for _, e := range elements {
		o := outlineOf(e)
		if o.object && o.answer && !o.named {
			responses++
		}
		stateless = stateless || len(versionOf(e)) > 0
		cancels = cancels || methodOf(e) == "notifications/cancelled"
		if !o.isSilent() {
			ids[o.id]++
			answers++
		}
	}
	if len(elements) == 0 || len(elements) > maxBatch || stateless || responses > 0 && responses < len(elements) {
		require.Empty(t, before)
		require.Len(t, last, 1)
		require.Equal(t, CodeInvalidRequest, last[0].code)
		holdAnswer(t, last[0], outline{valid: true})
		return
	}
	for _, b := range before {
		require.Equal(t, "notifications/progress", methodOf([]byte(b)))
	}
	require.True(t, ignored == nil || answers == 0, "%v", ignored)
	if answers == 0 {
		require.Empty(t, last)
		return
	}
	if len(last) == 0 {
		require.True(t, cancels, "no answer")
		return
	}
	require.Len(t, last, 1)
	require.Zero(t, last[0].code)
	var got []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(last[0].msg), &got), last[0].msg)
	require.NotEmpty(t, got)
	require.LessOrEqual(t, len(got), answers)
	if !cancels {
		require.Len(t, got, answers)
	}
	for _, g := range got {
		var a struct {
			ID    json.RawMessage
			Error struct{ Code Code }
		}
		require.NoError(t, json.Unmarshal(g, &a))
		ids[string(a.ID)]--
		require.GreaterOrEqual(t, ids[string(a.ID)], 0, "an answer to nothing: %s", g)
		holdAnswer(t, sent{string(g), a.Error.Code, true}, outline{
			valid: true, object: true, method: true, id: string(a.ID),
		})
	}
}

// isSilent reports whether a message has no answer.
func (o outline) isSilent() bool {
	return o.object && (o.method && len(o.ids) == 0 || o.answer && !o.named)
}

// holdAnswer holds one response, and returns its result, or nil.
func holdAnswer(t *testing.T, answer sent, want outline) json.RawMessage {
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
		return result
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
	return nil
}
