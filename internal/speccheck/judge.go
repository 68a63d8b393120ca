package speccheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Judge judges the messages of one connection. What belongs to the revision
// without a handshake is judged by it: a request with an envelope of its own,
// the response and the progress that it has, and what is told to those who
// have asked for it with subscriptions/listen. All else is judged by the
// revision that initialize has agreed on, and before by the newest with a
// handshake. One goroutine at a time may use it.
type Judge struct {
	checker *Checker
	options Options

	// The session of the handshake era.
	revision     string         // of messages without an envelope
	agreed       bool           // initialize has had its result
	capabilities map[string]any // the client's
	declared     map[string]any // the server's capabilities
	initialized  bool           // the client has said so

	asked   []*request
	answers []*answer // those of which it is not certain whose they are
	listens []*listen
	used    map[string]bool // ids of the server's requests
	// heard is how many messages the client has sent; at that number,
	// lastAnswer was the answer to the server's request of that id.
	heard      int
	lastAnswer struct {
		id string
		at int
	}
	illegible int // messages with an envelope and an id that cannot be read, not answered yet
}

// Judge returns a judge of another connection.
func (c *Checker) Judge(o Options) *Judge {
	return &Judge{checker: c, options: o, revision: latest, used: map[string]bool{}}
}

// request is one that is not answered for certain yet, or never will be,
// because it was cancelled.
type request struct {
	by           side
	id           string // its JSON text
	key          string // its id, for comparison
	method       string // empty for what has an id but is no request, which an error may answer
	revision     string
	capabilities map[string]any // the client's, as the request has them
	listen       *listen        // what it has opened

	logs       bool   // it wants log messages
	token      string // of its progress; empty if it wants none
	progressed bool
	progress   float64

	cancelled bool
	late      int // messages that it has had since
}

// Client takes a message of the client, and returns what is wrong with it.
func (j *Judge) Client(msg []byte) error { return j.verdict(client, msg) }

// Server takes a message of the server, and returns what is wrong with it.
func (j *Judge) Server(msg []byte) error { return j.verdict(server, msg) }

func (j *Judge) verdict(from side, msg []byte) error {
	if err := j.take(from, msg); j.judges(from) {
		return err
	}
	return nil
}

func (j *Judge) judges(from side) bool { return from == server || !j.options.ServerOnly }

func (j *Judge) schema(revision string) *schema { return j.checker.schemas[revision] }

// take takes the next message and returns what is wrong with it.
func (j *Judge) take(from side, text []byte) error {
	if from == client {
		j.heard++
	}
	if isBatch(text) {
		return j.batch(from, text)
	}
	return j.single(from, text)
}

func (j *Judge) single(from side, text []byte) error {
	m, err := parse(text)
	if err != nil {
		return err
	}
	if from == server {
		if err := wellFormed(text); err != nil {
			return err
		}
	}
	isResponse := !m.has("method") && (m.has("result") || m.has("error"))
	if from == client && !isResponse {
		switch {
		case m.isIllegible():
			return j.nameless(m)
		case m.has("id") && (m.method == "" || m.has("result") || m.has("error")):
			j.asked = append(j.asked, &request{by: client, id: m.id, revision: j.revision})
		}
	}
	switch {
	case isResponse:
		return j.response(from, m)
	case m.method == "":
		return errNoMessage
	case m.has("result") || m.has("error"):
		return errors.New("it has both a method and what a response has")
	case m.has("id"):
		return j.request(from, m)
	}
	return j.notification(from, m)
}

// batch takes an array of messages, which only one revision has (GAP-15).
func (j *Judge) batch(from side, text []byte) error {
	s := j.schema(j.revision)
	var faults []error
	if s.revision != batches {
		if from == client {
			// The server must refuse it, so nothing in it is asked.
			return fmt.Errorf("a batch, of which %s knows nothing", s.revision)
		}
		faults = append(faults, fmt.Errorf("a batch, of which %s knows nothing", s.revision))
	}
	v, err := decode(text)
	if err != nil {
		return err
	}
	elements := v.([]any)
	if len(elements) == 0 {
		faults = append(faults, errors.New("an empty batch"))
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil {
		return err
	}
	calls := 0
	for i, e := range elements {
		m, _ := e.(map[string]any)
		if _, ok := m["method"]; ok {
			calls++
		}
		if err := j.single(from, texts[i]); err != nil {
			faults = append(faults, fmt.Errorf("element %d: %w", i, err))
		}
		if m["id"] == nil && m["error"] != nil {
			m["id"] = "" // the schema has no form for it (GAP-13)
		}
	}
	if s.revision == batches && j.judges(from) {
		definition := "JSONRPCBatchResponse"
		if from == client && calls > 0 {
			definition = "JSONRPCBatchRequest"
		}
		faults = append(faults, s.check(form{definition: definition}, elements))
	}
	return errors.Join(faults...)
}

// nameless takes a message of the client that is none of the protocol, because
// its id cannot be read.
func (j *Judge) nameless(m *message) error {
	revision := j.revision
	if m.isEnveloped() {
		j.illegible++
		revision = stateless
	}
	switch {
	case !j.judges(client):
		return nil
	case m.method == "":
		return errNoMessage
	}
	return errors.Join(errors.New("its id is neither a string nor an integer"), j.schema(revision).checkCall(client, m))
}

// request takes a request.
func (j *Judge) request(from side, m *message) error {
	q := &request{by: from, id: m.id, key: key(json.RawMessage(m.id)), method: m.method, revision: j.revision}
	isStateless := from == client && m.isEnveloped()
	if isStateless {
		q.revision = stateless
		q.capabilities = m.object("params", "_meta", capabilitiesKey)
		q.logs = m.object("params", "_meta")[logLevelKey] != nil
	} else if m.method == "initialize" {
		q.capabilities = m.object("params", "capabilities")
	}
	var fault error
	if j.judges(from) {
		fault = j.schema(q.revision).checkCall(from, m)
	}
	if from == server {
		fault = errors.Join(j.checkQuestion(m), fault)
		j.used[q.key] = true
	}
	if !m.hasID() {
		return fault
	}
	if from == client {
		q.token = key(m.raw("params", "_meta", "progressToken"))
	}
	if isStateless && m.method == "subscriptions/listen" {
		q.listen = &listen{id: q.key, filter: m.object("params", "notifications")}
		j.share(q.listen)
		j.listens = append(j.listens, q.listen)
	}
	j.asked = append(j.asked, q)
	return fault
}

// checkQuestion judges a request of the server, beyond its form.
func (j *Judge) checkQuestion(m *message) error {
	switch {
	case !j.agreed:
		return errors.New("the server asks where there is no session (JRP-36)")
	case j.used[key(json.RawMessage(m.id))]:
		return errors.New("the server has used this id (JRP-04)")
	}
	return j.schema(j.revision).checkInput(j.capabilities, m.method, m.object("params"))
}

// checkAnswer judges a response as the answer to a request.
func (j *Judge) checkAnswer(from side, q *request, m *message) error {
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
	if err := j.schema(revision).checkResponse(from, m, q); err != nil {
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
func (j *Judge) nobodys(from side, m *message) error {
	if !j.judges(from) {
		return nil
	}
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
	return s.checkResponse(from, m, nil)
}

// notification takes a notification.
func (j *Judge) notification(from side, m *message) error {
	var revision string
	var fault error
	if from == client {
		revision = j.hear(m)
	} else {
		revision, fault = j.tell(m)
	}
	if !j.judges(from) {
		return nil
	}
	return errors.Join(fault, j.schema(revision).checkCall(from, m))
}

// hear takes a notification of the client and returns its revision.
func (j *Judge) hear(m *message) string {
	switch m.method {
	case "notifications/initialized":
		asked := slices.ContainsFunc(j.asked, func(q *request) bool { return q.method == "initialize" })
		if j.agreed || asked {
			j.initialized = true
		}
	case "notifications/cancelled":
		id := key(m.raw("params", "requestId"))
		if q := j.cancellable(id); q != nil {
			q.cancelled = true
			if q.listen != nil {
				q.listen.cancelled = true
			}
			return q.revision
		}
	}
	return j.revision
}

// cancellable returns the request of the client that a notification cancels;
// nil if there is none. Over HTTP it cancels none that has an envelope: there
// that is done by the end of its response (SUB-10).
func (j *Judge) cancellable(id string) *request {
	for _, q := range j.asked {
		switch {
		case q.by != client || q.key != id || q.cancelled || q.method == "":
		case q.method == "initialize": // CAN-11
		case q.revision == stateless && j.options.HTTP:
		default:
			return q
		}
	}
	return nil
}

// tell takes a notification of the server, and returns its revision and what
// is wrong with it beyond its form.
func (j *Judge) tell(m *message) (revision string, fault error) {
	id, subscribed := m.subscription()
	switch m.method {
	case "notifications/progress":
		revision, fault = j.progress(m)
		if subscribed {
			fault = errors.Join(fault, errors.New("it is not for subscriptions (SUB-09)"))
		}
		return revision, fault
	case "notifications/message":
		revision, fault = j.log()
		if subscribed {
			fault = errors.Join(fault, errors.New("it is not for subscriptions (SUB-09)"))
		}
		return revision, fault
	case "notifications/cancelled":
		return j.cancel(m)
	case "notifications/subscriptions/acknowledged":
		return stateless, j.tellListen(id, m)
	}
	if subscribed {
		return stateless, j.tellListen(id, m)
	}
	if feature, ok := strings.CutSuffix(m.method, "/list_changed"); ok {
		fault = j.checkUnasked(strings.TrimPrefix(feature, "notifications/"))
	}
	return j.revision, fault
}

// log judges that the server sends a log message: to a session, or for a
// request that wants it.
func (j *Judge) log() (revision string, fault error) {
	wanted := func(q *request) bool { return q.by == client && q.logs }
	switch {
	case j.agreed:
		return j.revision, nil
	case slices.ContainsFunc(j.asked, wanted):
		return stateless, nil
	}
	return j.revision, errors.New("there is neither a session nor a request that wants it (LOG-06)")
}

// checkUnasked judges that the server tells of a change outside of a
// subscription (LIF-15, LCH-02, LCH-05).
func (j *Judge) checkUnasked(feature string) error {
	capability, _ := j.declared[feature].(map[string]any)
	switch {
	case !j.agreed:
		return errors.New("it is neither for a session nor for a subscription (LCH-05)")
	case !j.initialized:
		return errors.New("the client has not said that it is initialized (LIF-15)")
	case capability["listChanged"] != true:
		return fmt.Errorf("the server has not declared it in its capability %q (LCH-02)", feature)
	}
	return nil
}

// progress judges progress, by the request whose token it has.
func (j *Judge) progress(m *message) (revision string, fault error) {
	token := key(m.raw("params", "progressToken"))
	value := number(m.object("params")["progress"])
	fault = errors.New("its token is not that of a request in progress (PRO-02)")
	revision = j.revision
	for _, cancelled := range []bool{false, true} {
		for _, q := range j.asked {
			if q.by != client || q.cancelled != cancelled || q.token == "" || q.token != token {
				continue
			}
			revision = q.revision
			switch {
			case q.cancelled && q.late > 0:
				fault = errors.New("the request was cancelled (CAN-03)")
				continue
			case q.progressed && !(value > q.progress):
				fault = errors.New("the progress does not rise (PRO-04)")
				continue
			}
			if q.cancelled {
				q.late++ // it was under way
			}
			q.progress, q.progressed = value, true
			return revision, nil
		}
	}
	return revision, fault
}

// cancel judges that the server cancels something: a request of its own, or a
// subscription.
func (j *Judge) cancel(m *message) (revision string, fault error) {
	id := key(m.raw("params", "requestId"))
	for _, q := range j.asked {
		if q.by == server && q.key == id && !q.cancelled {
			q.cancelled = true
			return j.revision, nil
		}
	}
	if j.lastAnswer.at == j.heard && j.lastAnswer.id == id && j.heard > 0 {
		j.lastAnswer.at = 0 // the answer was under way
		return j.revision, nil
	}
	revision = j.revision
	fault = errors.New("it is neither a request of the server in progress nor a subscription (CAN-13, CAN-15)")
	for _, l := range j.listens {
		if l.id != id {
			continue
		}
		revision = stateless
		if fault = l.close(); fault == nil {
			break
		}
	}
	return revision, fault
}

// share notes which subscriptions there are of one id at a time: they are in no
// session, or one of them is to be refused.
func (j *Judge) share(l *listen) {
	for _, other := range j.listens {
		if other.id == l.id && !other.answered && !other.closed {
			l.shared, other.shared = true, true
		}
	}
}

// tellListen judges a notification for the subscription that it names. There
// may be several of the same id, one after the other, or at a time if they are
// in no session. What is acknowledged is for the one that asks for the least,
// so that more can be acknowledged to the others.
func (j *Judge) tellListen(id string, m *message) error {
	fault := errors.New("no request to listen has the id of this subscription (SUB-07)")
	listens := slices.Clone(j.listens)
	if m.method == "notifications/subscriptions/acknowledged" {
		slices.SortStableFunc(listens, func(a, b *listen) int { return a.wants() - b.wants() })
	}
	for _, l := range listens {
		if l.id != id || id == "" {
			continue
		}
		if fault = l.tell(m); fault == nil {
			return nil
		}
	}
	return fault
}
