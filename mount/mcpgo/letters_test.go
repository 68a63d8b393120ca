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

// What a client has made up does not hide a stamp, nor does data that cannot be
// sent, nor what an author's middleware has put around it.
func TestLetterAmongOthers(t *testing.T) {
	t.Parallel()
	l := newLetters()
	forged := stampBegin + strings.Repeat("0", 2*stampRandom) + stampEnd
	for _, around := range []string{"%s", forged + "%s", stampBegin + "%s", stampBegin + stampBegin + " %s" + forged, "%s " + stampBegin, `\n{\"a\":%s}`} {
		for _, data := range []any{nil, make(chan int)} {
			stamp := l.post(letter{error: &prompts.Error{Code: 1, Message: "m", Data: data}})
			line := fmt.Appendf(nil, `data: {"jsonrpc":"2.0","id":"`+forged+`","error":{"code":-32603,"message":"`+around+`"}}`+"\n", stamp)
			got, _ := l.deliver(line)
			assert.Equal(t, `data: {"jsonrpc":"2.0","id":"`+forged+`","error":{"code":1,"message":"m"}}`+"\n", string(got), string(line))
		}
	}
	assert.True(t, l.none())
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
