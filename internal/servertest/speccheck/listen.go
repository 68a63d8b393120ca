package speccheck

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// listen is a subscription: what a request to listen has opened.
type listen struct {
	id        string         // the key of the request's
	filter    map[string]any // what was asked for
	honoured  map[string]any // what was acknowledged; nil before
	answered  bool           // the request has its response
	refused   bool           // which is an error
	closed    bool           // the server has cancelled it
	cancelled bool           // the client has
	late      int            // messages since the client has
	shared    bool           // there is another one of its id, which its acknowledgement may have been taken for
}

// notification checks a notification for the subscription, and counts it if it is
// valid.
func (l *listen) notification(m *message) error {
	switch {
	case l.answered || l.closed:
		return errors.New("the subscription is over (SUB-07)")
	case l.cancelled && l.late > 0: // the first one was in flight
		return errors.New("the client has cancelled the subscription (SUB-10)")
	}
	var err error
	if m.method == "notifications/subscriptions/acknowledged" {
		err = l.acknowledge(m.object("params", "notifications"))
	} else {
		err = l.checkChange(m)
	}
	if err == nil && l.cancelled {
		l.late++
	}
	return err
}

// filters has the member of a filter that asks for a notification.
var filters = map[string]string{
	"notifications/prompts/list_changed":   "promptsListChanged",
	"notifications/tools/list_changed":     "toolsListChanged",
	"notifications/resources/list_changed": "resourcesListChanged",
	"notifications/resources/updated":      "resourceSubscriptions",
}

func (l *listen) acknowledge(honoured map[string]any) error {
	if l.honoured != nil {
		return errors.New("the subscription is acknowledged already (SUB-04)")
	}
	if honoured == nil {
		honoured = map[string]any{} // the schema says the rest
	}
	for _, name := range slices.Sorted(maps.Keys(honoured)) {
		if honoured[name] != false && !includes(l.filter[name], honoured[name]) {
			return fmt.Errorf("it acknowledges %s, for which nobody has asked (SUB-06)", name)
		}
	}
	l.honoured = honoured
	return nil
}

// wants returns how much was asked for.
func (l *listen) wants() (n int) {
	for _, asked := range l.filter {
		uris, _ := asked.([]any)
		n += len(uris)
		if asked == true {
			n++
		}
	}
	return n
}

// includes reports whether what was asked for includes what is honoured.
func includes(asked, honoured any) bool {
	uris, ok := honoured.([]any)
	if !ok {
		return asked == honoured
	}
	all, _ := asked.([]any)
	return !slices.ContainsFunc(uris, func(uri any) bool { return !slices.Contains(all, uri) })
}

func (l *listen) checkChange(m *message) error {
	if l.honoured == nil {
		return errors.New("the subscription is not acknowledged yet (SUB-04)")
	}
	if asked := l.honoured[filters[m.method]]; asked == nil || asked == false {
		return errors.New("it is not what the subscription is for (SUB-03)")
	}
	return nil
}

// checkResult judges the result that ends the subscription.
func (l *listen) checkResult(m *message) error {
	switch {
	case l.honoured == nil && !l.shared:
		return errors.New("the subscription is not acknowledged yet (SUB-04)")
	case l.closed:
		return errors.New("the server has cancelled the subscription (GAP-24)")
	case key(m.at("result", "_meta", subscriptionKey)) != l.id:
		return errors.New("it names another subscription (SUB-12)")
	}
	return nil
}

// close judges that the server cancels the subscription.
func (l *listen) close() error {
	switch {
	case l.closed:
		return errors.New("the server has cancelled the subscription already (GAP-24)")
	case l.refused:
		return errors.New("there is no subscription: the request has failed (CAN-15)")
	case l.cancelled && !l.answered && l.late > 0:
		return errors.New("the client has cancelled the subscription (SUB-10)")
	}
	l.closed = true
	return nil
}
