package rpc_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// withToken adds a progress token to the request of a line.
func withToken(line, token string) string {
	if strings.Contains(line, `"_meta":{`) {
		return strings.Replace(line, `"_meta":{`, `"_meta":{"progressToken":`+token+`,`, 1)
	}
	return strings.Replace(line, `"params":{`, `"params":{"_meta":{"progressToken":`+token+`},`, 1)
}

// progressLine is a notification; rest are the members after the token.
func progressLine(token, rest string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,` + rest + `}}`
}

func progressOf(t testing.TB, msg string) float64 {
	t.Helper()
	var m struct {
		Method string
		Params struct{ Progress *float64 }
	}
	require.NoError(t, json.Unmarshal([]byte(msg), &m))
	require.Equal(t, "notifications/progress", m.Method, msg)
	require.NotNil(t, m.Params.Progress, msg)
	return *m.Params.Progress
}

// PRO-04, PRO-05: progress rises with every notification; what does not, or is
// no number, is as if it had not been reported. A total that is none is left out.
func TestProgressRises(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	type call struct {
		done, total float64
		want        string // empty for none
	}
	for _, test := range []struct {
		name  string
		calls []call
	}{
		{"zero is a beginning", []call{{0, 10, `"progress":0,"total":10`}, {1, 10, `"progress":1,"total":10`}}},
		{"equal and less", []call{{1, 0, `"progress":1`}, {1, 5, ""}, {0.5, 0, ""}, {-1, 0, ""}, {1.5, 0, `"progress":1.5`}}},
		{"no numbers", []call{{nan, 1, ""}, {inf, 1, ""}, {-inf, 1, ""}, {1, 1, `"progress":1,"total":1`}, {nan, 1, ""}, {inf, 1, ""}, {2, 1, `"progress":2,"total":1`}}},
		{"totals that are none", []call{{1, -1, `"progress":1`}, {2, nan, `"progress":2`}, {3, inf, `"progress":3`}, {4, -inf, `"progress":4`}, {5, math.Copysign(0, -1), `"progress":5`}}},
		{"the tiniest step", []call{{1, 0, `"progress":1`}, {math.Nextafter(1, 2), 0, `"progress":1.0000000000000002`}}},
		{"fractions", []call{{1e-9, 0.1, `"progress":1e-09,"total":0.1`}, {0.1, 0.3, `"progress":0.1,"total":0.3`}}},
	} {
		servertest.InBubble(t, test.name, func(t *testing.T) {
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
				for _, c := range test.calls {
					prompts.Progress(ctx, c.done, c.total, "")
					time.Sleep(time.Second)
				}
				return prompts.Messages(prompts.User("hi")), nil
			})), prompts.Options{})
			r, session := &servertest.Recorder{T: t}, servertest.NewSession(t, s)
			require.NoError(t, session.Handle(t.Context(), r.Hear(session, withToken(servertest.GetLine("1", "reports"), "1")), transport.Exchange{Send: r.Send}))
			var want []servertest.Sent
			for _, c := range test.calls {
				if c.want != "" {
					want = append(want, servertest.Sent{Msg: progressLine("1", c.want), Code: 0, Last: false})
				}
			}
			assert.Equal(t, append(want, servertest.Sent{Msg: servertest.TextLine("1", "hi"), Code: 0, Last: true}), r.Messages)
		})
	}
}

// PRO-08: a render does not wait for its client, and a client that is slow gets
// the latest report and not each.
func TestProgressDoesNotWaitForTheClient(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		const reports = 1000
		var took time.Duration
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			began := time.Now()
			for i := range reports {
				prompts.Progress(ctx, float64(i+1), reports, "")
			}
			took = time.Since(began)
			time.Sleep(30 * time.Second)
			prompts.Progress(ctx, reports+1, 0, "the last")
			return prompts.Messages(prompts.User("hi")), nil
		})), prompts.Options{Timeouts: prompts.Timeouts{Render: -1}})
		c := servertest.Connect(t, s).Handshake()
		c.Wire.OnWrite = func(context.Context, []byte) error { time.Sleep(time.Second); return nil }
		c.Send(withToken(servertest.GetLine("1", "reports"), "1"))
		time.Sleep(time.Minute)
		got := c.Received()
		assert.Zero(t, took)
		require.LessOrEqual(t, len(got), 5)
		assert.Equal(t, progressLine("1", `"progress":1000,"total":1000`), got[len(got)-3])
		assert.Equal(t, progressLine("1", `"progress":1001,"message":"the last"`), got[len(got)-2])
		assert.Equal(t, servertest.TextLine("1", "hi"), got[len(got)-1])
		for i := range got[:len(got)-2] {
			assert.Less(t, progressOf(t, got[i]), progressOf(t, got[i+1]), "PRO-04")
		}
	})
}

// A cancellation while a report waits for the one that the client does not
// take: it is not sent any more (CAN-03).
func TestProgressOfACancelledRequestIsDropped(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		hold := make(chan struct{})
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 0, "")
			time.Sleep(time.Second)
			prompts.Progress(ctx, 2, 0, "")
			<-ctx.Done()
			return nil, ctx.Err()
		})), prompts.Options{})
		c := servertest.Connect(t, s)
		c.Wire.OnWrite = func(context.Context, []byte) error { <-hold; return nil }
		c.Send(withToken(servertest.EnvelopedGet("1", "reports"), "1"))
		time.Sleep(2 * time.Second)
		assert.Empty(t, c.Ask(servertest.CancelLine("1")))
		close(hold)
		assert.Equal(t, []string{progressLine("1", `"progress":1`)}, c.Received())
	})
}
