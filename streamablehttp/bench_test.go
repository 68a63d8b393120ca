package streamablehttp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type review struct {
	Code     string `json:"code"`
	Language string `json:"language"`
}

func reviewServer() *prompts.Server {
	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "review"}, func(_ context.Context, in review) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please review this " + in.Language + " code:\n" + in.Code)), nil
	}))
	return prompts.MustNewServer(&reg, prompts.Options{})
}

const reviewParams = `"name":"review","arguments":{"code":"func main() { println(1) }","language":"go"},`

// BenchmarkGet compares prompts/get over connections of loopback that are kept
// alive with a handler of plain net/http that reads and writes as many bytes.
func BenchmarkGet(b *testing.B) {
	handler := MustNewHandler(reviewServer(), Options{})
	ours := httptest.NewServer(handler)
	b.Cleanup(func() {
		require.NoError(b, handler.Close())
		ours.Close()
	})
	modern := []byte(modernBody("prompts/get", reviewParams))
	mirror := modernHeader("prompts/get", "review")
	session := header{headerSession: "", headerVersion: "2025-11-25"}
	r := exchangeOnce(b, ours.URL, []byte(initializeBody("2025-11-25")), header{})
	session[headerSession] = r.Header.Get(headerSession)
	exchangeOnce(b, ours.URL, []byte(initialized), session)
	old := []byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{` + reviewParams[:len(reviewParams)-1] + `}}`)

	for _, test := range []struct {
		name   string
		body   []byte
		header header
	}{{"2025-11-25", old, session}, {"2026-07-28", modern, mirror}} {
		reply := exchangeOnce(b, ours.URL, test.body, test.header)
		size := reply.ContentLength
		require.Positive(b, size)
		echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, "", http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", fmt.Sprint(size))
			for rest := int(size); rest > 0; rest -= len(body) {
				_, _ = w.Write(body[:min(rest, len(body))])
			}
		}))
		b.Cleanup(echo.Close)
		for _, target := range []struct{ name, url string }{{"ours", ours.URL}, {"echo", echo.URL}} {
			b.Run(test.name+"/"+target.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					exchangeOnce(b, target.url, test.body, test.header)
				}
			})
		}
	}
}

func exchangeOnce(b *testing.B, url string, body []byte, h header) *http.Response {
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	require.NoError(b, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range h {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(b, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(b, err)
	require.NoError(b, response.Body.Close())
	require.Less(b, response.StatusCode, 300)
	return response
}
