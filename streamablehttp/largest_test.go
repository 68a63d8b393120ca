package streamablehttp

import (
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// An option that is as large as it can be is no limit, and nothing is the less
// for it: both eras are served, and nobody is refused.
func TestLargestOptions(t *testing.T) {
	t.Parallel()
	options := map[string]Options{}
	all := Options{}
	for i := range reflect.TypeFor[Options]().NumField() {
		field := reflect.TypeFor[Options]().Field(i)
		if kind := field.Type.Kind(); kind != reflect.Int && kind != reflect.Int64 {
			continue
		}
		var o Options
		for _, v := range []*Options{&o, &all} {
			reflect.ValueOf(v).Elem().Field(i).SetInt(math.MaxInt)
		}
		options[field.Name] = o
	}
	options["all"] = all
	for name, o := range options {
		for _, isHTTP2 := range []bool{false, true} {
			t.Run(map[bool]string{false: "HTTP/1 ", true: "HTTP/2 "}[isHTTP2]+name, func(t *testing.T) {
				t.Parallel()
				p := newPlaceOf(t, prompts.Options{Limits: prompts.Limits{MaxMessageBytes: math.MaxInt}}, o, func(s *httptest.Server) { s.EnableHTTP2 = isHTTP2 })
				h := p.session("2025-11-25")
				get := p.open(http.MethodGet, "", h)
				p.change("a")
				assert.Equal(t, changed, get.message())
				body, mirror := modernGet("progress")
				large := strings.Repeat(" ", 2*smallBody)
				for _, r := range []reply{
					p.post(oldGet("1", "progress"), h), p.post(body, mirror), p.post(body+large, mirror),
					p.post(body, mirror.with("Accept", "application/json")),
				} {
					assert.Equal(t, http.StatusOK, r.status)
					assert.Contains(t, r.body, "done")
				}
				assert.Equal(t, http.StatusUnsupportedMediaType, p.post(body, mirror.with("Content-Type", "text/plain")).status)
				assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
				get.end()
			})
		}
	}
}
