package prompts_test

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// awaited is a request that has no answer yet.
type awaited struct {
	id, method string
	want       prediction
	mayFail    bool // for want of room or of time
	mayRepeat  bool // another request may have this id in flight (GAP-17)
	isAdmitted bool // it has been found in flight, so that it is no longer refused
	inBatch    bool
	// isStateless says that it has an envelope of its own.
	isStateless bool
	// hasNoSession says that it cannot be cancelled.
	hasNoSession bool
	mayBeMute    bool // it may have been cancelled in time
}

// prediction is what a simple request leads to: one of these, or anything that a
// response may be.
type prediction struct {
	code    prompts.Code // an error
	result  bool         // a result
	text    string       // of the only message of a prompt, if that is known
	names   []string     // of the page of prompts, if that is known
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
	options prompts.Options
	link    link

	prompts  map[string]string // those that there are; and their text, if it is known
	owed     map[string]*owed  // by key
	nameless int               // answers without an id that are owed
	batches  batches

	revision string          // that initialize has agreed on
	isOver   bool            // the session is closed
	isLoose  bool            // the client does not wait for what is owed
	asked    map[string]bool // ids of the server's requests, ever
	open     []string        // those without an answer
	deaf     int             // renders that may hold their place for long

	hearers []*listenerModel // the session is the first
	isReady bool             // the client says that it is initialized
}

func newModel(t *testing.T, reg *prompts.Registry, o prompts.Options, l link) *model {
	m := &model{t: t, options: o, link: l, prompts: map[string]string{}, owed: map[string]*owed{}, asked: map[string]bool{}}
	for p := range reg.All() {
		m.prompts[p.Name] = ""
	}
	m.hearers = []*listenerModel{{wants: !o.DisableListChanged}}
	m.prompts["nap"] = "rested"
	m.prompts["fuzz report"] = "reported"
	if o.Visible != nil {
		maps.DeleteFunc(m.prompts, func(name, _ string) bool { return !o.Visible(t.Context(), prompts.Prompt{Name: name}) })
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
	if len(msg) > m.options.Limits.MaxMessageBytes && m.options.Limits.MaxMessageBytes > 0 {
		m.nameless++
		return
	}
	o := outlineOf(msg)
	switch method := methodOf(msg); {
	case !isQuiet:
	case m.revision == "" && method == "initialize":
		m.hearers[0].changes = 0 // it is told of those from now on
	case m.revision != "" && method == "notifications/initialized" && o.isSilent() && !o.broken && m.isSimple(msg) && len(versionOf(msg)) == 0:
		m.isReady = true
	}
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
		m.request(msg, o, inBatch, isQuiet)
	}
}

// request takes a request that is owed an answer of its id.
func (m *model) request(msg []byte, o outline, inBatch, isQuiet bool) *awaited {
	a := &awaited{id: o.id, method: methodOf(msg), inBatch: inBatch, isStateless: len(versionOf(msg)) > 0}
	a.hasNoSession = m.link == byServer && a.isStateless
	key := keyOf(o.id)
	if m.owed[key] == nil {
		m.owed[key] = &owed{}
	}
	before := m.owed[key].requests
	isRepeated := false // for sure
	for _, other := range before {
		if other.hasNoSession || a.hasNoSession {
			continue
		}
		a.mayRepeat = true
		if m.link != byServe && !other.isAdmitted {
			other.mayRepeat = true // which of them is first is not known
		}
		isRepeated = isRepeated || isQuiet && other.isAdmitted && !other.mayBeMute
	}
	a.want = m.predict(msg, o, isRepeated)
	switch {
	case !inBatch:
	case a.method == "initialize":
		a.want = prediction{code: transport.CodeInvalidRequest} // GAP-15
	case m.options.Limits.MaxMessageBytes > 0:
		a.want = prediction{} // it is refused after many answers
	}
	// A batch is worked on in order: a request behind a slow one may have no time
	// left.
	a.mayFail = inBatch || a.method == "subscriptions/listen" && m.options.Limits.MaxSubscriptions > 0
	m.owed[key].requests = append(before, a)
	if a.method == "subscriptions/listen" {
		m.hearers = append(m.hearers, &listenerModel{request: a, wants: !m.options.DisableListChanged && wantsChanges(msg)})
	}
	if a.method != "ping" {
		m.deaf += strings.Count(string(msg), "deaf")
	}
	m.crowd()
	return a
}

// wantsChanges reports whether a request to listen asks for changes of the
// list.
func wantsChanges(msg []byte) bool {
	var m struct {
		Params struct {
			Notifications map[string]json.RawMessage
		}
	}
	_ = json.Unmarshal(msg, &m)
	return string(m.Params.Notifications["promptsListChanged"]) == "true"
}

// crowd notes that requests may be refused, or wait for too long, because there
// are so many.
func (m *model) crowd() {
	n := m.deaf
	for _, o := range m.owed {
		n += len(o.requests) - len(o.answers)
	}
	if m.options.Limits.MaxConcurrent == 0 || n <= m.options.Limits.MaxConcurrent {
		return
	}
	for a := range m.requests() {
		a.mayFail = true
	}
}

// requests returns those that have no answer, as far as that is certain.
func (m *model) requests() iter.Seq[*awaited] {
	return func(yield func(*awaited) bool) {
		for _, o := range m.owed {
			for _, a := range o.requests {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// rest says that nothing moves and all has been heard. What has no answer now
// is in flight; the answers of a batch come together.
func (m *model) rest() {
	for _, o := range m.owed {
		for _, a := range o.requests {
			a.isAdmitted = a.isAdmitted || !a.inBatch && len(o.answers) == 0
		}
	}
	session := m.hearers[0]
	if session.hears = m.revision != ""; m.isReady {
		session.open()
	}
	if m.isOver {
		session.isOpen = false
	}
	open := slices.Collect(m.requests())
	m.hearers = slices.DeleteFunc(m.hearers, func(l *listenerModel) bool { return l.request != nil && !slices.Contains(open, l.request) })
	for _, l := range m.hearers {
		if a := l.request; a != nil && !a.mayBeMute && a.want.result && len(m.owed[keyOf(a.id)].requests) == 1 {
			require.True(m.t, l.isHeard, "no acknowledgement (SUB-04): %+v", *a)
		}
		if a := l.request; a == nil || !a.mayBeMute {
			l.rest(m.t)
		}
	}
}

// listening returns the subscriptions of an id.
func (m *model) listening(id string) []*listenerModel {
	o := m.owed[keyOf(id)]
	if o == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.hearers), func(l *listenerModel) bool {
		return l.request == nil || l.request.id != id || !slices.Contains(o.requests, l.request)
	})
}

// acknowledge takes an acknowledgement of a subscription.
func (m *model) acknowledge(id string, tells bool) {
	for _, l := range m.listening(id) {
		if !l.isHeard && l.wants == tells {
			l.isHeard = true
			if tells {
				l.open()
			}
			return
		}
	}
	require.Fail(m.t, "an acknowledgement of what was not asked for (SUB-04, SUB-06)", id)
}

// tell takes a notification that the list has changed.
func (m *model) tell(id string) {
	if id == "" {
		m.hearers[0].hear(m.t)
		return
	}
	var best *listenerModel // there may be more of them, of which each is told
	for _, l := range m.listening(id) {
		if l.isHeard && l.wants && (best == nil || l.sinceLast < best.sinceLast) {
			best = l
		}
	}
	require.NotNil(m.t, best, "nobody listens (SUB-03, SUB-07, SUB-10): %s", id)
	best.hear(m.t)
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
	var b batchOwed
	for i, e := range elements {
		n := m.nameless
		if o := outlines[i]; !o.isSilent() && o.id != "" {
			b.requests = append(b.requests, m.request(e, o, true, false))
			continue
		}
		m.one(e, outlines[i], true, false)
		b.nameless += m.nameless - n
	}
	if len(b.requests)+b.nameless > 0 {
		m.batches.owed = append(m.batches.owed, &b)
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
	o := m.owed[key]
	if o == nil || m.revision == "" && m.link == byServer {
		return
	}
	isLone := len(o.requests) == 1 && len(o.answers) == 0
	if isLone && o.requests[0].hasNoSession {
		return
	}
	if isQuiet && isLone && o.requests[0].isAdmitted && !o.requests[0].inBatch && m.isSimple(msg) && len(versionOf(msg)) == 0 {
		delete(m.owed, key) // it must have no answer now
		return
	}
	for _, a := range o.requests {
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

// predict says what a request leads to, if it is a simple one. isRepeated says
// that another of its id is in flight.
func (m *model) predict(msg []byte, o outline, isRepeated bool) prediction {
	if o.broken || !o.method || methodOf(msg) == "" {
		return prediction{code: transport.CodeInvalidRequest}
	}
	if !m.isSimple(msg) {
		return prediction{}
	}
	var members, params, meta map[string]json.RawMessage
	_ = json.Unmarshal(msg, &members)
	_ = json.Unmarshal(members["params"], &params)
	_ = json.Unmarshal(params["_meta"], &meta)
	version, stateless := meta[envelopeKey]
	switch {
	case !stateless:
	case version[0] != '"':
		return prediction{code: prompts.CodeInvalidParams} // GAP-18
	case keyOf(string(version)) != "text 2026-07-28":
		return prediction{code: transport.CodeUnsupportedVersion} // GAP-05
	case meta[capabilitiesKey] == nil || meta[capabilitiesKey][0] != '{':
		return prediction{code: prompts.CodeInvalidParams}
	}
	if m.isOver && (!stateless || m.link != byServer) {
		return prediction{code: transport.CodeInvalidRequest}
	}
	if isRepeated {
		return prediction{code: transport.CodeInvalidRequest} // GAP-17
	}
	if token := meta["progressToken"]; token != nil && (token[0] == '"' || keyOf(string(token))[0] == 'n' && keyOf(string(token))[1] == 'u') {
		delete(meta, "progressToken")
	}
	delete(meta, envelopeKey)
	if declared := string(meta[capabilitiesKey]); stateless && (declared == "{}" || declared == `{"elicitation":{"form":{}}}`) {
		delete(meta, capabilitiesKey)
	}
	if raw, ok := params["_meta"]; ok && (len(meta) > 0 || raw[0] != '{') {
		return prediction{}
	}
	delete(params, "_meta")
	method := methodOf(msg)
	known := slices.Contains(scriptMethods[:7], method) || m.options.Methods[method] != nil
	handshakes := method == "ping" || method == "initialize"
	statelesses := method == "server/discover" || method == "subscriptions/listen"
	switch {
	case !known, handshakes && stateless, statelesses && !stateless && m.revision != "":
		return prediction{code: prompts.CodeMethodNotFound}
	case m.revision == "" && !stateless && !handshakes:
		return prediction{code: prompts.CodeInvalidParams}
	case method == "ping" && len(params) == 0, method == "server/discover" && len(params) == 0:
		return prediction{result: true}
	case method == "initialize" && isHandshake(params):
		if m.revision != "" {
			return prediction{code: transport.CodeInvalidRequest} // GAP-09
		}
		return prediction{result: true}
	case method == "subscriptions/listen" && len(params) == 0:
		return prediction{code: prompts.CodeInvalidParams} // GAP-27
	case method == "subscriptions/listen" && len(params) == 1 && slices.Contains([]string{"{}", `{"promptsListChanged":true}`}, string(params["notifications"])):
		return prediction{result: true}
	case method == methodList && len(params) == 0:
		return m.page()
	case method == methodGet && len(params) == 1 && params["name"] != nil:
		return m.get(params["name"])
	case method == methodGet && len(params) == 0:
		return prediction{code: prompts.CodeInvalidParams}
	}
	return prediction{}
}

// isHandshake reports whether the params are those that this test shakes hands
// with, of any version.
func isHandshake(params map[string]json.RawMessage) bool {
	version := params["protocolVersion"]
	return len(params) == 3 && len(version) > 0 && version[0] == '"' &&
		strings.HasPrefix(string(params["capabilities"]), "{}") &&
		slices.Contains([]string{`{"name":"c","version":"1"}`, `{"name":"tester","version":"1"}`}, string(params["clientInfo"]))
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
		return prediction{code: prompts.CodeInvalidParams}
	}
	switch name {
	case "fuzz ask", "fuzz complete", "greet", "types", "content":
		return prediction{} // they want more, or a newer revision
	case "deaf", "goexit", "panic":
		return prediction{code: prompts.CodeInternalError}
	}
	text, ok := m.prompts[name]
	if !ok {
		return prediction{code: prompts.CodeInvalidParams, prompt: name}
	}
	return prediction{result: true, text: text, prompt: name}
}

// changed takes a change of the registry that hearers are to be told of.
func (m *model) changed() {
	for _, l := range m.hearers {
		if l.request != nil || !m.isOver {
			l.change()
		}
	}
}

// change takes a change of the registry.
func (m *model) change(name, text string) {
	if text == "" {
		delete(m.prompts, name)
	} else {
		m.prompts[name] = text
	}
	for a := range m.requests() {
		if a.want.names != nil || a.want.prompt == name {
			a.want = prediction{}
		}
	}
}

// loosen says that what is owed may not come: the client does not wait for it.
func (m *model) loosen() {
	m.isLoose = true
	for a := range m.requests() {
		a.mayBeMute = true
	}
}

// owesOnly requires that all has been answered but for those that an exemption
// is made for.
func (m *model) owesOnly(exempt func(*awaited) bool) {
	for key, o := range m.owed {
		require.True(m.t, o.areAnswered(exempt), "no answer to one of id %s: %s", key, o)
	}
	if !m.isLoose {
		require.Zero(m.t, m.nameless, "answers without an id")
		require.True(m.t, m.batches.areAnswered(), "no answer to a batch")
	}
}

// server takes a message of the server.
func (m *model) server(msg string) {
	t := m.t
	require.True(t, utf8.ValidString(msg), "%q", msg)
	require.True(t, json.Valid([]byte(msg)), "%q", msg)
	require.NotContains(t, msg, "\n")
	require.NotContains(t, msg, "a secret")
	if msg[0] == '[' {
		require.Equal(t, batchVersion, m.revision, "GAP-15")
		var elements []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(msg), &elements))
		require.NotEmpty(t, elements)
		require.True(t, m.batches.take(len(elements)), "an answer to no batch, or not the whole: %s", msg)
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
	case method == "notifications/subscriptions/acknowledged":
		id, honoured := notified(msg)
		m.acknowledge(id, honoured)
	case method == "notifications/prompts/list_changed":
		id, _ := notified(msg)
		m.tell(id)
	default:
		require.Contains(t, []string{
			"notifications/progress", "notifications/cancelled", "notifications/elicitation/complete",
		}, method)
	}
}

// notified returns the subscription that a notification is for, and whether it
// says that changes of the list are told.
func notified(msg string) (id string, tells bool) {
	var n struct {
		Params struct {
			Meta          map[string]json.RawMessage `json:"_meta"`
			Notifications struct{ PromptsListChanged bool }
		}
	}
	_ = json.Unmarshal([]byte(msg), &n)
	return string(n.Params.Meta[subscriptionKey]), n.Params.Notifications.PromptsListChanged
}

// answer takes a response of the server.
func (m *model) answer(msg []byte, inBatch bool) {
	t := m.t
	var a struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    prompts.Code    `json:"code"`
			Message *string         `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	dec := json.NewDecoder(bytes.NewReader(msg))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&a), "%s", msg)
	require.Equal(t, "2.0", a.Version)
	require.NotEqual(t, a.Result == nil, a.Error == nil, "JRP-07: %s", msg)
	var code prompts.Code
	if a.Error != nil {
		require.NotNil(t, a.Error.Message, "JRP-11")
		code = a.Error.Code
		require.NotZero(t, code)
	} else {
		require.Equal(t, byte('{'), a.Result[0], "JRP-08")
	}
	if len(a.ID) == 0 || string(a.ID) == "null" {
		require.NotNil(t, a.Error)
		require.Contains(t, []prompts.Code{transport.CodeParseError, transport.CodeInvalidRequest}, a.Error.Code, "%s", msg)
		m.nameless--
		require.GreaterOrEqual(t, m.nameless, 0, "an answer to nothing: %s", msg)
		return
	}
	key := keyOf(string(a.ID))
	o := m.owed[key]
	require.NotNil(t, o, "an answer to nothing: %s", msg)
	got := newHeard(string(a.ID), inBatch, a.Result, code)
	require.True(t, o.take(got), "an answer to nothing, or not the right one (JRP-06): %s\n%s", msg, o)
	if got.method == "initialize" && m.revision == "" {
		var r struct{ ProtocolVersion string }
		require.NoError(t, json.Unmarshal(a.Result, &r))
		m.revision = r.ProtocolVersion
		require.Contains(t, handshakeVersions, m.revision)
	}
	if len(o.requests) == 0 {
		delete(m.owed, key)
	}
}
