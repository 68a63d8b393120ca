package prompts

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// awaited is a request that has no answer yet.
type awaited struct {
	id, method string
	want       prediction
	mayFail    bool // for want of room or of time
	isShared   bool // another request has had this id in flight
	inBatch    bool
	// hasNoSession says that it cannot be cancelled.
	hasNoSession bool
	mayBeMute    bool // it may have been cancelled in time
}

// prediction is what a simple request leads to: one of these, or anything that a
// response may be.
type prediction struct {
	code    Code     // an error
	result  bool     // a result
	text    string   // of the only message of a prompt, if that is known
	names   []string // of the page of prompts, if that is known
	hasMore bool
	// prompt is the name of a prompt that comes and goes: whether there is one
	// by the time that the request is looked at decides.
	prompt string
}

func (o prediction) isAny() bool { return o.code == 0 && !o.result }

// model is a naive account of a session: what the client has asked for and
// what the server owes it. It looks at messages by encoding/json alone.
type model struct {
	t       *testing.T
	options Options
	link    link

	prompts  map[string]string // those that there are; and their text, if it is known
	awaited  map[string][]*awaited
	nameless int // answers without an id that are owed
	batches  int // arrays that may come

	revision string          // that initialize has agreed on
	isOver   bool            // the session is closed
	asked    map[string]bool // ids of the server's requests, ever
	open     []string        // those without an answer
	deaf     int             // renders that may hold their place for long
}

func newModel(t *testing.T, reg *Registry, o Options, l link) *model {
	m := &model{t: t, options: o, link: l, prompts: map[string]string{}, awaited: map[string][]*awaited{}, asked: map[string]bool{}}
	for p := range reg.All() {
		m.prompts[p.Name] = ""
	}
	m.prompts["nap"] = "rested"
	m.prompts["fuzz report"] = "reported"
	if o.Visible != nil {
		maps.DeleteFunc(m.prompts, func(name, _ string) bool { return !o.Visible(t.Context(), Prompt{Name: name}) })
	}
	return m
}

// keyOf makes two spellings of an id one.
func keyOf(id string) string {
	var s string
	if json.Unmarshal([]byte(id), &s) == nil {
		return "text " + s
	}
	n, ok := new(big.Int).SetString(id, 10)
	if !ok {
		return "none " + id
	}
	return "number " + n.String()
}

// client takes a message that the client is about to send. isQuiet says that
// nothing moves and all has been heard, so that the order of what happens is
// known.
func (m *model) client(msg []byte, isQuiet bool) {
	if len(msg) > m.options.MaxMessageBytes && m.options.MaxMessageBytes > 0 {
		m.nameless++
		return
	}
	o := outlineOf(msg)
	if o.valid && !o.broken && m.revision == batchVersion && bytes.TrimLeft(msg, " \t\r\n")[0] == '[' {
		m.batch(msg)
		return
	}
	m.one(msg, o, false, isQuiet)
}

func (m *model) one(msg []byte, o outline, inBatch, isQuiet bool) {
	switch {
	case o.isSilent():
		if methodOf(msg) == "notifications/cancelled" {
			m.cancel(msg, isQuiet && !inBatch)
		}
	case o.id == "":
		m.nameless++
	default:
		a := &awaited{id: o.id, method: methodOf(msg), want: m.predict(msg, o), inBatch: inBatch}
		a.hasNoSession = m.link == byServer && len(versionOf(msg)) > 0
		if inBatch && (a.method == "initialize" || m.options.MaxMessageBytes > 0) {
			a.want = prediction{} // which is refused there, as are those after many answers
		}
		key := keyOf(o.id)
		all := append(m.awaited[key], a)
		m.awaited[key] = all
		for _, other := range all {
			other.isShared = other.isShared || len(all) > 1
		}
		if a.method != "ping" {
			m.deaf += strings.Count(string(msg), "deaf")
		}
		m.crowd()
	}
}

// crowd notes that requests may be refused, or wait for too long, because there
// are so many.
func (m *model) crowd() {
	n := m.deaf
	for _, all := range m.awaited {
		n += len(all)
	}
	if m.options.MaxConcurrent == 0 || n <= m.options.MaxConcurrent {
		return
	}
	for _, all := range m.awaited {
		for _, a := range all {
			a.mayFail = true
		}
	}
}

func (m *model) batch(msg []byte) {
	var elements []json.RawMessage
	require.NoError(m.t, json.Unmarshal(msg, &elements))
	outlines := make([]outline, len(elements))
	responses, stateless := 0, false
	for i, e := range elements {
		outlines[i] = outlineOf(e)
		stateless = stateless || len(versionOf(e)) > 0
		if o := outlines[i]; o.object && o.answer && !o.named {
			responses++
		}
	}
	if len(elements) == 0 || len(elements) > maxBatch || stateless || responses > 0 && responses < len(elements) {
		m.nameless++
		return
	}
	m.batches++
	for i, e := range elements {
		m.one(e, outlines[i], true, false)
	}
}

// cancel takes a cancellation.
func (m *model) cancel(msg []byte, isQuiet bool) {
	var n struct {
		Version string `json:"jsonrpc"`
		Params  struct {
			RequestID json.RawMessage `json:"requestId"`
		}
	}
	_ = json.Unmarshal(msg, &n)
	key := keyOf(string(n.Params.RequestID))
	all := m.awaited[key]
	if m.revision == "" && m.link == byServer || len(all) == 1 && all[0].hasNoSession {
		return
	}
	if isQuiet && len(all) == 1 && !all[0].inBatch && m.isSimple(msg) && len(versionOf(msg)) == 0 {
		delete(m.awaited, key) // it must have no answer now
		return
	}
	for _, a := range all {
		a.mayBeMute = true
	}
}

// isSimple reports whether a message has no members but those that it should
// have.
func (m *model) isSimple(msg []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(msg, &members) != nil || string(members["jsonrpc"]) != `"2.0"` {
		return false
	}
	for name := range members {
		if !slices.Contains([]string{"jsonrpc", "id", "method", "params"}, name) {
			return false
		}
	}
	params := members["params"]
	return params == nil || params[0] == '{'
}

// predict says what a request leads to, if it is a simple one.
func (m *model) predict(msg []byte, o outline) prediction {
	if o.broken || !m.isSimple(msg) || !o.method || methodOf(msg) == "" {
		return prediction{}
	}
	var members, params, meta map[string]json.RawMessage
	_ = json.Unmarshal(msg, &members)
	_ = json.Unmarshal(members["params"], &params)
	stateless := false
	if raw, ok := params["_meta"]; ok {
		if json.Unmarshal(raw, &meta) != nil || len(meta) != 2 || string(meta[envelopeKey]) != `"2026-07-28"` || string(meta[capabilitiesKey]) != "{}" {
			return prediction{}
		}
		stateless = true
		delete(params, "_meta")
	}
	if m.isOver && (!stateless || m.link != byServer) {
		return prediction{code: CodeInvalidRequest}
	}
	method := methodOf(msg)
	known := slices.Contains(scriptMethods[:7], method) || m.options.Methods[method] != nil
	handshakes := method == "ping" || method == "initialize"
	statelesses := method == "server/discover" || method == "subscriptions/listen"
	switch {
	case !known, handshakes && stateless, statelesses && !stateless && m.revision != "":
		return prediction{code: CodeMethodNotFound}
	case m.revision == "" && !stateless && !handshakes:
		return prediction{code: CodeInvalidParams}
	case method == "ping" && len(params) == 0, method == "server/discover" && len(params) == 0:
		return prediction{result: true}
	case method == methodList && len(params) == 0:
		return m.page()
	case method == methodGet && len(params) == 1 && params["name"] != nil:
		return m.get(params["name"])
	case method == methodGet && len(params) == 0:
		return prediction{code: CodeInvalidParams}
	}
	return prediction{}
}

// page is the first page of the list.
func (m *model) page() prediction {
	names := slices.Sorted(maps.Keys(m.prompts))
	size := m.options.PageSize
	if size == 0 {
		size = defaultPageSize
	}
	return prediction{result: true, names: names[:min(size, len(names))], hasMore: len(names) > size}
}

func (m *model) get(raw json.RawMessage) prediction {
	var name string
	if json.Unmarshal(raw, &name) != nil || raw[0] != '"' {
		return prediction{code: CodeInvalidParams}
	}
	switch name {
	case "fuzz ask", "fuzz complete", "greet", "types", "content":
		return prediction{} // they want more, or a newer revision
	case "deaf", "goexit", "panic":
		return prediction{code: CodeInternalError}
	}
	text, ok := m.prompts[name]
	if !ok {
		return prediction{code: CodeInvalidParams, prompt: name}
	}
	return prediction{result: true, text: text, prompt: name}
}

// change takes a change of the registry.
func (m *model) change(name, text string) {
	if text == "" {
		delete(m.prompts, name)
	} else {
		m.prompts[name] = text
	}
	for _, all := range m.awaited {
		for _, a := range all {
			if a.want.names != nil || a.want.prompt == name {
				a.want = prediction{}
			}
		}
	}
}

// loosen says that what is owed may not come: the client does not wait for it.
func (m *model) loosen() {
	for _, all := range m.awaited {
		for _, a := range all {
			a.mayBeMute = true
		}
	}
}

// owesNothing is the end, when all must have been answered.
func (m *model) owesNothing() {
	for _, all := range m.awaited {
		for _, a := range all {
			require.True(m.t, a.mayBeMute, "no answer to %s of id %s", a.method, a.id)
		}
	}
	require.Zero(m.t, m.nameless, "answers without an id")
}

// server takes a message of the server.
func (m *model) server(msg string) {
	t := m.t
	require.True(t, utf8.ValidString(msg), "%q", msg)
	require.True(t, json.Valid([]byte(msg)), "%q", msg)
	require.NotContains(t, msg, "\n")
	require.NotContains(t, msg, "a secret")
	if msg[0] == '[' {
		m.batches--
		require.GreaterOrEqual(t, m.batches, 0, "batches")
		require.Equal(t, batchVersion, m.revision, "GAP-15")
		var elements []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(msg), &elements))
		require.NotEmpty(t, elements)
		for _, e := range elements {
			m.answer(e, true)
		}
		return
	}
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(msg), &members))
	method := methodOf([]byte(msg))
	switch {
	case method == "":
		m.answer([]byte(msg), false)
	case members["id"] != nil:
		require.Equal(t, "elicitation/create", method)
		var id string
		require.NoError(t, json.Unmarshal(members["id"], &id))
		require.False(t, m.asked[id], "JRP-04: %s", id)
		m.asked[id] = true
		m.open = append(m.open, id)
	default:
		require.Contains(t, []string{
			"notifications/progress", "notifications/cancelled", "notifications/prompts/list_changed", "notifications/subscriptions/acknowledged",
			"notifications/elicitation/complete",
		}, method)
	}
}

// answer takes a response of the server.
func (m *model) answer(msg []byte, inBatch bool) {
	t := m.t
	var a struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    Code            `json:"code"`
			Message *string         `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	dec := json.NewDecoder(bytes.NewReader(msg))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&a), "%s", msg)
	require.Equal(t, "2.0", a.Version)
	require.NotEqual(t, a.Result == nil, a.Error == nil, "JRP-07: %s", msg)
	var code Code
	if a.Error != nil {
		require.NotNil(t, a.Error.Message, "JRP-11")
		code = a.Error.Code
		require.NotZero(t, code)
	} else {
		require.Equal(t, byte('{'), a.Result[0], "JRP-08")
	}
	if len(a.ID) == 0 || string(a.ID) == "null" {
		require.NotNil(t, a.Error)
		require.Contains(t, []Code{CodeParseError, CodeInvalidRequest}, a.Error.Code, "%s", msg)
		m.nameless--
		require.GreaterOrEqual(t, m.nameless, 0, "an answer to nothing: %s", msg)
		return
	}
	key := keyOf(string(a.ID))
	all := m.awaited[key]
	// What has been cancelled comes last.
	slices.SortStableFunc(all, func(a, b *awaited) int { return compareBool(a.mayBeMute, b.mayBeMute) })
	i := slices.IndexFunc(all, func(w *awaited) bool {
		return w.id == string(a.ID) && w.inBatch == inBatch && w.takes(a.Result, code)
	})
	require.NotEqual(t, -1, i, "an answer to nothing, or not the right one (JRP-06): %s\n%s", msg, waiting(all))
	if method := all[i].method; method == "initialize" && a.Result != nil && m.revision == "" {
		var r struct{ ProtocolVersion string }
		require.NoError(t, json.Unmarshal(a.Result, &r))
		m.revision = r.ProtocolVersion
		require.Contains(t, handshakeVersions, m.revision)
	}
	if m.awaited[key] = slices.Delete(all, i, i+1); len(all) == 1 {
		delete(m.awaited, key)
	}
}

type waiting []*awaited

func (w waiting) String() string {
	var b strings.Builder
	for _, a := range w {
		text, _ := json.Marshal(a.want.names)
		b.WriteString("waits: " + a.id + " " + a.method + " for " + a.want.text + string(text) + "\n")
	}
	return b.String()
}

// takes reports whether an answer is one that the request may have.
func (a *awaited) takes(result json.RawMessage, code Code) bool {
	switch {
	case code == CodeInternalError && a.mayFail && a.method != "ping":
		return true
	case a.want.isAny() || a.isShared: // with whom it shares an id has the one answer or the other
		return code == 0 || slices.Contains([]Code{
			CodeInvalidRequest, CodeInvalidParams, CodeMethodNotFound, CodeInternalError, CodeMissingCapability, CodeUnsupportedVersion,
		}, code)
	case code != 0 || a.want.code != 0:
		return code == a.want.code
	}
	var r struct {
		Messages []struct{ Content struct{ Text string } }
		Prompts  []struct{ Name string }
		Next     *string `json:"nextCursor"`
	}
	if json.Unmarshal(result, &r) != nil || a.want.text != "" && (len(r.Messages) != 1 || r.Messages[0].Content.Text != a.want.text) {
		return false
	}
	if a.want.names == nil {
		return true
	}
	var names []string
	for _, p := range r.Prompts {
		names = append(names, p.Name)
	}
	return slices.Equal(a.want.names, names) && a.want.hasMore == (r.Next != nil)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
