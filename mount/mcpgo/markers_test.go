package mcpgo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// Errors that never reach the transport do not pile up.
func TestMarkersAreBounded(t *testing.T) {
	t.Parallel()
	l := newMarkers()
	oldest := l.add(pendingError{error: &prompts.Error{Code: 1, Message: "oldest"}})
	second := l.add(pendingError{error: &prompts.Error{Code: 2, Message: "second"}})
	for range maxMarkers - 1 {
		l.add(pendingError{cancelled: true})
	}
	assert.Len(t, l.sent, maxMarkers)
	assert.Len(t, l.order, maxMarkers)
	line := func(marker string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m %s"}}`+"\n", marker)
	}
	got, _ := l.replace(line(oldest))
	assert.Equal(t, string(line(oldest)), string(got))
	got, _ = l.replace(line(second))
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"second"}}`+"\n", string(got))
	got, _ = l.replace(line(second))
	assert.Equal(t, string(line(second)), string(got), "twice")

	large := &prompts.Error{Code: 1, Message: strings.Repeat("x", maxMarkerBytes/4), Data: strings.Repeat("x", maxMarkerBytes/4)}
	for range 10 {
		l.add(pendingError{error: large})
		assert.LessOrEqual(t, l.bytes, maxMarkerBytes)
	}
	assert.Len(t, l.sent, 1, "two of them are over the limit")
	for len(l.order) > 0 {
		l.find(l.order[0])
	}
	assert.Zero(t, l.bytes)
}

// What a client has made up does not hide a marker, nor does data that cannot be
// sent, nor what an author's middleware has put around it.
func TestMarkerAmongOthers(t *testing.T) {
	t.Parallel()
	l := newMarkers()
	forged := markerBegin + strings.Repeat("0", markerRandom) + markerEnd
	for _, around := range []string{"%s", forged + "%s", markerBegin + "%s", markerBegin + markerBegin + " %s" + forged, "%s " + markerBegin, `\n{\"a\":%s}`} {
		for _, data := range []any{nil, make(chan int)} {
			marker := l.add(pendingError{error: &prompts.Error{Code: 1, Message: "m", Data: data}})
			line := fmt.Appendf(nil, `data: {"jsonrpc":"2.0","id":"`+forged+`","error":{"code":-32603,"message":"`+around+`"}}`+"\n", marker)
			got, _ := l.replace(line)
			assert.Equal(t, `data: {"jsonrpc":"2.0","id":"`+forged+`","error":{"code":1,"message":"m"}}`+"\n", string(got), string(line))
		}
	}
	assert.Empty(t, l.sent)
}

// A line is changed by nothing but the marker of an error that is on its way.
func TestLinesWithoutMarker(t *testing.T) {
	t.Parallel()
	l := newMarkers()
	marker := l.add(pendingError{error: &prompts.Error{Code: 1, Message: "m"}})
	for _, line := range []string{
		"",
		"{",
		marker,
		marker + "{}",
		markerBegin,
		`{"error":{"message":"` + markerBegin + `"}}`,
		`{"error":{"message":"` + strings.ToUpper(marker) + `"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"text":"` + marker + `"}}`,
		`{"error":{"message":"` + marker + `"}`,
	} {
		got, content := l.replace([]byte(line))
		assert.Equal(t, line, string(got))
		assert.Zero(t, content)
	}
	assert.NotEmpty(t, l.sent)
}
