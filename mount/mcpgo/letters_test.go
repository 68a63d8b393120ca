package mcpgo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// Errors that never reach the transport do not pile up.
func TestLettersAreBounded(t *testing.T) {
	t.Parallel()
	l := newLetters()
	oldest := l.post(letter{error: &prompts.Error{Code: 1, Message: "oldest"}})
	second := l.post(letter{error: &prompts.Error{Code: 2, Message: "second"}})
	for range maxLetters - 1 {
		l.post(letter{cancelled: true})
	}
	assert.Len(t, l.sent, maxLetters)
	assert.Len(t, l.order, maxLetters)
	line := func(stamp string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m %s"}}`+"\n", stamp)
	}
	got, _ := l.deliver(line(oldest))
	assert.Equal(t, string(line(oldest)), string(got))
	got, _ = l.deliver(line(second))
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"second"}}`+"\n", string(got))
	got, _ = l.deliver(line(second))
	assert.Equal(t, string(line(second)), string(got), "twice")
}

// A line is changed by nothing but the stamp of an error that is on its way.
func TestLinesThatAreNoLetters(t *testing.T) {
	t.Parallel()
	l := newLetters()
	stamp := l.post(letter{error: &prompts.Error{Code: 1, Message: "m"}})
	for _, line := range []string{
		"",
		"{",
		stamp,
		stamp + "{}",
		stampBegin,
		`{"error":{"message":"` + stampBegin + `"}}`,
		`{"error":{"message":"` + strings.ToUpper(stamp) + `"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"text":"` + stamp + `"}}`,
		`{"error":{"message":"` + stamp + `"}`,
	} {
		got, content := l.deliver([]byte(line))
		assert.Equal(t, line, string(got))
		assert.Zero(t, content)
	}
	assert.False(t, l.none())
}
