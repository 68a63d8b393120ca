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
	failed  []*request     // answered by an error, as it seems
	noise   map[string]int // ids of what the client has sent that is no message, with their number
	listens []*listen
	used    map[string]bool // ids of the server's requests
	// heard is how many messages the client has sent; at that number,
	// lastAnswer was the answer to the server's request of that id.
	heard      int
	lastAnswer struct {
		id string
		at int
	}
	illegible int // requests with an envelope and an id that cannot be read, not answered yet
}

// Judge returns a judge of another connection.
func (c *Checker) Judge(o Options) *Judge {
	return &Judge{checker: c, options: o, revision: latest, used: map[string]bool{}, noise: map[string]int{}}
}

// request is one that is not answered yet, or never will be, because it was
// cancelled.
type request struct {
	by           side
	id           string // its JSON text
	key          string // its id, for comparison
	method       string
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
	switch {
	case from == client && m.method == "" && !m.has("result") && !m.has("error"):
		j.noise[m.id]++ // which an error may answer
		return j.response(from, m)
	case m.method == "":
		return j.response(from, m)
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
	if !isID(m.members["id"]) {
		if isStateless {
			j.illegible++
		}
		return fault
	}
	if from == client {
		q.token = key(m.raw("params", "_meta", "progressToken"))
	}
	if isStateless && m.method == "subscriptions/listen" {
		q.listen = &listen{id: q.key, filter: m.object("params", "notifications")}
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

// response judges a response by the request of its id that it fits, which it
// answers. An id may be in use more than once: because that is a fault, which
// is answered at once with an error, or because a request was cancelled, which
// has no answer. So an error is taken to answer the latest request, and a
// result the first that it fits, but what was cancelled comes last.
func (j *Judge) response(from side, m *message) error {
	if m.members["id"] == nil {
		return j.nobodys(from, m)
	}
	var candidates []*request
	for _, q := range j.asked {
		if q.by == from.other() && q.id == m.id {
			candidates = append(candidates, q)
		}
	}
	if m.has("error") {
		slices.Reverse(candidates)
	}
	slices.SortStableFunc(candidates, func(a, b *request) int {
		switch {
		case a.cancelled == b.cancelled:
			return 0
		case b.cancelled:
			return -1
		}
		return 1
	})
	if len(candidates) == 0 {
		if !j.judges(from) || m.has("result") && j.exchangeFailed(from, nil, m) {
			return nil
		}
		return j.schema(j.revision).checkResponse(from, m, nil)
	}
	if !j.judges(from) {
		j.answer(candidates[0], m)
		return nil
	}
	var fault error
	for _, q := range candidates {
		reason := j.checkAnswer(from, q, m)
		if reason == nil {
			j.answer(q, m)
			return nil
		}
		if fault == nil {
			fault = fmt.Errorf("as the answer to %s: %w", q.method, reason)
		}
	}
	if m.has("result") && j.exchangeFailed(from, candidates[0], m) {
		return nil
	}
	j.answer(candidates[0], m)
	return fault
}

// exchangeFailed takes a result to answer a request of the same id that an
// error was taken to answer. That error has then answered q, or what was no
// request if that is nil.
func (j *Judge) exchangeFailed(from side, q *request, m *message) bool {
	if q == nil {
		if j.noise[m.id] == 0 {
			return false
		}
		defer func() { j.noise[m.id]-- }()
	}
	for i, f := range j.failed {
		if f.by != from.other() || f.id != m.id || j.checkAnswer(from, f, m) != nil {
			continue
		}
		j.failed = slices.Delete(j.failed, i, i+1)
		if q != nil {
			j.failed = append(j.failed, q)
			j.asked = slices.DeleteFunc(j.asked, func(other *request) bool { return other == q })
		}
		return true
	}
	return false
}

// checkAnswer judges a response as the answer to a request.
func (j *Judge) checkAnswer(from side, q *request, m *message) error {
	revision := q.revision
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

// answer notes that a request has had its answer.
func (j *Judge) answer(q *request, m *message) {
	j.asked = slices.DeleteFunc(j.asked, func(other *request) bool { return other == q })
	if m.has("error") {
		j.failed = append(j.failed, q)
	}
	if q.by == server {
		j.lastAnswer.id, j.lastAnswer.at = q.key, j.heard
	}
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
		for _, q := range j.asked {
			if q.by == client && q.key == id && !q.cancelled && q.method != "initialize" { // CAN-11
				q.cancelled = true
				if q.listen != nil {
					q.listen.cancelled = true
				}
				return q.revision
			}
		}
	}
	return j.revision
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

// tellListen judges a notification for the subscription that it names. There
// may be several of the same id, one after the other.
func (j *Judge) tellListen(id string, m *message) error {
	fault := errors.New("no request to listen has the id of this subscription (SUB-07)")
	for _, l := range j.listens {
		if l.id != id || id == "" {
			continue
		}
		if fault = l.tell(m); fault == nil {
			return nil
		}
	}
	return fault
}
