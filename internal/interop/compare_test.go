package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// difference is where a session is not like the recorded one.
type difference struct {
	where  string
	detail string
}

// comparison is of a recorded session and ours, in which the client has said
// the same.
type comparison struct {
	recorded, ours recording
	found          []difference
}

// compare returns what differs of what has to be equal.
func compare(recorded, ours recording) []difference {
	c := &comparison{recorded: recorded, ours: ours}
	c.compareAnswers()
	c.compareWalks()
	c.compareNotifications()
	c.checkSubscriptions()
	return c.found
}

func (c *comparison) differ(where, format string, args ...any) {
	c.found = append(c.found, difference{where: where, detail: fmt.Sprintf(format, args...)})
}

// compareAnswers wants each request answered as often as the recorded one,
// which is once, or not at all if it was cancelled.
func (c *comparison) compareAnswers() {
	for _, l := range c.ours {
		if l.from == server && l.isAnswer() && c.ours.request(l).text == "" {
			c.differ("answers", "to nothing that was asked: %s", l.text)
		}
	}
	for _, request := range c.ours {
		if request.from != client || !request.isRequest() {
			continue
		}
		where := request.Method
		if request.Params.Name != "" {
			where += " " + request.Params.Name
		}
		recorded, ours := c.expected(request), c.ours.answers(request)
		switch {
		case recorded == nil && len(ours) == 1 && c.mayEnd(request):
			c.compareAnswer(where, request, message{Result: &result{ResultType: "complete"}}, ours[0].message)
		case recorded == nil:
			if len(ours) > 0 {
				c.differ(where+": number of answers", "%d to id %s, recorded none", len(ours), request.ID)
			}
		case len(ours) != 1:
			c.differ(where+": number of answers", "%d to id %s", len(ours), request.ID)
		default:
			c.compareAnswer(where, request, recorded.message, ours[0].message)
		}
	}
}

// expected returns the recorded answer to a request of our session, and nil if
// it had none. The request may be one of the replayer's own, for the rest of a
// list: it is like the one whose answer was the end of it.
func (c *comparison) expected(request line) *line {
	if !c.isRecorded(request) {
		return &line{message: message{Result: &result{ResultType: c.resultType()}}}
	}
	answer := c.recorded.answerTo(request)
	if answer.text == "" {
		return nil
	}
	return &answer
}

func (c *comparison) isRecorded(request line) bool {
	return slices.ContainsFunc(c.recorded, func(l line) bool {
		return l.from == client && l.isRequest() && bytes.Equal(l.ID, request.ID)
	})
}

// resultType is that of every complete result of the recorded session.
func (c *comparison) resultType() string {
	for _, l := range c.recorded {
		if l.from == server && l.Result != nil {
			return l.Result.ResultType
		}
	}
	return ""
}

// mayEnd reports whether a request is one that a server may answer when it
// ends: a subscription that the client has not cancelled.
func (c *comparison) mayEnd(request line) bool {
	return request.Method == "subscriptions/listen" &&
		!slices.ContainsFunc(c.ours.calls(client, "notifications/cancelled"), func(l line) bool {
			return bytes.Equal(l.Params.RequestID, request.ID)
		})
}

func (c *comparison) compareAnswer(where string, request line, recorded, ours message) {
	switch {
	case recorded.Error != nil && ours.Error != nil:
		if recorded.Error.Code != ours.Error.Code {
			c.differ(where+": code", "%d, recorded %d", ours.Error.Code, recorded.Error.Code)
		}
	case recorded.Error != nil:
		c.differ(where+": no error", "recorded %d", recorded.Error.Code)
	case ours.Error != nil:
		c.differ(where+": error", "%d %s", ours.Error.Code, ours.Error.Message)
	case ours.Result == nil:
		c.differ(where+": no result", "to id %s", request.ID)
	default:
		c.compareResult(where, request, recorded.Result, ours.Result)
	}
}

func (c *comparison) compareResult(where string, request line, recorded, ours *result) {
	if recorded.ResultType != ours.ResultType {
		c.differ(where+": resultType", "%q, recorded %q", ours.ResultType, recorded.ResultType)
	}
	switch request.Method {
	case "initialize":
		if recorded.ProtocolVersion != ours.ProtocolVersion {
			c.differ(where+": version", "%q, recorded %q", ours.ProtocolVersion, recorded.ProtocolVersion)
		}
		c.compareCapabilities(where, recorded, ours)
	case "server/discover":
		c.compareVersions(where, recorded, ours)
		c.compareCapabilities(where, recorded, ours)
	case "prompts/get":
		c.compareMessages(where, recorded, ours)
		c.compareInputs(where, recorded, ours)
	case "completion/complete":
		if !slices.Equal(recorded.Completion.Values, ours.Completion.Values) {
			c.differ(where+": values", "%q, recorded %q", ours.Completion.Values, recorded.Completion.Values)
		}
	case "subscriptions/listen":
		if !bytes.Equal(ours.Meta.SubscriptionID, request.ID) {
			c.differ(where+": subscriptionId", "%s, want %s", ours.Meta.SubscriptionID, request.ID)
		}
	}
}

// compareCapabilities wants ours to have all that were recorded.
func (c *comparison) compareCapabilities(where string, recorded, ours *result) {
	for name, want := range recorded.Capabilities {
		if got := ours.Capabilities[name]; !sameJSON(got, want) {
			c.differ(where+": capability "+name, "%s, recorded %s", got, want)
		}
	}
}

func (c *comparison) compareVersions(where string, recorded, ours *result) {
	for _, version := range recorded.SupportedVersions {
		if !slices.Contains(ours.SupportedVersions, version) {
			c.differ(where+": supportedVersions", "without %s", version)
		}
	}
	if len(ours.SupportedVersions) > len(recorded.SupportedVersions) {
		c.differ(where+": more supportedVersions", "%v, recorded %v", ours.SupportedVersions, recorded.SupportedVersions)
	}
}

func (c *comparison) compareMessages(where string, recorded, ours *result) {
	if len(recorded.Messages) != len(ours.Messages) {
		c.differ(where+": messages", "%d, recorded %d", len(ours.Messages), len(recorded.Messages))
		return
	}
	for i, want := range recorded.Messages {
		got := ours.Messages[i]
		if got.Role != want.Role {
			c.differ(where+": role", "%q, recorded %q", got.Role, want.Role)
		}
		if got.Content.Type != want.Content.Type {
			c.differ(where+": type", "%q, recorded %q", got.Content.Type, want.Content.Type)
		}
		if got.Content.Text != want.Content.Text {
			c.differ(where+": text", "%q, recorded %q", got.Content.Text, want.Content.Text)
		}
	}
}

func (c *comparison) compareInputs(where string, recorded, ours *result) {
	if !reflect.DeepEqual(recorded.InputRequests, ours.InputRequests) {
		c.differ(where+": inputRequests", "%v, recorded %v", ours.InputRequests, recorded.InputRequests)
	}
}

// compareWalks wants the same names in the same walks through the list.
func (c *comparison) compareWalks() {
	const where = "prompts/list: "
	recorded, ours := walks(c.recorded), walks(c.ours)
	if len(recorded) != len(ours) {
		c.differ(where+"walks", "%d, recorded %d", len(ours), len(recorded))
		return
	}
	for i, want := range recorded {
		got := ours[i]
		if sorted := slices.Sorted(slices.Values(got)); len(slices.Compact(sorted)) < len(got) {
			c.differ(where+"twice", "%q", got)
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				c.differ(where+"no "+name, "got %q", got)
			}
		}
		notIn := func(names []string) func(string) bool {
			return func(name string) bool { return !slices.Contains(names, name) }
		}
		for _, name := range got {
			if !slices.Contains(want, name) {
				c.differ(where+"also "+name, "recorded %q", want)
			}
		}
		common := slices.DeleteFunc(slices.Clone(got), notIn(want))
		if !slices.Equal(common, slices.DeleteFunc(slices.Clone(want), notIn(got))) {
			c.differ(where+"order", "%q, recorded %q", got, want)
		}
	}
}

// walks returns the names that each walk through the list has found. A walk
// begins with a request without a cursor.
func walks(r recording) [][]string {
	var all [][]string
	for _, request := range r.calls(client, "prompts/list") {
		if request.Params.Cursor == nil || len(all) == 0 {
			all = append(all, nil)
		}
		answer := r.answerTo(request)
		if answer.Result == nil {
			continue
		}
		last := &all[len(all)-1]
		for _, p := range answer.Result.Prompts {
			*last = append(*last, p.Name)
		}
	}
	return all
}

// compareNotifications wants some notification of a kind where there is one
// in the recording, and none where there is none. How many there are of a kind
// is up to the server, which may make one of several.
func (c *comparison) compareNotifications() {
	recorded, ours := notifications(c.recorded), notifications(c.ours)
	for kind, want := range recorded {
		got, ok := ours[kind]
		switch {
		case !ok:
			c.differ("notifications: no "+kind, "recorded %s", want.text)
		case want.Params.Notifications != nil && !sameJSON(got.Params.Notifications, want.Params.Notifications):
			c.differ("notifications: "+kind, "%s, recorded %s", got.text, want.text)
		}
	}
	for kind, got := range ours {
		if _, ok := recorded[kind]; !ok {
			c.differ("notifications: also "+kind, "%s", got.text)
		}
	}
}

// notifications returns the first of each kind: of a method, and of the
// subscription that it belongs to.
func notifications(r recording) map[string]line {
	kinds := map[string]line{}
	for _, l := range r {
		if l.from != server || l.Method == "" {
			continue
		}
		kind := strings.TrimSpace(l.Method + " " + string(l.Params.Meta.SubscriptionID))
		if _, ok := kinds[kind]; !ok {
			kinds[kind] = l
		}
	}
	return kinds
}

// checkSubscriptions wants each to be acknowledged before anything else of it
// comes, and each to be one that the client has asked for.
func (c *comparison) checkSubscriptions() {
	acknowledged := map[string]bool{}
	for _, l := range c.ours {
		id := string(l.Params.Meta.SubscriptionID)
		if l.from != server || id == "" {
			continue
		}
		if l.Method == "notifications/subscriptions/acknowledged" {
			acknowledged[id] = true
		}
		asked := slices.ContainsFunc(c.ours.calls(client, "subscriptions/listen"), func(request line) bool {
			return request.number < l.number && string(request.ID) == id
		})
		if !acknowledged[id] || !asked {
			c.differ("subscriptions", "not acknowledged or not asked for: %s", l.text)
		}
	}
}

// sameJSON reports whether two texts have the same value; a number is a
// float64.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// The comparison of replays finds what it is for.
func TestCompare(t *testing.T) {
	t.Parallel()
	const (
		list     = `C> {"id":1,"method":"prompts/list"}`
		page     = `S> {"id":1,"result":{"prompts":[{"name":"a"},{"name":"b"}]}}`
		get      = `C> {"id":2,"method":"prompts/get","params":{"name":"a"}}`
		text     = `S> {"id":2,"result":{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}}`
		asking   = `S> {"id":2,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create"}}}}`
		failure  = `S> {"id":2,"error":{"code":-32602,"message":"m"}}`
		listen   = `C> {"id":"l","method":"subscriptions/listen"}`
		accepted = `S> {"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
		changed  = `S> {"method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
		ended    = `S> {"id":"l","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
		cancel   = `C> {"method":"notifications/cancelled","params":{"requestId":"l"}}`
		complete = `C> {"id":3,"method":"completion/complete"}`
		values   = `S> {"id":3,"result":{"completion":{"values":["a"]}}}`
		greet    = `C> {"id":0,"method":"initialize"}`
		greeted  = `S> {"id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{"listChanged":true}}}}`
	)
	for name, tt := range map[string]struct {
		recorded, ours []string
		want           []string
	}{
		"the same":              {recorded: []string{list, page, get, text}, ours: []string{list, get, text, page}},
		"no answer":             {recorded: []string{get, text}, ours: []string{get}, want: []string{"prompts/get a: number of answers"}},
		"two answers":           {recorded: []string{get, text}, ours: []string{get, text, text}, want: []string{"prompts/get a: number of answers"}},
		"another type of id":    {recorded: []string{get, text}, ours: []string{get, replace(text, `"id":2`, `"id":"2"`)}, want: []string{"answers", "prompts/get a: number of answers"}},
		"error":                 {recorded: []string{get, text}, ours: []string{get, failure}, want: []string{"prompts/get a: error"}},
		"no error":              {recorded: []string{get, failure}, ours: []string{get, text}, want: []string{"prompts/get a: no error"}},
		"another code":          {recorded: []string{get, failure}, ours: []string{get, replace(failure, "-32602", "-32603")}, want: []string{"prompts/get a: code"}},
		"another text":          {recorded: []string{get, text}, ours: []string{get, replace(text, `"x"`, `"y"`)}, want: []string{"prompts/get a: text"}},
		"another role and type": {recorded: []string{get, text}, ours: []string{get, replace(replace(text, `"user"`, `"assistant"`), `"text","t`, `"image","t`)}, want: []string{"prompts/get a: role", "prompts/get a: type"}},
		"no resultType":         {recorded: []string{get, text}, ours: []string{get, replace(text, `"resultType":"complete",`, ``)}, want: []string{"prompts/get a: resultType"}},
		"another key":           {recorded: []string{get, asking}, ours: []string{get, replace(asking, `"k"`, `"j"`)}, want: []string{"prompts/get a: inputRequests"}},
		"other names":           {recorded: []string{list, page}, ours: []string{list, replace(page, `"a"`, `"c"`)}, want: []string{"prompts/list: no a", "prompts/list: also c"}},
		"another order":         {recorded: []string{list, page}, ours: []string{list, replace(page, `{"name":"a"},{"name":"b"}`, `{"name":"b"},{"name":"a"}`)}, want: []string{"prompts/list: order"}},
		"other values":          {recorded: []string{complete, values}, ours: []string{complete, replace(values, `"a"`, `"a","b"`)}, want: []string{"completion/complete: values"}},
		"another version":       {recorded: []string{greet, greeted}, ours: []string{greet, replace(greeted, "11", "06")}, want: []string{"initialize: version"}},
		"another capability":    {recorded: []string{greet, greeted}, ours: []string{greet, replace(greeted, "true", "false")}, want: []string{"initialize: capability prompts"}},
		"no notification":       {recorded: []string{listen, accepted, changed}, ours: []string{listen, accepted}, want: []string{"notifications: no notifications/prompts/list_changed \"l\""}},
		"more notifications":    {recorded: []string{listen, accepted, changed}, ours: []string{listen, accepted, changed, changed}},
		"another notification":  {recorded: []string{listen, accepted}, ours: []string{listen, accepted, changed}, want: []string{"notifications: also notifications/prompts/list_changed \"l\""}},
		"acknowledged too late": {recorded: []string{listen, accepted, changed}, ours: []string{listen, changed, accepted}, want: []string{"subscriptions"}},
		"another filter":        {recorded: []string{listen, accepted}, ours: []string{listen, replace(accepted, "true", "false")}, want: []string{"notifications: notifications/subscriptions/acknowledged \"l\""}},
		"ended by the server":   {recorded: []string{listen, accepted}, ours: []string{listen, accepted, ended}},
		"ended by the client":   {recorded: []string{listen, accepted, cancel}, ours: []string{listen, accepted, cancel, ended}, want: []string{"subscriptions/listen: number of answers"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range compare(
				parseRecording(t, strings.Join(tt.recorded, "\n")),
				parseRecording(t, strings.Join(tt.ours, "\n")),
			) {
				got = append(got, d.where)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// replace replaces what must be there.
func replace(s, from, to string) string {
	if !strings.Contains(s, from) {
		panic("no " + from + " in " + s)
	}
	return strings.ReplaceAll(s, from, to)
}
