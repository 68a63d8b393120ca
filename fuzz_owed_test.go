package prompts_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/transport"
)

// owed is what is owed for the requests of one id. There may be more than one
// of them at a time: a client may send one while another is in flight, and
// what is in no session shares its id with nobody. So an answer is one to any
// of those that it fits, and each of them has one at most.
type owed struct {
	requests []*awaited
	answers  []*heard // those of which it is not certain whose they are
}

// heard is an answer of the server, as far as it tells what it is for.
type heard struct {
	id      string
	inBatch bool
	code    prompts.Code

	// of a result
	method      string // of which it is; empty for that of another method
	isStateless bool
	isEmpty     bool
	names       []string
	text        string
	hasMore     bool

	before int // requests that came before it
}

// newHeard takes an answer apart.
func newHeard(id string, inBatch bool, result json.RawMessage, code prompts.Code) *heard {
	r := &heard{id: id, inBatch: inBatch, code: code}
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) != nil {
		return r
	}
	r.isEmpty = len(members) == 0
	r.isStateless = members["resultType"] != nil
	r.hasMore = members["nextCursor"] != nil
	for member, method := range map[string]string{
		"messages": "prompts/get", "inputRequests": "prompts/get", "prompts": "prompts/list", "completion": "completion/complete",
		"protocolVersion": "initialize", "supportedVersions": "server/discover",
	} {
		if members[member] != nil {
			r.method = method
		}
	}
	if strings.Contains(string(members["_meta"]), subscriptionKey) {
		r.method = "subscriptions/listen"
	}
	var messages []struct{ Content struct{ Text string } }
	if json.Unmarshal(members["messages"], &messages) == nil && len(messages) == 1 {
		r.text = messages[0].Content.Text
	}
	var ps []struct{ Name string }
	_ = json.Unmarshal(members["prompts"], &ps)
	for _, p := range ps {
		r.names = append(r.names, p.Name)
	}
	return r
}

// fits reports whether an answer is one that the request may have.
func (r *heard) fits(a *awaited) bool {
	switch {
	case r.id != a.id || r.inBatch != a.inBatch:
		return false
	case r.code == prompts.CodeInternalError && (a.mayFail || a.inBatch) && a.method != "ping": // one before it in the batch may take too long
		return true
	case r.code == transport.CodeInvalidRequest && (a.isAdmitted || a.mayRepeat):
		return !a.isAdmitted
	case r.code == transport.CodeMissingCapability || r.code == transport.CodeUnsupportedVersion:
		return a.isStateless && (a.want.isAny() || a.want.code == r.code) // JRP-23
	case r.code != 0:
		return a.want.code == r.code || a.want.isAny() && slices.Contains([]prompts.Code{
			transport.CodeInvalidRequest, prompts.CodeInvalidParams, prompts.CodeMethodNotFound, prompts.CodeInternalError,
		}, r.code)
	case a.want.code != 0 || r.isStateless != a.isStateless: // JRP-09, GAP-45
		return false
	case a.method == "ping":
		return r.isEmpty
	case r.method != a.method && (r.method != "" || slices.Contains(scriptMethods[:7], a.method)):
		return false
	}
	isText := a.want.text == "" || a.want.text == r.text
	return isText && (a.want.names == nil || slices.Equal(a.want.names, r.names) && a.want.hasMore == r.hasMore)
}

// take takes an answer, and reports whether there is a way to give each answer
// a request of its own that it fits.
func (o *owed) take(r *heard) bool {
	r.before = len(o.requests)
	o.answers = append(o.answers, r)
	if !matches(len(o.answers), len(o.requests), o.fit) {
		return false
	}
	if len(o.answers) == len(o.requests) {
		o.answers, o.requests = nil, nil
		return true
	}
	o.settle()
	return true
}

func (o *owed) fit(answer, request int) bool {
	r, a := o.answers[answer], o.requests[request]
	return request < r.before && r.fits(a)
}

// settle removes the answers that fit but one request, with it.
func (o *owed) settle() {
	for i := 0; i < len(o.answers); i++ {
		only, n := 0, 0
		for j := range o.requests {
			if o.fit(i, j) {
				only = j
				n++
			}
		}
		if n != 1 {
			continue
		}
		o.answers = slices.Delete(o.answers, i, i+1)
		o.requests = slices.Delete(o.requests, only, only+1)
		for _, r := range o.answers {
			if r.before > only {
				r.before--
			}
		}
		i = -1 // others may fit but one now
	}
}

// areAnswered reports whether all may have been, but for those that may go
// without.
func (o *owed) areAnswered(exempt func(*awaited) bool) bool {
	var must []int
	for i, a := range o.requests {
		if !a.mayBeMute && !exempt(a) {
			must = append(must, i)
		}
	}
	return matches(len(must), len(o.answers), func(i, answer int) bool { return o.fit(answer, must[i]) })
}

func (o *owed) String() string {
	var b strings.Builder
	for _, a := range o.requests {
		fmt.Fprintf(&b, "owed: %+v\n", *a)
	}
	for _, r := range o.answers {
		fmt.Fprintf(&b, "answer to one of them: %+v\n", *r)
	}
	return b.String()
}

// batches are the arrays that are owed, and the lengths of those that have
// come.
type batches struct {
	owed []*batchOwed
	came []cameArray
}

type batchOwed struct {
	requests []*awaited
	nameless int
}

type cameArray struct {
	elements int
	before   int // batches that came before it
}

// take takes an array, and reports whether there is a way to give each array a
// batch of its own that it answers.
func (b *batches) take(elements int) bool {
	b.came = append(b.came, cameArray{elements, len(b.owed)})
	return matches(len(b.came), len(b.owed), b.fit)
}

func (b *batches) fit(array, batch int) bool {
	c, o := b.came[array], b.owed[batch]
	return batch < c.before && o.least() <= c.elements && c.elements <= len(o.requests)+o.nameless
}

// least is how many answers there must be.
func (o *batchOwed) least() int {
	n := o.nameless
	for _, a := range o.requests {
		if !a.mayBeMute {
			n++
		}
	}
	return n
}

// areAnswered reports whether all batches may have been that must be.
func (b *batches) areAnswered() bool {
	var must []int
	for i, o := range b.owed {
		if o.least() > 0 {
			must = append(must, i)
		}
	}
	return matches(len(must), len(b.came), func(i, array int) bool { return b.fit(array, must[i]) })
}

// matches reports whether each of n can have one of m to itself.
func matches(n, m int, fits func(i, j int) bool) bool {
	holder := make([]int, m) // who has it, counted from 1
	for i := range n {
		seen := make([]bool, m)
		var find func(i int) bool
		find = func(i int) bool {
			for j := range m {
				if seen[j] || !fits(i, j) {
					continue
				}
				seen[j] = true
				if holder[j] == 0 || find(holder[j]-1) {
					holder[j] = i + 1
					return true
				}
			}
			return false
		}
		if !find(i) {
			return false
		}
	}
	return true
}

// listenerModel is who is told of changes of the registry: the session, or the one
// who has asked for a subscription.
type listenerModel struct {
	request *awaited // of the subscription; nil for the session
	wants   bool     // it is to be told
	isHeard bool     // the subscription has been acknowledged
	// hears says that it does not miss a change any more, and isOpen that it is
	// told of it in time. Both are certain.
	hears, isOpen bool

	changes, told int // since the last time that all had been told
	isDue         bool
	first, last   time.Time // of the changes that it is due to hear of
	// told since the first and since the last
	sinceFirst, sinceLast int
}

// change says that the registry has changed.
func (l *listenerModel) change() {
	if !l.wants {
		return
	}
	l.changes++
	l.last, l.sinceLast = time.Now(), 0
	if l.hears && !l.isDue {
		l.isDue, l.first, l.sinceFirst = true, time.Now(), 0
	}
}

// open says that it is told in time from now on.
func (l *listenerModel) open() {
	if l.isOpen {
		return
	}
	l.hears, l.isOpen = true, true
	l.first, l.last = time.Now(), time.Now()
}

// hear says that it has been told of a change.
func (l *listenerModel) hear(t *testing.T) {
	l.told++
	l.sinceFirst++
	l.sinceLast++
	require.LessOrEqual(t, l.told, l.changes, "it is told of a change without one")
}

// rest says that nothing moves and all has been heard.
func (l *listenerModel) rest(t *testing.T) {
	if !l.isOpen {
		return
	}
	if l.isDue && time.Since(l.first) >= (200*time.Millisecond) {
		require.Positive(t, l.sinceFirst, "it is not told of a change in the longest time (LCH-01, LCH-04)")
		l.first, l.sinceFirst = time.Now(), 0
	}
	if time.Since(l.last) >= notify.MinPause {
		require.True(t, !l.isDue || l.sinceLast > 0, "it is not told of a change (LCH-01, LCH-04)")
		l.changes, l.told, l.isDue = 0, 0, false
	}
}
