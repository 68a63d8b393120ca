package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// output is the standard output or error of a command. Names and texts of files, registries and
// other programs can have characters that a terminal executes, or that change the order of
// others: they become visible. Only styled makes escape sequences.
type output struct {
	w io.Writer

	mu   sync.Mutex // protects the field below
	rest []byte     // the beginning of a character or of mark
}

// Write writes a text. It keeps the beginning of a character or of mark for the next call.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := append(o.rest, p...)
	end := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				end = at
			}
			break
		}
	}
	if at := bytes.LastIndexByte(text[:end], mark[0]); at >= 0 && strings.HasPrefix(mark, string(text[at:end])) {
		end = at
	}
	o.rest = bytes.Clone(text[end:])
	if _, err := io.WriteString(o.w, strings.ReplaceAll(visible(string(text[:end])), visible(mark), "\x1b[")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// mark begins an escape sequence of the program. It is random, so that no text of others has it.
var mark = "\x1b" + rand.Text()

// styled returns a text in the style of a code of ECMA-48, such as 31 for red.
func styled(code, s string) string { return mark + code + "m" + s + mark + "0m" }

func painter(hasColor bool) func(code, s string) string {
	if hasColor {
		return styled
	}
	return func(_, s string) string { return s }
}

func hasColor(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && hasEscapes(w) }

// hasEscapes reports whether w is a terminal that executes escape sequences.
func hasEscapes(w io.Writer) bool { return isTerminal(w) && os.Getenv("TERM") != "dumb" }

func isTerminal(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

func fileOf(stream any) *os.File {
	if o, ok := stream.(*output); ok {
		stream = o.w
	}
	f, _ := stream.(*os.File)
	return f
}

const defaultWidth = 120 // of an output that is no terminal

func widthOf(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return defaultWidth
}

// visible replaces what a terminal would execute.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r < ' ':
			return '\u2400' + r // its picture
		case r == 0x7f:
			return '\u2421'
		case isControl(r), r == utf8.RuneError:
			return '\ufffd'
		}
		return r
	}, s)
}

// isControl reports whether a character controls a terminal or the order of characters.
func isControl(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// printable is visible for a text on one line.
func printable(s string) string {
	return visible(strings.NewReplacer("\t", " ", "\n", "\u240a").Replace(s))
}

// unchanged returns the writer for a text that other programs read: only on a terminal it changes.
func unchanged(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok && !isTerminal(o) {
		return o.w
	}
	return w
}

const excerptWidth = 100 // characters of a line that are shown

// excerpt returns the part of a line around a column, and the width of what is before the column.
func excerpt(line string, column int) (text string, offset int) {
	runes := []rune(printable(line))
	at := max(column-1, 0)
	first := 0
	if len(runes) > excerptWidth && at > excerptWidth*3/4 {
		first = min(at-excerptWidth/2, len(runes))
	}
	last := min(len(runes), first+excerptWidth)
	text = string(runes[first:last])
	offset = min(at-first, last-first)
	if first > 0 {
		text, offset = "…"+text, offset+1
	}
	if last < len(runes) {
		text += "…"
	}
	return text, offset
}

func shortened(s string) string {
	text, _ := excerpt(s, 0)
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func writeIndented(w io.Writer, v any) error { return writeJSON(w, v, "  ") }

// writeJSON writes a value as JSON, in which controls are escaped.
func writeJSON(w io.Writer, v any, indent string) error {
	raw, err := encoded(v, "", indent)
	if err != nil {
		return err
	}
	escaped := bufio.NewWriter(w)
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if isControl(r) && r != '\n' { // which is in strings only
			fmt.Fprintf(escaped, `\u%04x`, r)
		} else {
			_, _ = escaped.Write(raw[:size]) // Flush returns the error
		}
		raw = raw[size:]
	}
	return escaped.Flush()
}

// encoded keeps the characters <, > and &.
func encoded(v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// asJSON returns a value as JSON; empty for a nil one.
func asJSON(v any) string {
	raw, err := encoded(v, "", "")
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimPrefix(strings.TrimSuffix(string(raw), "\n"), "null")
}

const (
	maxReportBytes = 64 << 20 // of the texts that a command keeps for its report
	leftOut        = "left out, because the report is long"
)

// budget is what a report may still have of texts. Safe for concurrent use.
type budget struct{ left atomic.Int64 }

func newBudget(bytes int64) *budget {
	b := new(budget)
	b.left.Store(bytes)
	return b
}

func (b *budget) take(bytes int) bool { return b.left.Add(-int64(bytes)) >= 0 }

// startProgress shows on a terminal how far a command is that takes more than a second: how
// often it has called step. end removes what is shown.
func startProgress(w io.Writer, what string) (step, end func()) {
	if !hasEscapes(w) {
		return func() {}, func() {}
	}
	var n atomic.Int64
	stop := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() { // ends with end
		for ticks := time.Tick(time.Second); ; {
			select {
			case <-ticks:
				text := "reading files"
				if n := n.Load(); n > 0 {
					text = fmt.Sprintf("%d %s", n, what)
				}
				fmt.Fprintf(w, "%sG%s", mark, text)
			case <-stop:
				fmt.Fprintf(w, "%[1]sG%[1]sK", mark)
				return
			}
		}
	})
	return func() { n.Add(1) }, func() { close(stop); showing.Wait() }
}
