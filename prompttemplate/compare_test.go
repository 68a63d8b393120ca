package prompttemplate_test

import (
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

type key struct{ A, B string }

// functions that return a value of each kind.
var valuesOfKinds = template.FuncMap{
	"str": func() string { return "b" }, "named": func() myString { return "b" }, "i8": func() int8 { return -3 }, "u8": func() uint8 { return 3 },
	"u64": func() uint64 { return 1 << 63 }, "f32": func() float32 { return 1.5 }, "c": func() complex128 { return 2i }, "yes": func() bool { return true },
	"none": func() any { return nil }, "any": func() any { return "b" }, "list": func() []string { return []string{"a", "b"} }, "array": func() [2]int { return [2]int{1, 2} },
	"key": func() key { return key{"x", "y"} }, "ptr": func() *int { return nil }, "m": func() map[string]int { return map[string]int{"a": 1} },
	"mi": func() map[int]string { return map[int]string{3: "c"} }, "mk": func() map[key]int { return map[key]int{{"x", "y"}: 7} }, "ma": func() map[any]int { return map[any]int{"b": 8} },
	"nilmap": func() map[string]int { return nil }, "matrix": func() [][]int { return [][]int{{1, 2}, {3}} }, "toArray": func() *[2]int { return &[2]int{5, 6} },
	"nan": func() float64 { return nan }, "stringer": func() prompts.Role { return prompts.RoleUser },
}

type myString string

var nan = func() float64 { zero := 0.0; return zero / zero }()

// alike makes lists, and what is nothing, what they are in text/template.
var alike = strings.NewReplacer("<no value>", "", "<nil>", "", "[a b]", "a, b", "[a]", "a", "[1 2]", "1, 2", "[1]", "1", "[3]", "3", "[5 6]", "5, 6", "[5]", "5",
	"%5Ba+b%5D", "a%2C+b", "%5B1+2%5D", "1%2C+2")

// The functions that replace those of text/template do what these do, and fail
// where these fail; but integers and floats can be compared,
// and lists have commas.
func TestFunctionsOfTextTemplate(t *testing.T) {
	t.Parallel()
	var expressions []string
	operands := []string{"1", "2.5", "3", "-3", `"b"`, "true", "'a'", "2i", "nil"}
	for name := range valuesOfKinds {
		operands = append(operands, name)
	}
	for _, a := range operands {
		for _, f := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
			others := operands
			if f != "eq" && f != "lt" { // the others are made of these
				others = operands[:9]
			}
			for _, b := range others {
				expressions = append(expressions, f+" "+a+" "+b)
			}
			expressions = append(expressions, f+" "+a)
		}
		for _, item := range []string{"list", "array", "toArray", "m", "mi", "mk", "ma", "nilmap", "matrix", "str", "none", "ptr", "key"} {
			expressions = append(expressions, "index "+item+" "+a, "index "+item+" "+a+" 0")
		}
		expressions = append(expressions, "print "+a+" 1 "+a, "println "+a, `printf "%v|%d|%q|%x|%+v|%T|%[1]v %5.2f" `+a+" "+a, "html "+a+` "<"`, "js "+a+` "<"`, "urlquery "+a+` "<"`,
			"eq "+a+` 1 "b" true`, a, "len "+a, "slice "+a+" 0 1", "not "+a, "and "+a+" 1", "or "+a+" 1")
	}
	expressions = append(expressions, "eq", "index", "index list", "index matrix 0 1", "index matrix 1 1", "print", `printf "%*d|%-*d|%.*f|%[2]*[1]d|%!|%" 5 3 4 2 1 2.5`, `printf "%s"`, `printf "x" 1 2`)
	isNumber := func(s string) bool {
		return strings.Contains(" 1 2.5 3 -3 'a' i8 u8 u64 f32 nan ", " "+s+" ")
	}
	same := 0
	for _, e := range expressions {
		words := strings.Fields(e)
		text := "{{" + e + "}}"
		want := &strings.Builder{}
		theirs, err := template.New("").Funcs(valuesOfKinds).Parse(text)
		if err == nil {
			err = theirs.Execute(want, nil)
		}
		p, declared := prompttemplate.New(withArguments(), prompttemplate.Options{Funcs: valuesOfKinds}, prompttemplate.User(text))
		var got *prompts.Result
		if declared == nil {
			got, declared = p.Render(t.Context(), nil)
		}
		switch {
		case len(words) == 3 && isNumber(words[1]) && isNumber(words[2]) && err != nil:
			assert.NoError(t, declared, e) // which is more than text/template can
		case err != nil:
			assert.Error(t, declared, "%s: %v", e, err)
		default:
			require.NoError(t, declared, e)
			text := got.Messages[0].Content.(*prompts.Text).Text
			assert.Equal(t, alike.Replace(want.String()), alike.Replace(text), e)
			same++
		}
	}
	assert.Greater(t, same, 800)
}
