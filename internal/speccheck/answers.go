package speccheck

import (
	"fmt"
	"maps"
	"slices"
)

// answer is a response that may be that of any of several requests.
type answer struct {
	by      side
	id      string // its JSON text
	message *message
	fits    []*request // those that had no answer for certain when it came
}

// response judges a response by the requests of its id. There may be more than
// one of them: because that is a fault, which is answered with an error;
// because one was cancelled, which has no answer; or because they belong to no
// session. So it is right if there is a way to give each response a request of
// its own that it fits.
func (j *Judge) response(from side, m *message) error {
	if m.members["id"] == nil {
		return j.nobodys(from, m)
	}
	a := &answer{by: from, id: m.id, message: m}
	var fault error
	candidates := j.candidates(from, m.id)
	for _, q := range candidates {
		reason := j.checkAnswer(from, q, m)
		if reason == nil {
			a.fits = append(a.fits, q)
		} else if fault == nil {
			fault = fmt.Errorf("as the answer to %s: %w", q.method, reason)
		}
	}
	switch {
	case len(candidates) == 0 && !j.judges(from):
		return nil
	case len(candidates) == 0:
		return j.schema(j.revision).checkResponse(from, m, nil)
	case !j.judges(from):
		j.answer(candidates[0], m)
		return nil
	case len(a.fits) == 0:
		if len(candidates) == 1 {
			j.answer(candidates[0], m)
		}
		return fault
	}
	for _, q := range a.fits {
		if _, ok := agreement(q, m); ok {
			a.fits = []*request{q} // what follows goes by it
			break
		}
	}
	j.answers = append(j.answers, a)
	j.settle(from, m.id)
	return nil
}

// candidates returns the requests that a response may answer. What was
// cancelled comes last.
func (j *Judge) candidates(from side, id string) []*request {
	var all, cancelled []*request
	for _, q := range j.asked {
		switch {
		case q.by != from.other() || q.id != id:
		case q.cancelled:
			cancelled = append(cancelled, q)
		default:
			all = append(all, q)
		}
	}
	return append(all, cancelled...)
}

// settle gives each response of an id a request of its own. There is a way, as
// there was one for those before without any of the requests that still have
// no answer for certain. The requests that have a response in each of the ways
// are answered now.
func (j *Judge) settle(by side, id string) {
	var open []*answer
	for _, a := range j.answers {
		if a.by == by && a.id == id {
			open = append(open, a)
		}
	}
	holders := map[*request]*answer{}
	for _, a := range open {
		give(a, holders, map[*request]bool{})
	}
	for q, a := range holders {
		if !spared(q, a, holders) {
			j.answers = slices.DeleteFunc(j.answers, func(other *answer) bool { return other == a })
			for _, other := range open {
				other.fits = slices.DeleteFunc(other.fits, func(other *request) bool { return other == q })
			}
			j.answer(q, a.message)
		}
	}
}

// give gives the response a request that it fits, for which others may have to
// take another one, and reports whether it could.
func give(a *answer, holders map[*request]*answer, seen map[*request]bool) bool {
	for _, q := range a.fits {
		if seen[q] {
			continue
		}
		seen[q] = true
		if holder := holders[q]; holder == nil || give(holder, holders, seen) {
			holders[q] = a
			return true
		}
	}
	return false
}

// spared reports whether the responses could do without the request, which has
// the response a.
func spared(q *request, a *answer, holders map[*request]*answer) bool {
	return give(a, maps.Clone(holders), map[*request]bool{q: true})
}

// answer notes that a request has had its answer.
func (j *Judge) answer(q *request, m *message) {
	j.asked = slices.DeleteFunc(j.asked, func(other *request) bool { return other == q })
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
