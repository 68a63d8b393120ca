package promptotel_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

var (
	metricName = regexp.MustCompile(`mcp_\w+_seconds\w*`)
	labelName  = regexp.MustCompile(`\b(?:mcp|gen_ai|network|error|rpc|client)_\w+\b`)
	labelValue = regexp.MustCompile(`"[^"]*"`)
)

// TestDashboard proves that the queries of docs/dashboard.json have names of metrics and
// of attributes that the Observer records, in the form of Prometheus.
func TestDashboard(t *testing.T) {
	t.Parallel()
	x := newTelemetry(t)
	srv := server(x, -1)
	for _, c := range cases {
		if c.method != "" && c.name != "time limit" {
			send(t, srv, "http", "2025-11-25", message("2025-11-25", c.method, c.members))
		}
	}
	require.True(t, connections[1].run(t, srv, "2025-11-25")) // a question, in a session
	require.NoError(t, srv.Flush(t.Context()))
	var all metricdata.ResourceMetrics
	require.NoError(t, x.reader.Collect(t.Context(), &all))
	names, labels := map[string]bool{}, map[string]bool{}
	inPrometheus := strings.NewReplacer(".", "_").Replace
	for _, m := range all.ScopeMetrics[0].Metrics {
		require.Equal(t, "s", m.Unit)
		for _, suffix := range []string{"bucket", "count", "sum"} {
			names[inPrometheus(m.Name)+"_seconds_"+suffix] = true
		}
		for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
			for _, a := range p.Attributes.ToSlice() {
				labels[inPrometheus(string(a.Key))] = true
			}
		}
	}

	raw, err := os.ReadFile("../docs/dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &dashboard))
	require.NotEmpty(t, dashboard.Panels)
	used := map[string]bool{}
	for _, p := range dashboard.Panels {
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			expr := labelValue.ReplaceAllString(target.Expr, "")
			found := metricName.FindAllString(expr, -1)
			assert.Len(t, found, 1, p.Title)
			for _, name := range found {
				assert.True(t, names[name], "%s: no metric %s", p.Title, name)
				base, _, _ := strings.Cut(name, "_seconds")
				used[base] = true
			}
			for _, label := range labelName.FindAllString(metricName.ReplaceAllString(expr, "")+target.LegendFormat, -1) {
				assert.True(t, labels[label], "%s: no attribute %s", p.Title, label)
			}
		}
	}
	assert.Len(t, used, 3, "the dashboard shows each metric")
}
