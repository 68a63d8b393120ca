package prompttest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// What a revision has is read, and what it has not is a fault.
func TestReadPrompt(t *testing.T) {
	t.Parallel()
	message := func(content string) string { return `{"messages":[{"role":"user","content":` + content + `}]}` }
	for _, test := range []struct{ from, until, text, want string }{
		{"2024-11-05", "", `[]`, "the result is not a JSON object"},
		{"2024-11-05", "", `null`, "the result is not a JSON object"},
		{"2024-11-05", "", `{}`, "the result has no messages"},
		{"2024-11-05", "", `{"messages":null}`, `the result has a member "messages" that is not an array`},
		{"2024-11-05", "", `{"messages":[],"description":1}`, `a member "description" that is not a string`},
		{"2024-11-05", "", `{"messages":[],"Description":""}`, "should not have in this revision: Description"},
		{"2024-11-05", "", `{"messages":[1]}`, "message 1 is not a JSON object"},
		{"2024-11-05", "", `{"messages":[{"role":"system","content":{"type":"text","text":""}}]}`, `message 1 has the role "system"`},
		{"2024-11-05", "", `{"messages":[{"content":{"type":"text","text":""}}]}`, `message 1 has no member "role"`},
		{"2024-11-05", "", `{"messages":[{"role":"user"}]}`, "the content of message 1 is not a JSON object"},
		{"2024-11-05", "", message(`[{"type":"text","text":""}]`), "the content of message 1 is not a JSON object"},
		{"2024-11-05", "", message(`{"type":"text","text":"","x":1}`), "the content of message 1 has a member that it should not have in this revision: x"},
		{"2024-11-05", "", message(`{"type":"text"}`), `has no member "text"`},
		{"2024-11-05", "", message(`{"type":"video"}`), `has the type "video"`},
		{"2024-11-05", "", message(`{"type":"image","data":"AA=","mimeType":"image/png"}`), `a member "data" that is not base64`},
		{"2024-11-05", "", message(`{"type":"image","data":"AA=="}`), `has no member "mimeType"`},
		{"2024-11-05", "", message(`{"type":"resource","resource":{"uri":"a:b"}}`), `the resource of message 1 has no member "text"`},
		{"2024-11-05", "", message(`{"type":"resource","resource":{"uri":"a:b","text":"","blob":""}}`), `should not have in this revision: text`},
		{"2024-11-05", "", message(`{"type":"text","text":"","annotations":{"audience":"user"}}`), `the annotations has a member "audience" that is not an array of roles`},
		{"2024-11-05", "2025-03-26", message(`{"type":"text","text":"","annotations":{"lastModified":"2026-01-02T03:04:05Z"}}`), "should not have in this revision: lastModified"},
		{"2025-06-18", "", message(`{"type":"text","text":"","annotations":{"lastModified":"yesterday"}}`), "cannot parse"},
		{"2024-11-05", "2025-03-26", message(`{"type":"text","text":"","_meta":{}}`), "should not have in this revision: _meta"},
		{"2025-06-18", "", message(`{"type":"text","text":"","_meta":[]}`), `a member "_meta" that is not an object`},
		{"2024-11-05", "2024-11-05", message(`{"type":"audio","data":"","mimeType":"audio/wav"}`), `the type "audio", which revision 2024-11-05 has not`},
		{"2025-03-26", "", message(`{"type":"audio","data":"","mimeType":"audio/wav"}`), ""},
		{"2024-11-05", "2025-03-26", message(`{"type":"resource_link","uri":"a:b","name":"n"}`), `the type "resource_link"`},
		{"2025-06-18", "", message(`{"type":"resource_link","uri":"a:b","name":"n"}`), ""},
		{"2025-06-18", "2025-06-18", message(`{"type":"resource_link","uri":"a:b","name":"n","icons":[]}`), "icons"},
		{"2025-11-25", "", message(`{"type":"resource_link","uri":"a:b","name":"n","icons":[{"source":""}]}`), `an icon has no member "src"`},
		{"2025-06-18", "", message(`{"type":"resource_link","uri":"a:b","name":"n","size":1.5}`), `a member "size" that is not an integer`},
	} {
		is := false
		for _, version := range Versions() {
			r, _ := protocolOf(version)
			is = is || r.String() == test.from
			if !is {
				continue
			}
			text := test.text
			if r.Stateless() && text[0] == '{' && text != "{}" {
				text = `{"resultType":"complete",` + text[1:]
			} else if r.Stateless() && text == "{}" {
				text = `{"resultType":"complete"}`
			}
			_, err := r.readPrompt(json.RawMessage(text))
			if test.want == "" {
				assert.NoError(t, err, "%s %s", r.String(), text)
			} else {
				assert.ErrorContains(t, err, test.want, "%s %s", r.String(), text)
			}
			is = is && r.String() != test.until
		}
	}
}

// What the newest revision has is read in full.
func TestReadAll(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	want := all()
	reg.MustAdd(data("all", func(context.Context, map[string]string) (*prompts.Result, error) { return want, nil }))
	c := New(t, &reg)
	assert.Equal(t, format(want), format(c.Get("all", nil)))
}

func TestReadList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"resultType":"complete","prompts":[],"ttlMs":0,"cacheScope":"private"}`, ""},
		{`{"resultType":"complete","prompts":[],"ttlMs":0}`, `no member "cacheScope"`},
		{`{"resultType":"complete","prompts":[],"ttlMs":0,"cacheScope":"all"}`, `the cacheScope "all"`},
		{`{"resultType":"complete","prompts":[],"ttlMs":-1,"cacheScope":"private"}`, `"ttlMs" that is not an integer from 0`},
		{`{"resultType":"complete","ttlMs":0,"cacheScope":"private"}`, "has no prompts"},
		{`{"resultType":"complete","prompts":[],"nextCursor":null,"ttlMs":0,"cacheScope":"private"}`, `"nextCursor" that is not a string`},
		{`{"resultType":"complete","prompts":[{}],"ttlMs":0,"cacheScope":"private"}`, `no member "name"`},
		{`{"resultType":"complete","prompts":[{"name":"a","arguments":[{}]}],"ttlMs":0,"cacheScope":"private"}`, `an argument of the prompt a has no member "name"`},
		{`{"resultType":"complete","prompts":[{"name":"a","arguments":[{"name":"b","required":"yes"}]}],"ttlMs":0,"cacheScope":"private"}`, `"required" that is not a boolean`},
		{`{"resultType":"complete","prompts":[{"name":"a","tags":[]}],"ttlMs":0,"cacheScope":"private"}`, `the prompt "a" of the list has a member that it should not have`},
	} {
		newest, _ := protocolOf("")
		_, _, err := newest.readList(json.RawMessage(test.text))
		if test.want == "" {
			require.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, test.want)
	}
}

func TestReadCompletion(t *testing.T) {
	t.Parallel()
	many, err := json.Marshal(make([]string, 101))
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{"completion":{"values":["a"],"total":1,"hasMore":false}}`: "",
		`{}`:                            "the completion is not a JSON object",
		`{"completion":{}}`:             `no member "values"`,
		`{"completion":{"values":[1]}}`: `"values" that is not an array of strings`,
		`{"completion":{"values":[],"total":-1}}`:        `"total" that is not an integer from 0`,
		`{"completion":{"values":` + string(many) + `}}`: "the completion has 101 values, and may have 100",
	} {
		r, _ := protocolOf("2025-11-25")
		_, err := r.readCompletion(json.RawMessage(text))
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, want)
	}
}
