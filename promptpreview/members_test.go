package promptpreview_test

import (
	"context"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// structured is an argument with members of each kind of field.
type structured struct {
	S struct {
		Region string   `json:"region" enum:"eu,us"`
		N      int      `json:"n,omitempty" maximum:"3"`
		C      []string `json:"c,omitempty" maxItems:"1"`
	} `json:"s" jsonschema:"what to search"`
	More *struct {
		Size  *int64            `json:"size,omitempty"`
		Whole *bool             `json:"whole,omitempty"`
		Sizes []float64         `json:"sizes,omitempty"`
		Marks map[string]string `json:"marks,omitempty"`
		Range *struct {
			From string `json:"from" title:"First day" jsonschema:"of the range" format:"date"`
			To   string `json:"to,omitempty"`
		} `json:"range,omitempty"`
	} `json:"more,omitempty"`
}

// serveStructured serves the page for a prompt that repeats its arguments as JSON.
func serveStructured(t *testing.T) (url string) {
	t.Helper()
	var reg prompts.Registry
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "search"}, func(_ context.Context, in structured) (*prompts.Result, error) {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User("```json\n" + string(data) + "\n```")), nil
	}))
	_, url = serve(t, &reg, prompts.Options{})
	return url
}

// linkTo returns a link to the prompt with values of its arguments.
func linkTo(base string, values url.Values) string { return base + "/#/search?" + values.Encode() }

// wantError waits for the error of the field with a name, and for no other error.
func (p *page) wantError(field, message string) {
	p.t.Helper()
	p.wait(`document.activeElement.name === %s && document.activeElement.closest("[data-field], .field").querySelector(".field-error").innerText === %s`, js(field), js(message))
	assert.Equal(p.t, 1, eval[int](p, `document.querySelectorAll(".field-error:not(:empty)").length`), message)
}

func (p *page) choose(name, value string) {
	p.t.Helper()
	eval[bool](p, `(() => {
		const select = document.querySelector("[name='%s']");
		select.value = %s;
		return select.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, name, js(value))
}

// The error of a value inside of an argument is at the field of the member, and for what
// the fields cannot say, at the JSON.
func TestErrorsAtMembers(t *testing.T) {
	t.Parallel()
	base := serveStructured(t)
	p := open(t, linkTo(base, url.Values{"s": {`{"region":"zz"}`}}))
	p.wait(`document.querySelector("[name='s.region']")?.value === "zz"`)
	p.pressCtrl("\r")
	p.wantError("s.region", `must be one of eu, us, got "zz"`)
	p.choose("s.region", "eu")
	p.wait(`!document.querySelector(".field-error:not(:empty)")`)
	p.typing("\t", "9")
	p.pressCtrl("\r")
	p.wantError("s.n", `must be at most 3, got 9`)

	// The error goes to the text with the value, and back.
	eval[bool](p, `document.querySelector("[data-field=s] .as-json input").click(), true`)
	p.wait(`document.querySelector("textarea[name=s]").value === '{"region":"eu","n":9}' && document.querySelector("[name='s.n']").checkVisibility() === false`)
	p.wait(`document.querySelector("textarea[name=s]").closest(".field").querySelector(".field-error").innerText === "s.n must be at most 3, got 9"`)
	for _, test := range []struct{ value, want string }{
		{`{}`, `s.region is required`},
		{`{"region":3}`, `s.region must be one of eu, us, got the number 3`},
		{`[]`, `must be a JSON object, got an array`},
		{`{"region":"eu","nn":1}`, `s.nn is unknown; known members: region, n, c`},
	} {
		eval[bool](p, `document.querySelector("textarea[name=s]").focus(), true`)
		p.pressCtrl("a")
		p.typing(test.value)
		p.pressCtrl("\r")
		p.wantError("s", test.want)
	}
	timers := eval[int](p, `(() => {
		const { setTimeout } = window;
		let timers = 0;
		window.setTimeout = (...args) => { timers++; return setTimeout(...args); };
		document.querySelector("[data-field=s] .as-json input").click();
		window.setTimeout = setTimeout;
		return timers;
	})()`)
	assert.Zero(t, timers, "the server, which knows no such error, is not asked")
	p.has("[data-field=s] .field-error:not(:empty)", "The fields cannot show this JSON.")
	p.wait(`document.querySelector("[data-field=s] .as-json input").checked`)
	p.pressCtrl("a")

	axe := string(npmFile(t, "axe-core/axe.min.js"))
	eval[bool](p, "%s; true", axe)
	check := func() {
		t.Helper()
		for _, width := range []int64{1280, 375} {
			require.NoError(t, p.tab.Size(width, 720, width == 375))
			assert.Empty(t, eval[[]string](p, `axe.run(document.querySelector(".arguments")).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200))))`), width)
			assert.True(t, eval[bool](p, `document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".arguments *")].every((e) => !e.checkVisibility() || e.getBoundingClientRect().right <= innerWidth)`), width)
		}
		require.NoError(t, p.tab.Size(1280, 800, false))
	}
	check()
	eval[bool](p, `document.querySelector("textarea[name=s]").focus(), true`)
	p.pressCtrl("a")
	p.typing(`{"region":"eu","n":9,"c":["a","b"]}`)
	eval[bool](p, `document.querySelector("[data-field=s] .as-json input").click(), true`)
	p.wait(`document.querySelector("[name='s.c']").value === "a, b" && document.querySelector("[name='s.c']").checkVisibility()`)
	p.pressCtrl("\r")
	p.has(`[data-field='s.n'] .field-error`, `must be at most 3, got 9`)
	p.has(`[data-field='s.c'] .field-error`, `must have at most 1 element, got 2`)
	check()
	eval[bool](p, `document.querySelector("[name='s.n']").focus(), true`)
	p.pressCtrl("a")
	p.typing("3")
	p.wait(`[...document.querySelectorAll(".field-error:not(:empty)")].map((e) => e.innerText).join() === "must have at most 1 element, got 2"`)
}

// The fields of members make the JSON of the argument, with all digits of numbers, and show
// the value of a link.
func TestMembersOfArguments(t *testing.T) {
	t.Parallel()
	base := serveStructured(t)
	const more = `{"size":9007199254740993,"whole":false,"sizes":[1,2.5],"marks":{"a":"b"},"range":{"from":"2026-01-02"}}`
	p := open(t, linkTo(base, url.Values{}))
	p.wait(`document.querySelector("[name='s.region']")`)
	assert.Equal(t, []string{"s required", "region required", "n", "c", "more", "size", "whole", "sizes", "marks", "range", "First day from required", "to"},
		eval[[]string](p, `[...document.querySelectorAll(".field > label, .field > legend")].filter((e) => e.checkVisibility()).map((e) => e.innerText.replace(/\s+/g, " ").trim())`))
	eval[bool](p, `document.querySelector("[name='s.region']").focus(), true`)
	p.typing("u", "\t", "\t", "x", "\t", "\t", "9007199254740993", "\t", "f", "\t", "1, 2.5", "\t", `{"a":"b"}`, "\t", "2026-01-02")
	p.pressCtrl("\r")
	p.has(".conversation", `{"s":{"region":"us","c":["x"]},"more":`+more+`}`)

	other := open(t, base+"/"+eval[string](p, `location.hash`))
	other.wait(`document.querySelector("[name='more.range.from']")?.value === "2026-01-02"`)
	assert.Equal(t, "9007199254740993", eval[string](other, `document.querySelector("[name='more.size']").value`))
	other.pressCtrl("\r")
	other.has(".conversation", `"more":`+more)
}
