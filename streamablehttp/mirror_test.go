package streamablehttp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// raw posts a body with header lines that are sent as they are, on a connection
// of its own.
func (p *place) raw(t *testing.T, lines []string, body string) reply {
	t.Helper()
	c, err := net.Dial("tcp", p.http.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		len(body), strings.Join(append(lines, ""), "\r\n"), body)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return reply{response.StatusCode, response.Header, string(got)}
}

// HTN-13, HTN-14, HTN-19, HTN-20, HTN-23, HTN-24, GAP-49: each header that
// mirrors the body, in turn, as it is on the wire; for our methods and for those
// that an author serves.
func TestMirror(t *testing.T) {
	t.Parallel()
	serve := func(context.Context, json.RawMessage) (any, error) { return map[string]any{}, nil }
	p := newPlaceOf(t, prompts.Options{Features: servertest.Methods(map[string]servertest.Method{
		"resources/read": serve, "tools/call": serve, "resources/list": serve,
	})}, Options{})
	for _, method := range []struct{ name, params, mirrored string }{
		{"prompts/get", `"name":"text",`, "text"},
		{"prompts/get", `"name":"text","uri":"file:///a",`, "text"},
		{"tools/call", `"name":"text","arguments":{},`, "text"},
		{"resources/read", `"uri":"file:///a",`, "file:///a"},
		{"resources/read", `"uri":"file:///a","name":"text",`, "file:///a"},
		{"resources/list", `"name":"text",`, ""},
		{"prompts/list", ``, ""},
	} {
		for _, mirror := range []struct{ header, value string }{
			{"MCP-Protocol-Version", modern}, {"Mcp-Method", method.name}, {"Mcp-Name", method.mirrored},
		} {
			if mirror.value == "" {
				continue // has no mirror
			}
			one := func(value string) []string { return []string{mirror.header + ": " + value} }
			for _, test := range []struct {
				name  string
				lines []string
				ok    bool
			}{
				{"as it is", one(mirror.value), true},
				{"without a space", []string{mirror.header + ":" + mirror.value}, true},
				{"among spaces", one(" \t" + mirror.value + " \t "), true},
				{"by a name in small letters", []string{strings.ToLower(mirror.header) + ": " + mirror.value}, true},
				{"by a name in capitals", []string{strings.ToUpper(mirror.header) + ": " + mirror.value}, true},
				{"missing", nil, false},
				{"empty", one(""), false},
				{"different", one("other"), false},
				{"with more", one(mirror.value + "x"), false},
				{"in part", one(mirror.value[:len(mirror.value)-1]), false},
				{"in quotes", one(`"` + mirror.value + `"`), false},
				{"in a list", one(mirror.value + ", " + mirror.value), mirror.header == "MCP-Protocol-Version"},
				{"repeated", append(one(mirror.value), one(mirror.value)...), mirror.header == "MCP-Protocol-Version"},
				{"repeated in another case", append(one(mirror.value), strings.ToUpper(mirror.header)+": "+mirror.value), mirror.header == "MCP-Protocol-Version"},
				{"in a list, the last different", one(mirror.value + ",other"), false},
				{"in a list, the last empty", one(mirror.value + ","), false},
				{"repeated, the first different", append(one("other"), one(mirror.value)...), false},
				{"repeated, the last different", append(one(mirror.value), one("other")...), false},
				{"repeated, the last empty", append(one(mirror.value), one("")...), false},
				{"in capitals", one(strings.ToUpper(mirror.value)), strings.ToUpper(mirror.value) == mirror.value},
			} {
				t.Run(method.name+method.params+" "+mirror.header+" "+test.name, func(t *testing.T) {
					t.Parallel()
					lines := test.lines
					for name, value := range map[string]string{"MCP-Protocol-Version": modern, "Mcp-Method": method.name, "Mcp-Name": method.mirrored} {
						if name != mirror.header && value != "" {
							lines = append(lines, name+": "+value)
						}
					}
					r := p.raw(t, lines, modernBody(method.name, method.params))
					if test.ok {
						assert.Equal(t, http.StatusOK, r.status, r.body)
						assert.Contains(t, r.body, `"result"`)
						return
					}
					assert.Equal(t, http.StatusBadRequest, r.status, r.body)
					assert.Equal(t, -32020, r.code(), r.body)
					assert.Equal(t, "1", string(r.fault(t)["id"]))
				})
			}
		}
	}
}

// HTN-20: an empty name has a header, too.
func TestMirrorOfAnEmptyName(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	body := modernBody("prompts/get", `"name":"",`)
	for lines, code := range map[string]int{"Mcp-Name: x": -32020, "Mcp-Name:": -32602, "": -32020} {
		sent := []string{"MCP-Protocol-Version: " + modern, "Mcp-Method: prompts/get"}
		if lines != "" {
			sent = append(sent, lines)
		}
		r := p.raw(t, sent, body)
		assert.Equal(t, code, r.code(), "%q: %s", lines, r.body)
		if code == -32020 {
			assert.Equal(t, http.StatusBadRequest, r.status, lines)
		}
	}
}

// GAP-50: where the body has no name that could be mirrored, what the header
// says does not count.
func TestNothingToMirror(t *testing.T) {
	t.Parallel()
	serve := func(context.Context, json.RawMessage) (any, error) { return map[string]any{}, nil }
	p := newPlaceOf(t, prompts.Options{Features: servertest.Methods(map[string]servertest.Method{"resources/read": serve, "tools/call": serve})}, Options{})
	for _, test := range []struct{ method, params string }{
		{"resources/read", ``}, {"resources/read", `"uri":1,`}, {"resources/read", `"name":"text",`},
		{"tools/call", ``}, {"tools/call", `"name":null,`}, {"tools/call", `"uri":"text",`},
	} {
		for _, name := range []string{"", "other", "a|b"} {
			r := p.post(modernBody(test.method, test.params), modernHeader(test.method, name))
			assert.Equal(t, http.StatusOK, r.status, "%v: %s", test, r.body)
		}
	}
}
