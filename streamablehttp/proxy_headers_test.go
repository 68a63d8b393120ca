package streamablehttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// behindProxy puts a proxy in front of the server, for all requests of the place.
func (p *place) behindProxy(rewrite func(http.Header)) *place {
	target, err := url.Parse(p.http.URL)
	require.NoError(p.t, err)
	transport := &http.Transport{Protocols: new(http.Protocols)} // the newer one of the server's
	isHTTP2 := p.http.Config.Protocols != nil
	transport.Protocols.SetHTTP1(!isHTTP2)
	transport.Protocols.SetUnencryptedHTTP2(isHTTP2)
	p.t.Cleanup(transport.CloseIdleConnections)
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		rewrite(r.Out.Header)
	}})
	p.t.Cleanup(proxy.Close)
	behind := *p
	behind.http = proxy
	return &behind
}

// GAP-36, GAP-49: what becomes of a request whose header a proxy doubles, joins or drops. Only
// copies of the protocol version count as one, over all doors, over HTTP/1 and HTTP/2.
func TestHeadersOfProxies(t *testing.T) {
	t.Parallel()
	changes := map[string]func([]string) []string{
		"doubles":              func(v []string) []string { return append(v, v...) },
		"triples":              func(v []string) []string { return append(append(v, v...), v...) },
		"joins":                func(v []string) []string { return []string{v[0] + ", " + v[0]} },
		"joins without spaces": func(v []string) []string { return []string{v[0] + "," + v[0]} },
		"joins with a tab":     func(v []string) []string { return []string{v[0] + "\t,\t" + v[0]} },
		"doubles and joins":    func(v []string) []string { return []string{v[0], v[0] + " , " + v[0]} },
		"adds another":         func(v []string) []string { return append(v, "2025-06-18") },
		"joins another":        func(v []string) []string { return []string{v[0] + ", 2025-06-18"} },
		"adds an empty":        func(v []string) []string { return append(v, "") },
		"joins an empty":       func(v []string) []string { return []string{v[0] + ","} },
		"drops":                func([]string) []string { return nil },
	}
	copies := []string{"doubles", "triples", "joins", "joins without spaces", "joins with a tab", "doubles and joins"}
	others := []string{"adds another", "joins another", "adds an empty", "joins an empty"}
	for protocol, change := range map[string]func(*httptest.Server){
		"HTTP/1": func(*httptest.Server) {},
		"HTTP/2": func(s *httptest.Server) {
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetHTTP1(true)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
		},
	} {
		p := newPlaceOf(t, prompts.Options{}, Options{}, change)
		without := newPlaceOf(t, prompts.Options{}, Options{DisableSessions: true}, change)
		get, mirror := modernGet("text")
		const notification = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`
		batches := p.session("2025-03-26")
		for _, door := range []struct {
			name         string
			place        *place
			method, body string
			header       func() header
			ok           int // the status of a good request
			dropped      int // and of one without the version
		}{
			{"stateless", p, "POST", get, func() header { return mirror }, 200, 400},
			{"stateless, listen", p, "POST", modernBody("subscriptions/listen", `"notifications":{},`), func() header { return modernHeader("subscriptions/listen", "") }, 200, 400},
			{"stateless notification", p, "POST", notification, func() header { return header{headerVersion: modern} }, 202, 400},
			{"without sessions", without, "POST", listBody, func() header { return header{headerVersion: "2025-11-25"} }, 200, 200},
			{"initialize", p, "POST", initializeBody("2025-11-25"), func() header { return header{headerVersion: modern} }, 200, 200},
			{"initialize without sessions", without, "POST", initializeBody("2025-11-25"), func() header { return header{headerVersion: "1999-01-01"} }, 200, 200},
			{"request", p, "POST", listBody, func() header { return batches }, 200, 200},
			{"batch", p, "POST", "[" + listBody + "]", func() header { return batches }, 200, 200},
			{"notification", p, "POST", notification, func() header { return batches }, 202, 202},
			{"response", p, "POST", `{"jsonrpc":"2.0","id":"x","result":{}}`, func() header { return batches }, 202, 202},
			{"GET", p, "GET", "", func() header { return batches }, 200, 200},
			{"DELETE", p, "DELETE", "", func() header { return p.session("2025-11-25") }, 204, 204},
		} {
			for how, change := range changes {
				t.Run(protocol+" "+door.name+" "+how, func(t *testing.T) {
					t.Parallel()
					behind := door.place.behindProxy(func(h http.Header) { h[headerVersion] = change(h[headerVersion]) })
					r := behind.request(door.method, door.body, door.header())
					response, err := behind.http.Client().Do(r)
					require.NoError(t, err)
					defer response.Body.Close()
					switch {
					case how == "drops":
						assert.Equal(t, door.dropped, response.StatusCode)
					case slices.Contains(copies, how):
						assert.Equal(t, door.ok, response.StatusCode)
					default:
						require.Contains(t, others, how)
						assert.Equal(t, http.StatusBadRequest, response.StatusCode)
						if door.method == "POST" && !strings.HasSuffix(door.name, "notification") {
							body, err := io.ReadAll(response.Body)
							require.NoError(t, err)
							assert.Equal(t, -32020, reply{body: string(body)}.code(), "%s", body)
						}
					}
				})
			}
		}
		// Each other header that has one value.
		for _, other := range []struct {
			name   string
			body   string
			header header
		}{
			{headerMethod, get, mirror}, {headerName, get, mirror}, {headerSession, listBody, batches}, {"Content-Type", get, mirror}, {"Origin", get, mirror.with("Origin", "http://localhost")},
		} {
			for _, how := range []string{"doubles", "joins", "drops"} {
				t.Run(protocol+" "+other.name+" "+how, func(t *testing.T) {
					t.Parallel()
					behind := p.behindProxy(func(h http.Header) { h[other.name] = changes[how](h[other.name]) })
					r := behind.post(other.body, other.header)
					isFine := other.name == "Origin" && how == "drops"
					assert.Equal(t, isFine, r.status == http.StatusOK, r.body)
					assert.True(t, isFine || r.status >= 400 && r.status < 500, r.status)
				})
			}
		}
	}
}
