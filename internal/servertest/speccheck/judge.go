package speccheck

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Judge checks the messages of the server on one connection. The messages of the client
// are not checked. They only give the context for the messages of the server.
//
// The rules of 2026-07-28 apply to the response and the progress of a request with
// metadata in _meta, and to the notifications of a subscription. To all other messages,
// the rules of the version that initialize has negotiated apply, and before that the
// rules of 2025-11-25. Judge is for one goroutine at a time.
type Judge struct {
	checker *Checker
	options Options

	// The session of initialize.
	revision     string         // of messages without metadata in _meta
	agreed       bool           // the server has sent the result of initialize
	capabilities map[string]any // the client's
	declared     map[string]any // the server's capabilities
	initialized  bool           // the client has said so

	asked    []*request
	refusals map[string]int // errors that may be of any of several requests, by id
	// settled contains the results of requests by id, for each id that is also the
	// id of a request without a result.
	settled map[string][]settled
	listens []*listen
	used    map[string]bool // ids of the server's requests
	// heard is how many messages the client has sent; at that number,
	// lastAnswer was the answer to the server's request of that id.
	heard      int
	lastAnswer struct {
		id string
		at int
	}
	illegible int // messages with metadata in _meta and an unreadable id, not answered yet
}

// Judge returns a judge of another connection.
func (c *Checker) Judge(o Options) *Judge {
	return &Judge{checker: c, options: o, revision: latest, refusals: map[string]int{}, settled: map[string][]settled{}, used: map[string]bool{}}
}

// request is one that is not answered for certain yet, or never will be,
// because it was cancelled.
type request struct {
	byServer     bool
	id           string // its JSON text
	key          string // its id, for comparison
	method       string // empty for what has an id but is no request, which an error may answer
	revision     string
	capabilities map[string]any // the client's, as the request has them
	listen       *listen        // what it has opened
	at           int            // which message of the client it was

	token      string // of its progress; empty if it wants none
	progressed bool
	progress   float64

	cancelled bool
	late      int // messages that it has had since
}

// settled is a result, and the request that it is taken to be the result of.
type settled struct {
	request *request
	result  *message
	at      int // how many messages the client had sent then
}

// Client takes a message of the client.
func (j *Judge) Client(text []byte) {
	j.heard++
	var doc strictjson.Doc
	_ = doc.Parse(string(text), 0) // which the server has to refuse
	if doc.Root().Kind() != strictjson.Array {
		j.fromClient(string(text))
		return
	}
	if j.revision != batches {
		return // the server must refuse it, so nothing in it is asked
	}
	for element := range doc.Root().Elements() {
		j.fromClient(element.Raw())
	}
}

func (j *Judge) fromClient(text string) {
	m, err := parse(text)
	if err != nil {
		return
	}
	isResponse := m.has("result") || m.has("error")
	switch {
	case !m.has("method") && isResponse:
		at := slices.IndexFunc(j.asked, func(q *request) bool { return q.byServer && q.id == m.id })
		if at >= 0 {
			j.lastAnswer.id, j.lastAnswer.at = j.asked[at].key, j.heard
			j.asked = slices.Delete(j.asked, at, at+1)
		}
	case m.isIllegible():
		if m.isEnveloped() {
			j.illegible++
		}
	case m.has("id") && (m.method == "" || isResponse):
		j.asked = append(j.asked, &request{id: m.id, revision: j.revision})
		if m.method != "" {
			j.request(m)
		}
	case m.has("id"):
		j.request(m)
	case m.method != "":
		j.hear(m)
	}
}

// Server checks a message of the server, and returns an error if the message is invalid.
func (j *Judge) Server(text []byte) error {
	var doc strictjson.Doc
	if err := doc.Parse(string(text), 0); err != nil {
		return err
	}
	if doc.Root().Kind() == strictjson.Array {
		return j.batch(doc.Root())
	}
	return j.fromServer(string(text))
}

func (j *Judge) fromServer(text string) error {
	m, err := parse(text)
	if err != nil {
		return err
	}
	isResponse := m.has("result") || m.has("error")
	switch {
	case !m.has("method") && isResponse:
		return j.response(m)
	case m.method == "":
		return errNoMessage
	case isResponse:
		return errors.New("it has both a method and what a response has")
	case m.has("id"):
		return j.question(m)
	}
	revision, err := j.notification(m)
	return errors.Join(err, j.schema(revision).checkCall(m))
}

func (j *Judge) schema(revision string) *schema { return j.checker.schemas[revision] }

// batch takes an array of messages, which only one version has (GAP-15).
func (j *Judge) batch(all strictjson.Value) error {
	s := j.schema(j.revision)
	var faults []error
	if s.revision != batches {
		faults = append(faults, fmt.Errorf("a batch, of which %s knows nothing", s.revision))
	}
	var elements []any
	for e := range all.Elements() {
		if err := j.fromServer(e.Raw()); err != nil {
			faults = append(faults, fmt.Errorf("element %d: %w", len(elements), err))
		}
		v := valueOf(e)
		if m, _ := v.(map[string]any); m["id"] == nil && m["error"] != nil {
			m["id"] = "" // the schema has no form for it (GAP-13)
		}
		elements = append(elements, v)
	}
	if len(elements) == 0 {
		faults = append(faults, errors.New("an empty batch"))
	}
	if s.revision == batches {
		faults = append(faults, s.check(form{definition: "JSONRPCBatchResponse"}, elements))
	}
	return errors.Join(faults...)
}

// request takes a request of the client.
func (j *Judge) request(m *message) {
	q := &request{
		id: m.id, key: key(m.at("id")), method: m.method, revision: j.revision, at: j.heard,
		token: key(m.at("params", "_meta", "progressToken")),
	}
	switch {
	case m.isEnveloped():
		q.revision = stateless
		q.capabilities = m.object("params", "_meta", capabilitiesKey)
	case m.method == "initialize":
		q.capabilities = m.object("params", "capabilities")
	}
	if q.revision == stateless && m.method == "subscriptions/listen" {
		q.listen = &listen{id: q.key, filter: m.object("params", "notifications")}
		j.share(q.listen)
		j.listens = append(j.listens, q.listen)
	}
	j.asked = append(j.asked, q)
}

// question judges a request of the server.
func (j *Judge) question(m *message) error {
	k := key(m.at("id"))
	var err error
	switch {
	case !j.agreed:
		err = errors.New("the server asks where there is no session (JRP-36)")
	case j.used[k]:
		err = errors.New("the server has used this id (JRP-04)")
	default:
		err = j.schema(j.revision).checkInput(j.capabilities, m.method, m.object("params"))
	}
	j.used[k] = true
	if m.hasID() {
		j.asked = append(j.asked, &request{byServer: true, id: m.id, key: k, method: m.method, revision: j.revision})
	}
	return errors.Join(err, j.schema(j.revision).checkCall(m))
}

// response judges a response by the requests of its id. There may be several:
// because that is an error of the client, which is answered with one; because one
// was cancelled, which need have no answer; or because they belong to no session.
// A result is that of the first that it fits, of a method whose results have a
// form rather than of another, until a later one shows that it is another's. An
// error is that of whichever is left in the end.
func (j *Judge) response(m *message) error {
	if m.members["id"] == nil {
		return j.nobodys(m)
	}
	candidates := j.candidates(m.id)
	if len(candidates) == 0 {
		return j.schema(j.revision).checkResponse(m, nil)
	}
	var fits *request
	var fault error
	for _, q := range candidates {
		if reason := j.checkAnswer(q, m); reason == nil {
			fits = q
			break
		} else if fault == nil {
			fault = fmt.Errorf("as the answer to %s: %w", q.method, reason)
		}
	}
	switch {
	case fits != nil && m.has("error"):
		j.refusals[m.id]++
	case fits != nil:
		j.settle(fits, m, j.heard)
	case m.has("result") && j.rearrange(m, j.heard, candidates, map[*request]bool{}):
	case len(candidates) > 1:
		return fault
	default:
		j.answer(candidates[0], m)
		return fault
	}
	left := j.candidates(m.id)
	if j.refusals[m.id] == len(left) {
		delete(j.refusals, m.id)
		delete(j.settled, m.id)
		for _, q := range left {
			j.answer(q, &message{members: map[string]any{"error": nil}})
		}
	}
	return nil
}

// settle takes a result to be that of a request. What opens a session or a
// subscription is so for good.
func (j *Judge) settle(q *request, m *message, at int) {
	j.answer(q, m)
	if q.listen == nil && q.method != "initialize" {
		j.settled[m.id] = append(j.settled[m.id], settled{q, m, at})
	}
}

// rearrange finds a place for a result that fits none of the requests that are
// left: that of an earlier result, if there is another place for that one. It
// reports whether there is one. (An augmenting path of a bipartite matching.)
func (j *Judge) rearrange(m *message, at int, left []*request, tried map[*request]bool) bool {
	for i, s := range j.settled[m.id] {
		if tried[s.request] || s.request.at > at || j.checkAnswer(s.request, m) != nil {
			continue
		}
		tried[s.request] = true
		other := slices.IndexFunc(left, func(q *request) bool { return q.at <= s.at && j.checkAnswer(q, s.result) == nil })
		if other < 0 && !j.rearrange(s.result, s.at, left, tried) {
			continue
		}
		j.settled[m.id][i] = settled{s.request, m, at}
		if other >= 0 {
			j.settle(left[other], s.result, s.at)
		}
		return true
	}
	return false
}

// candidates returns the requests that a response may answer: first those of a
// method whose results have a form, and last those that were cancelled.
func (j *Judge) candidates(id string) []*request {
	var all []*request
	for _, q := range j.asked {
		if !q.byServer && q.id == id {
			all = append(all, q)
		}
	}
	rank := func(q *request) (n int) {
		if q.cancelled {
			n += 2
		}
		if j.schema(q.revision).resultOf(q.method) == anyResult {
			n++
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b *request) int { return rank(a) - rank(b) })
	return all
}

// answer notes that a request has had its answer.
func (j *Judge) answer(q *request, m *message) {
	j.asked = slices.DeleteFunc(j.asked, func(other *request) bool { return other == q })
	if q.listen != nil {
		q.listen.answered = true
		q.listen.refused = m.has("error")
	}
	if version, ok := agreement(q, m); ok && slices.Contains(handshake, version) && !j.agreed {
		j.agreed = true
		j.revision = version
		j.capabilities = q.capabilities
		j.declared = m.object("result", "capabilities")
	}
}

// checkAnswer judges a response as the answer to a request.
func (j *Judge) checkAnswer(q *request, m *message) error {
	revision := q.revision
	if q.method == "" && m.has("result") {
		return errors.New("it is the result of what is no request")
	}
	if version, ok := agreement(q, m); ok {
		if !slices.Contains(handshake, version) {
			return fmt.Errorf("it agrees on %q, which is not a revision with a handshake", version)
		}
		if j.agreed {
			return errors.New("the session is initialized already (GAP-09)")
		}
		revision = version
	}
	if err := j.schema(revision).checkResponse(m, q); err != nil {
		return err
	}
	if q.listen != nil && m.has("result") {
		return q.listen.checkResult(m)
	}
	return nil
}

// agreement returns the version that the response to initialize agrees on.
func agreement(q *request, m *message) (string, bool) {
	version, ok := m.object("result")["protocolVersion"].(string)
	return version, ok && q.method == "initialize" && q.revision != stateless
}

// nobodys judges a response without an id, which is an error if anything: the
// request was not readable, or was none. The newer revisions omit the id. The
// older ones have no form for it; there it is null on a stream (GAP-13).
func (j *Judge) nobodys(m *message) error {
	s := j.schema(j.revision)
	if s.has("JSONRPCError") && m.has("error") {
		ok := m.has("id") != j.options.HTTP
		if !ok && !m.has("id") && j.illegible > 0 {
			j.illegible--
			ok = true
		}
		if !ok {
			return fmt.Errorf("%s: the id of an error that answers no readable request is null on a stream, and omitted elsewhere (GAP-13)", s.revision)
		}
		m.members["id"] = "" // to judge the rest of it
	}
	return s.checkResponse(m, nil)
}
