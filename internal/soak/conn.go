package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// conn is a good client's connection. It knows what has been asked, so it finds
// an answer that is missing, one that comes twice and one to nothing.
type conn struct {
	place   *place
	who     string
	version string
	judge   *judge
	carrier carrier

	mu        sync.Mutex // protects the fields below
	lastID    int
	pending   map[string]*call  // by the id's text
	cancelled map[string]*given // requests that need have no answer, by id
	decide    func(key string) object

	changed    chan struct{}  // tells that the server has told of a change; holds one
	acked      chan struct{}  // closed once the subscription is acknowledged
	subscribed string         // id of the subscription
	replies    sync.WaitGroup // the goroutines that answer questions
}

// carrier carries a client's messages.
type carrier interface {
	// request sends a request, or a batch of them. What comes of it goes to
	// conn.receive. When ctx ends the request is given up, if the carrier has a
	// way to do that.
	request(ctx context.Context, msg []byte, method, name string, ids []string) error
	// notify sends what has no answer.
	notify(msg []byte, method string) error
	// close ends the connection, and returns when all of it has ended.
	close()
}

// call is a request that waits for its answer.
type call struct {
	id       string
	token    string
	progress []float64
	first    chan struct{} // closed with the first progress
	answered chan answer   // holds one
}

// given is a request that was given up.
type given struct {
	token string
	never bool // an answer would be wrong, and not only late
}

// answer is what a request has come to.
type answer struct {
	result   json.RawMessage
	err      *rpcError
	progress []float64
}

func newConn(p *place, who, version string) *conn {
	return &conn{
		place: p, who: who, version: version,
		pending: map[string]*call{}, cancelled: map[string]*given{},
		changed: make(chan struct{}, 1), acked: make(chan struct{}),
		decide: func(string) object { return object{"action": "decline"} },
	}
}

func (c *conn) isModern() bool { return c.version == modern }

func (c *conn) fault(format string, args ...any) {
	c.place.rec.fault(c.who+" ("+c.version+")", format, args...)
}

// newCall makes an id: a number, a string, or one that is written in an unusual
// way, which the answer has to repeat.
func (c *conn) newCall() *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id := fmt.Sprint(c.lastID)
	switch c.lastID % 3 {
	case 1:
		id = fmt.Sprintf(`"id %d"`, c.lastID)
	case 2:
		id = fmt.Sprintf(`"\u0069\/%d"`, c.lastID)
	}
	made := &call{id: id, token: fmt.Sprint("token ", c.lastID), first: make(chan struct{}), answered: make(chan answer, 1)}
	c.pending[id] = made
	return made
}

// forget gives a call up: an answer may still come, once.
func (c *conn) forget(x *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[x.id] == x {
		delete(c.pending, x.id)
		c.cancelled[x.id] = &given{token: x.token}
	}
}

// forbid says that a request that was given up must not be answered any more.
func (c *conn) forbid(x *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if up := c.cancelled[x.id]; up != nil {
		up.never = true
	}
}

// start sends a request.
func (c *conn) start(ctx context.Context, method string, params object) (*call, error) {
	x := c.newCall()
	if params == nil {
		params = object{}
	}
	if method == methodGet {
		params["_meta"] = object{"progressToken": x.token}
	}
	if c.isModern() {
		params = envelope(params, true)
	}
	name, _ := params["name"].(string)
	c.place.rec.sent(method, c.version)
	if err := c.carrier.request(ctx, requestText(x.id, method, params), method, name, []string{x.id}); err != nil {
		c.forget(x)
		return nil, err
	}
	return x, nil
}

var errMissing = errors.New("there is no answer")

// wait waits for the answer of a request.
func (c *conn) wait(x *call) (answer, error) {
	timer := time.NewTimer(c.place.options.patience)
	defer timer.Stop()
	select {
	case a := <-x.answered:
		return a, nil
	case <-timer.C:
		c.forget(x)
		return answer{}, errMissing
	}
}

// ask sends a request and waits for its answer. label is what the time is
// counted as, which is the method if it is empty.
func (c *conn) ask(method string, params object, label string) (answer, bool) {
	if label == "" {
		label = method
	}
	began := time.Now()
	x, err := c.start(context.Background(), method, params)
	if err == nil {
		var a answer
		if a, err = c.wait(x); err == nil {
			c.place.rec.took(label, time.Since(began))
			c.count(a)
			return a, true
		}
	}
	c.fault("%s: %v", method, err)
	return answer{}, false
}

func (c *conn) count(a answer) {
	if a.err != nil {
		c.place.rec.answered(fmt.Sprint("error ", a.err.Code))
	} else {
		c.place.rec.answered("result")
	}
}

// receive takes what the server has sent.
func (c *conn) receive(msg []byte) {
	c.judge.server(msg)
	all, isBatch, err := readAll(msg)
	if err != nil {
		c.fault("what has come is no message: %v: %.200s", err, msg)
		return
	}
	if isBatch && c.version != batched {
		c.fault("a batch has come: %.200s", msg)
	}
	for i := range all {
		c.take(&all[i], msg)
	}
}

func (c *conn) take(m *message, text []byte) {
	switch {
	case m.Version != "2.0":
		c.fault("it is of no known version of JSON-RPC: %.200s", text)
	case m.isAnswer():
		c.takeAnswer(m, text)
	case m.Method == "notifications/progress":
		c.takeProgress(m, text)
	case m.Method == "notifications/prompts/list_changed":
		c.takeChange(m, text)
	case m.Method == "notifications/subscriptions/acknowledged" && c.isModern():
		c.acknowledge(text)
	case m.Method == "notifications/cancelled" && c.isModern(): // of the subscription, at its end
	case m.Method == "elicitation/create" && m.ID != nil && !c.isModern():
		c.answerQuestion(m)
	default:
		c.fault("nobody has asked for it: %.200s", text)
	}
}

func (c *conn) takeAnswer(m *message, text []byte) {
	c.mu.Lock()
	x := c.pending[string(m.ID)]
	up := c.cancelled[string(m.ID)]
	delete(c.pending, string(m.ID))
	delete(c.cancelled, string(m.ID))
	c.mu.Unlock()
	switch {
	case x == nil && up != nil && !up.never:
		c.place.rec.answered("after its cancellation")
	case x == nil:
		c.fault("an answer to nothing, or another one: %.200s", text)
	case (m.Result == nil) == (m.Error == nil):
		c.fault("neither a result nor an error, or both: %.200s", text)
	default:
		x.answered <- answer{m.Result, m.Error, x.progress}
	}
}

func (c *conn) takeProgress(m *message, text []byte) {
	var p struct {
		Token    string  `json:"progressToken"`
		Progress float64 `json:"progress"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		c.fault("bad progress: %.200s", text)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.pending {
		if x.token != p.Token {
			continue
		}
		if n := len(x.progress); n == 0 {
			close(x.first)
		} else if x.progress[n-1] >= p.Progress {
			c.fault("progress does not rise: %.200s", text)
		}
		x.progress = append(x.progress, p.Progress)
		return
	}
	for _, up := range c.cancelled { // which may have been under way
		if up.token == p.Token {
			return
		}
	}
	c.fault("progress of nothing: %.200s", text)
}

// subscriptionOf returns the id of the subscription that a notification is for.
func subscriptionOf(params json.RawMessage) string {
	var p struct {
		Meta struct {
			ID json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // whose id is empty then
	return string(p.Meta.ID)
}

func (c *conn) takeChange(m *message, text []byte) {
	c.mu.Lock()
	want := c.subscribed
	c.mu.Unlock()
	if got := subscriptionOf(m.Params); got != want {
		c.fault("a change is told to %s, which should be %s: %.200s", got, want, text)
	}
	c.place.rec.answered("told of a change")
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

func (c *conn) acknowledge(text []byte) {
	select {
	case <-c.acked:
		c.fault("it is acknowledged again: %.200s", text)
	default:
		close(c.acked)
	}
}

func (c *conn) answerQuestion(m *message) {
	var p struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		c.fault("a bad question: %v", err)
	}
	c.mu.Lock()
	decide := c.decide
	c.mu.Unlock()
	reply := encode(object{"jsonrpc": "2.0", "id": m.ID, "result": decide(p.Message)})
	c.replies.Go(func() { // so that who reads never waits to write
		if err := c.carrier.notify(reply, "a response"); err != nil {
			c.fault("a question could not be answered: %v", err)
		}
	})
}

// ended is called when nothing more can come for the requests: one that is not
// answered, and not cancelled, has no answer.
func (c *conn) ended(ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if c.pending[id] != nil && id != c.subscribed {
			c.fault("the request %s has no answer", id)
		}
		delete(c.pending, id)
	}
}

// close ends the connection. All that was asked has to have been answered.
func (c *conn) close() {
	c.replies.Wait()
	c.carrier.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.pending {
		c.fault("the request %s has no answer at the end", id)
	}
}
