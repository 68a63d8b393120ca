package speccheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// This file has the notifications of both sides. listen.go checks those of one
// subscription.

// hear takes a notification of the client.
func (j *Judge) hear(m *message) {
	switch m.method {
	case "notifications/initialized":
		asked := slices.ContainsFunc(j.asked, func(q *request) bool { return q.method == "initialize" })
		if j.agreed || asked {
			j.initialized = true
		}
	case "notifications/cancelled":
		id := key(m.at("params", "requestId"))
		if q := j.cancellable(id); q != nil {
			q.cancelled = true
			if q.listen != nil {
				q.listen.cancelled = true
			}
		}
	}
}

// cancellable returns the request of the client that a notification cancels, or nil.
// Over HTTP, a notification cancels no request with metadata in _meta: the end of the
// response does (SUB-10).
func (j *Judge) cancellable(id string) *request {
	for _, q := range j.asked {
		switch {
		case q.byServer || q.key != id || q.cancelled || q.method == "":
		case q.method == "initialize": // CAN-11
		case q.revision == stateless && j.options.HTTP:
		default:
			return q
		}
	}
	return nil
}

// notification checks a notification of the server, apart from its form. It returns
// the revision of the notification.
func (j *Judge) notification(m *message) (revision string, fault error) {
	id, subscribed := m.subscription()
	switch m.method {
	case "notifications/progress":
		revision, fault = j.progress(m)
		if subscribed {
			fault = errors.Join(fault, errors.New("it is not for subscriptions (SUB-09)"))
		}
		return revision, fault
	case "notifications/message":
		return j.revision, errors.New("a server of this library sends no log messages (LOG-02)")
	case "notifications/cancelled":
		return j.cancel(m)
	case "notifications/subscriptions/acknowledged":
		return stateless, j.listenNotification(id, m)
	}
	if subscribed {
		return stateless, j.listenNotification(id, m)
	}
	if feature, ok := strings.CutSuffix(m.method, "/list_changed"); ok {
		fault = j.checkUnasked(strings.TrimPrefix(feature, "notifications/"))
	}
	return j.revision, fault
}

// checkUnasked checks a notification of a change that does not belong to a subscription
// (LIF-15, LCH-02, LCH-05).
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
	token := key(m.at("params", "progressToken"))
	value := number(m.object("params")["progress"])
	fault = errors.New("its token is not that of a request in progress (PRO-02)")
	revision = j.revision
	for _, cancelled := range []bool{false, true} {
		for _, q := range j.asked {
			if q.byServer || q.cancelled != cancelled || q.token == "" || q.token != token {
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
				q.late++ // it was in flight
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
	id := key(m.at("params", "requestId"))
	for _, q := range j.asked {
		if q.byServer && q.key == id && !q.cancelled {
			q.cancelled = true
			return j.revision, nil
		}
	}
	if j.lastAnswer.at == j.heard && j.lastAnswer.id == id && j.heard > 0 {
		j.lastAnswer.at = 0 // the answer was in flight
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

// listenNotification judges a notification for the subscription that it names. There
// may be several of the same id, one after the other, or at a time if they are
// in no session. What is acknowledged is for the one that asks for the least,
// so that more can be acknowledged to the others.
func (j *Judge) listenNotification(id string, m *message) error {
	fault := errors.New("no request to listen has the id of this subscription (SUB-07)")
	listens := slices.Clone(j.listens)
	if m.method == "notifications/subscriptions/acknowledged" {
		slices.SortStableFunc(listens, func(a, b *listen) int { return a.wants() - b.wants() })
	}
	for _, l := range listens {
		if l.id != id || id == "" {
			continue
		}
		if fault = l.notification(m); fault == nil {
			return nil
		}
	}
	return fault
}
