package prompttemplate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// bomb is a template that would take all memory or all time if nothing bounded
// it.
type bomb struct {
	name     string
	text     string
	partials map[string]string
	funcs    template.FuncMap
	args     map[string]string
	isFine   bool // it is rendered, because it is bounded anyway
}

// repeat is strings.Repeat with a number in each.
func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	return b.String()
}

func chainOf(n int, text func(i int) string) map[string]string {
	partials := map[string]string{}
	for i := range n {
		partials[fmt.Sprintf("p%d", i)] = text(i)
	}
	return partials
}

const doubling = `{{$x := "aaaaaaaa"}}{{range 40}}%s{{end}}{{$x}}`

func doubled(by string) string { return fmt.Sprintf(doubling, by) }

// loop is a value of the application that has no end.
func loop(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

type node struct{ Left, Right *node }

var (
	large    = strings.Repeat("x", 1<<20)
	elements = strings.Repeat("a,", 100_000)
	self     = func() []any { s := make([]any, 1); s[0] = s; return s }()
	toSelf   = func() any { var v any; v = &v; return v }()
	ring     = func() *node { n := &node{}; n.Left, n.Right = n, n; return n }()
	lattice  = func() *node {
		n := &node{}
		for range 60 {
			n = &node{n, n}
		}
		return n
	}()
)

var bombs = []bomb{
	{name: "printf with directives that end earlier than they look", text: `{{printf "` + strings.Repeat(`%5-%999999[1]d`, 1500) + `" 1}}`},
	{name: "printf with a percent sign that ends a directive", text: `{{printf "` + strings.Repeat(`%-%%999999[1]d`, 1500) + `" 1}}`},
	{name: "printf with a percent sign behind a width", text: `{{printf "` + strings.Repeat(`%5%%999999[1]d`, 1500) + `" 1}}`},
	{name: "printf with an index that is too large", text: `{{printf "` + strings.Repeat(`%[99999999][1]s`, 3000) + `" $.a}}`, args: map[string]string{"a": large}},
	{name: "printf with the largest widths", text: `{{printf "` + strings.Repeat(`%9999999d`, 30) + strings.Repeat(`%10000009[1]d`, 150) + `" 1}}`},
	{name: "printf of one value many times", text: `{{printf "` + strings.Repeat(`%[1]s`, 3000) + `" $.a}}`, args: map[string]string{"a": large}},
	{name: "printf with flags behind an index", text: `{{printf "` + strings.Repeat(`%[1]-`, 120) + `" $.a}}`, args: map[string]string{"a": strings.Repeat("x", 1<<20)}},
	{name: "printf with two precisions", text: `{{printf "` + strings.Repeat(`%.5.%999999d`, 1500) + `" 1}}`},
	{name: "printf whose width is another value", text: `{{printf "` + strings.Repeat(`%[302]*[1]d`, 290) + `" ` + strings.Repeat("1 ", 301) + `1000000}}`},
	{name: "a list of itself", text: `{{range list self}}{{.}}{{end}}`, funcs: template.FuncMap{"self": func() []any { l := make([]any, 1); l[0] = l; return l }}},
	{name: "a list of pairs of pairs", text: `{{$x := pair 1 1}}{{range 26}}{{$x = pair $x $x}}{{end}}{{range list $x}}{{.}}{{break}}{{end}}`, funcs: template.FuncMap{"pair": func(a, b any) []any { return []any{a, b} }}},
	{name: "print doubles", text: doubled(`{{$x = print $x $x}}`)},
	{name: "println doubles", text: doubled(`{{$x = println $x $x}}`)},
	{name: "printf doubles", text: doubled(`{{$x = printf "%s%s" $x $x}}`)},
	{name: "printf of one value twice doubles", text: doubled(`{{$x = printf "%[1]s%[1]s" $x}}`)},
	{name: "printf quotes what it has quoted", text: `{{$x := "\""}}{{range 40}}{{$x = printf "%q" $x}}{{end}}`},
	{name: "html doubles", text: doubled(`{{$x = html $x "&" $x}}`)},
	{name: "html grows by five", text: `{{$x := "&"}}{{range 40000000}}{{$x = html $x $x}}{{end}}`},
	{name: "js doubles", text: doubled(`{{$x = js $x "'" $x}}`)},
	{name: "urlquery doubles", text: doubled(`{{$x = urlquery $x "%" $x}}`)},
	{name: "json doubles", text: doubled(`{{$x = json (print $x $x)}}`)},
	{name: "json of JSON", text: `{{$x := "\""}}{{range 40}}{{$x = json $x}}{{end}}`},
	{name: "fence doubles", text: doubled(`{{$x = fence "" (print $x $x)}}`)},
	{name: "fence of backticks", text: "{{$x := \"`\"}}{{range 40}}{{$x = fence \"\" $x}}{{end}}", isFine: true},
	{name: "untrusted doubles", text: doubled(`{{$x = untrusted $x $x}}`)},
	{name: "list of what doubles", text: doubled(`{{$x = print (list (print $x "," $x))}}`)},
	{name: "a function of the author's doubles", text: doubled(`{{$x = join $x $x}}`), funcs: template.FuncMap{"join": func(a, b string) string { return a + b }}},
	{name: "a function as an argument doubles", text: `{{range 400}}{{$x := print big}}{{end}}`, funcs: template.FuncMap{"big": func() string { return large }}},
	{name: "call doubles", text: doubled(`{{$x = call join $x $x}}`), funcs: template.FuncMap{"join": func() any { return func(a, b string) string { return a + b } }}},
	{name: "lists of lists double", text: `{{$x := pair 1 1}}{{range 60}}{{$x = pair $x $x}}{{end}}{{$x}}`, funcs: template.FuncMap{"pair": func(a, b any) []any { return []any{a, b} }}},
	{name: "lists of lists as JSON", text: `{{$x := pair 1 1}}{{range 60}}{{$x = pair $x $x}}{{end}}{{json $x}}`, funcs: template.FuncMap{"pair": func(a, b any) []any { return []any{a, b} }}},
	{name: "a list of itself", text: `{{self}}`, funcs: template.FuncMap{"self": func() []any { return self }}},
	{name: "a list of itself as JSON", text: `{{json self}}`, funcs: template.FuncMap{"self": func() []any { return self }}},
	{name: "a ring as JSON", text: `{{json ring}}`, funcs: template.FuncMap{"ring": func() *node { return ring }}},
	{name: "a lattice as JSON", text: `{{json lattice}}`, funcs: template.FuncMap{"lattice": func() *node { return lattice }}},
	{name: "a pointer to itself", text: `{{toSelf}}`, funcs: template.FuncMap{"toSelf": func() any { return toSelf }}},
	{name: "a pointer to itself in a list", text: `{{range list toSelf}}{{range .}}{{end}}{{print .}}{{.}}{{end}}`, funcs: template.FuncMap{"toSelf": func() []any { return []any{toSelf} }}},
	{name: "a pointer to itself in a struct", text: `{{.a | wrap | index 0}}`, funcs: template.FuncMap{"wrap": func(string) any { return &toSelf }}},
	{name: "comparison of a list of itself", text: `{{eq self self}}`, funcs: template.FuncMap{"self": func() [1]any { return [1]any{self} }}},

	{name: "range over a number", text: `{{range 1000000000000}}{{end}}`},
	{name: "range over the client's number", text: `{{range .n}}{{end}}`, args: map[string]string{"n": "9223372036854775807"}},
	{name: "range with continue", text: `{{range 1000000000000}}{{continue}}{{end}}`},
	{name: "range with if", text: `{{range 1000000000000}}{{if true}}{{else}}x{{end}}{{end}}`},
	{name: "break out of an inner range", text: `{{range 1000000000000}}{{range 1000000000000}}{{break}}{{end}}{{end}}`},
	{name: "ranges in ranges", text: strings.Repeat(`{{range 1000}}`, 20) + strings.Repeat(`{{end}}`, 20)},
	{name: "ranges over the client's list in ranges", text: `{{range .tags}}{{range $.tags}}{{range $.tags}}x{{end}}{{end}}{{end}}`, args: map[string]string{"tags": elements}},
	{name: "range in else", text: `{{range 0}}{{else}}{{range 1000000000000}}{{end}}{{end}}`},
	{name: "range in with", text: `{{with 1000000000000}}{{range .}}{{end}}{{end}}`},
	{name: "range over a function", text: `{{range loop}}{{end}}`, funcs: template.FuncMap{"loop": func() func(func(int) bool) { return loop }}},
	{name: "range over a channel", text: `{{range wait}}{{end}}`, funcs: template.FuncMap{"wait": func() chan int { return make(chan int) }}},
	{name: "range over a closed channel of nothing", text: `{{range $i, $x := wait}}{{end}}`, funcs: template.FuncMap{"wait": func() <-chan struct{} { return make(chan struct{}) }}},
	{name: "range over a huge array", text: `{{range huge}}{{end}}`, funcs: template.FuncMap{"huge": func() *[1 << 30]struct{} { return new([1 << 30]struct{}) }}},
	{name: "range over a map, again and again", text: `{{range 1000000}}{{range numbers}}{{break}}{{end}}{{end}}`, funcs: template.FuncMap{"numbers": func() map[int]int {
		m := map[int]int{}
		for i := range 100_000 {
			m[i] = i
		}
		return m
	}}},
	{name: "range over a string", text: `{{range print .a}}{{end}}`, args: map[string]string{"a": large}},
	{name: "a slow function", text: `{{range 1000000}}{{nap}}{{end}}`, funcs: template.FuncMap{"nap": func() string { time.Sleep(time.Millisecond); return "" }}},

	{name: "a width", text: `{{printf "%1000000000d" 1}}`, isFine: true},
	{name: "many widths", text: `{{printf "` + strings.Repeat("%999999d", 1000) + `" 1}}`},
	{name: "many widths of one value", text: `{{printf "` + strings.Repeat("%[1]999999d", 1000) + `" 1}}`},
	{name: "a width from a value", text: `{{range 1000}}{{$x := printf "%*d" 1000000 1}}{{end}}`},
	{name: "a width from the client", text: `{{range 1000}}{{$x := printf "%*d" .n 1}}{{end}}`, args: map[string]string{"n": "1000000"}},
	{name: "many widths from a value", text: `{{printf "` + strings.Repeat("%[1]*d", 1000) + `" 1000000}}`},
	{name: "a precision of many numbers", text: `{{printf "%.999999f" .numbers}}`, args: map[string]string{"numbers": strings.Repeat("1,", 10_000)}},
	{name: "a width of many strings", text: `{{printf "%999999s" .tags}}`, args: map[string]string{"tags": elements}},
	{name: "a format of the client's", text: `{{printf .a 1}}`, args: map[string]string{"a": strings.Repeat("%999999d", 100_000)}},
	{name: "a format with values that are left", text: `{{printf "" ` + strings.Repeat(".a ", 100) + `}}`, args: map[string]string{"a": large}},

	{name: "equal strings compared again and again", text: `{{$x := print .a "x"}}{{$y := print .a "x"}}{{range 100000000}}{{$z := eq $x $y}}{{end}}`, args: map[string]string{"a": large}},
	{name: "eq with many values", text: `{{$x := print .a "x"}}{{$y := print .a "y"}}` + strings.Repeat(`{{eq $x`+strings.Repeat(" $y", 500)+`}}`, 200), args: map[string]string{"a": large}},
	{name: "lt of large strings", text: `{{$x := print .a "x"}}{{$y := print .a "y"}}{{range 100000000}}{{$z := lt $x $y}}{{end}}`, args: map[string]string{"a": large}},
	{name: "index of a map by a large key", text: `{{$x := print .a "x"}}{{range 100000000}}{{$z := index words $x}}{{end}}`, args: map[string]string{"a": large}, funcs: template.FuncMap{"words": func() map[string]string { return map[string]string{"x": "y"} }}},
	{name: "slices and their lengths", text: `{{range 100000000}}{{$z := len (slice $.a 1)}}{{end}}`, args: map[string]string{"a": large}},
	{name: "and and or", text: `{{range 100000000}}{{$z := and $.a (or $.a 1)}}{{end}}`, args: map[string]string{"a": large}},

	{name: "partials that double", text: `{{template "p0" .}}`, partials: chainOf(100, func(i int) string { return fmt.Sprintf(`{{template "p%d" .}}{{template "p%[1]d" .}}`, min(i+1, 99)) })},
	{name: "partials that double up to the last", text: `{{template "p0" .}}`, partials: chainOf(100, func(i int) string {
		if i == 99 {
			return "x"
		}
		return fmt.Sprintf(`{{template "p%d" .}}{{template "p%[1]d" .}}`, i+1)
	})},
	{name: "partials that repeat", text: `{{template "p0" .}}`, partials: chainOf(100, func(i int) string {
		if i == 99 {
			return "x"
		}
		return fmt.Sprintf(`{{range 10}}{{template "p%d" $}}{{end}}`, i+1)
	})},
	{name: "a partial that calls itself", text: `{{template "p0" .}}`, partials: chainOf(1, func(int) string { return `{{template "p0" .}}` })},
	{name: "a long chain", text: `{{template "p0" .}}`, partials: chainOf(20_000, func(i int) string { return fmt.Sprintf(`{{template "p%d" .}}`, i+1) })},
	{name: "a long ring", text: `{{template "p0" .}}`, partials: chainOf(20_000, func(i int) string { return fmt.Sprintf(`{{template "p%d" .}}`, (i+1)%20_000) })},
	{name: "each partial calls all", text: `{{template "p0" .}}`, partials: chainOf(300, func(i int) string {
		var b strings.Builder
		for j := i + 1; j < 300; j++ {
			fmt.Fprintf(&b, `{{template "p%d" .}}`, j)
		}
		return b.String() + "x"
	})},
	{name: "many partials", text: repeat(1000, `{{template "p#" .}}`), partials: chainOf(1000, func(int) string { return "x" })},

	{name: "nested if", text: strings.Repeat(`{{if 1}}`, 8_000) + strings.Repeat(`{{end}}`, 8_000)},
	{name: "nested with", text: strings.Repeat(`{{with 1}}`, 7_000) + strings.Repeat(`{{end}}`, 7_000)},
	{name: "nested range", text: strings.Repeat(`{{range 1}}`, 7_000) + strings.Repeat(`{{end}}`, 7_000)},
	{name: "nested ranges at the bound, and an error", text: strings.Repeat(`{{range 1}}`, 490) + `{{index "x" 9}}` + strings.Repeat(`{{end}}`, 490)},
	{name: "else if", text: `{{if 0}}` + strings.Repeat(`{{else if 0}}`, 9_000) + `{{end}}`},
	{name: "else with", text: `{{with 0}}` + strings.Repeat(`{{else with 0}}`, 8_000) + `{{end}}`},
	{name: "blocks that do not end", text: strings.Repeat(`{{if 1}}`, 16_000)},
	{name: "parentheses", text: `{{` + strings.Repeat(`(`, 9_999) + `1` + strings.Repeat(`)`, 9_999) + `}}`},
	{name: "parentheses that do not end", text: `{{` + strings.Repeat(`(`, 500_000)},
	{name: "a long pipeline", text: `{{"x"` + strings.Repeat(` | print "x"`, 14_000) + `}}`},
	{name: "a call with many arguments", text: `{{print` + strings.Repeat(` "x"`, 130_000) + `}}`, isFine: true},
	{name: "many fields", text: `{{$.a` + strings.Repeat(`.a`, 65_000) + `}}`},
	{name: "many variables", text: repeat(8_000, `{{$a# := 1}}`)},
	{name: "many assignments", text: `{{$a := 1}}` + strings.Repeat(`{{$a = 1}}`, 12_000)},
	{name: "variables in nested branches", text: repeat(190, `{{$a# := 1}}`) + strings.Repeat(`{{if 1}}`, 400) + strings.Repeat(`{{end}}`, 400), isFine: true},
	{name: "variables and branches", text: repeat(190, `{{$a# := 1}}`) + strings.Repeat(`{{if $a0}}{{else}}{{end}}`, 5_000), isFine: true},
	{name: "variables that are read", text: repeat(190, `{{$a# := 1}}`) + strings.Repeat(`{{$}}`, 25_000)},
	{name: "definitions", text: repeat(40_000, `{{define "a#"}}x{{end}}`)},
	{name: "one definition again and again", text: `{{define "a"}}` + strings.Repeat(" ", 500_000) + `{{end}}` + strings.Repeat(`{{define "a"}}{{end}}`, 20_000)},
	{name: "blocks", text: repeat(40_000, `{{block "a#" .}}x{{end}}`)},
	{name: "unknown arguments", text: repeat(13_000, `{{.u#}}`)},
	{name: "unknown functions", text: repeat(13_000, `{{u#}}`)},
	{name: "unknown partials", text: repeat(9_000, `{{template "u#"}}`)},
	{name: "a long name", text: `{{.` + strings.Repeat("a", 130_000) + `}}`},
	{name: "a long number", text: `{{print 1` + strings.Repeat("0", 130_000) + `}}`},
	{name: "many actions", text: strings.Repeat(`{{0}}`, 200_000)},
	{name: "many lines and faults", text: strings.Repeat("\n{{.u}}", 18_000)},
	{name: "an error in a long range", text: `{{range 1}}{{index "x" 9}}` + strings.Repeat("x", 1<<20) + `{{end}}`},
	{name: "an error that quotes a large value", text: `{{.a | index "x"}}`, args: map[string]string{"a": large}},
	{name: "large texts", text: strings.Repeat(`{{.a}}`, 1000), args: map[string]string{"a": large}},
	{name: "large lists", text: `{{range 1000}}{{$x := list $.a}}{{end}}`, args: map[string]string{"a": elements}},
	{name: "large lists of JSON", text: `{{range 1000}}{{$x := list $.a}}{{end}}`, args: map[string]string{"a": "[" + strings.Repeat(`"",`, 300_000) + `""]`}},
	{name: "large numbers of numbers", text: `{{range 1000}}{{$x := print $.numbers}}{{end}}`, args: map[string]string{"numbers": strings.Repeat("1,", 100_000)}},
}

// timeLimit is what a bomb has until its context ends. One that is not bounded goes
// on for longer than a moment after that, on any machine.
const timeLimit, moment = 50 * time.Millisecond, time.Minute

// explode declares and renders a bomb. All of it is bounded in time; memory is
// by who calls it.
func (b bomb) explode(t *testing.T) {
	p := prompts.Prompt{Name: "p"}
	uses := map[string]string{"a": `{{if .a}}{{end}}`, "n": `{{if .n}}{{end}}`, "tags": `{{if .tags}}{{end}}`, "numbers": `{{if .numbers}}{{end}}`}
	all := ""
	for _, a := range []prompts.Argument{
		{Name: "a"}, {Name: "n", Schema: &jsonschema.Schema{Type: "integer"}}, {Name: "tags", Schema: &jsonschema.Schema{Type: "array"}},
		{Name: "numbers", Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "number"}}},
	} {
		p.Arguments = append(p.Arguments, a)
		all += uses[a.Name]
	}
	begin := time.Now()
	p, err := prompttemplate.New(p, prompttemplate.Options{Funcs: b.funcs, Partials: b.partials}, prompttemplate.User(b.text), prompttemplate.User(all+"x"))
	assert.Less(t, time.Since(begin), moment+timeLimit, "declared")
	if err != nil {
		assert.Less(t, len(err.Error()), 100_000)
		assert.False(t, b.isFine, err)
		return
	}
	limit := timeLimit
	if b.isFine {
		limit = moment
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	begin = time.Now()
	_, err = p.Render(ctx, b.args)
	assert.Less(t, time.Since(begin), timeLimit+moment, "rendered")
	if b.isFine {
		assert.NoError(t, err)
		return
	}
	if assert.Error(t, err) {
		assert.Less(t, len(err.Error()), 10_000)
	}
}
