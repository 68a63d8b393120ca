package argument

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// pair is a generic type, of which each instance is a type of its own.
type pair[K, V any] struct {
	Key   K `json:"key" jsonschema:"what to look up"`
	Value V `json:"value,omitempty"`
}

// All prompts of one type that list no arguments have one plan, and prompts
// that list some have their own.
func TestPlansAreShared(t *testing.T) {
	t.Parallel()
	type in struct {
		A string `json:"a"`
		B int    `json:"b,omitempty"`
	}
	plain := planOf[in](t)
	assert.Same(t, plain, planOf[in](t))
	listed := planOf[in](t, Spec{Name: "a", Schema: enum("x")})
	assert.NotSame(t, plain, listed)
	assert.Same(t, planOf[pair[string, int]](t), planOf[pair[string, int]](t))
	assert.NotSame(t, planOf[pair[string, int]](t), planOf[pair[int, string]](t))
	value := func(s Spec) *value { return listPlan(t, s).Arguments[0].value }
	assert.Same(t, value(Spec{Name: "a"}), value(Spec{Name: "b", Required: true}))
	assert.NotSame(t, value(Spec{Name: "a"}), value(Spec{Name: "a", Schema: enum("x")}))
}

// A duplicate is found among many arguments as among few, and does not hide
// what comes after it.
func TestArgumentsDeclaredTwice(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, linear, linear + 1, 100} {
		var specs []Spec
		for i := range n {
			specs = append(specs, Spec{Name: fmt.Sprintf("a%d", i)})
		}
		p := listPlan(t, specs...)
		for i, a := range specs {
			assert.Equal(t, i, p.Find(a.Name))
		}
		assert.Equal(t, -1, p.Find("b"))
		_, errs := Compile(nil, append(specs, specs[n-1], Spec{}))
		assert.EqualError(t, errors.Join(errs...), fmt.Sprintf("argument \"a%d\": argument is declared twice\nargument \"\": Name is empty", n-1))
	}
}

// Only the problems that are detailed have one: there may be a great many.
func TestSuggestionsAreFew(t *testing.T) {
	t.Parallel()
	args := map[string]string{"language": "go"}
	for i := range 3 * MaxProblems {
		args[fmt.Sprintf("languag%c", 'α'+i)] = ""
	}
	p := listPlan(t, Spec{Name: "language"})
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(jsonenc.Text(args), jsonenc.MaxDepth))
	_, problems, _ := p.Collect(nil, Given{Object: doc.Root(), IsStrict: true})
	require.Len(t, problems, 3*MaxProblems)
	for i, p := range problems {
		assert.Equal(t, i < MaxProblems, p.Suggestion == "language", p.Argument)
		assert.Equal(t, problem.Unknown, p.Reason)
	}
}

// The same arguments are collected from JSON and from strings.
func TestCollect(t *testing.T) {
	t.Parallel()
	p := listPlan(t, Spec{Name: "a"}, Spec{Name: "b"}, Spec{Name: "language"})
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(`{"a":"x","b":1,"d":"y","e":7,"f":null}`, jsonenc.MaxDepth))
	for _, strict := range []bool{false, true} {
		strings, others := TextsOf(doc.Root(), false, true)
		assert.Equal(t, map[string]string{"a": "x", "d": "y"}, strings)
		assert.Equal(t, []string{"b", "e", "f"}, others)
		others = append(others, "a", "nothing")
		texts, problems, ignored := p.Collect(nil, Given{Object: doc.Root(), IsAltered: true, Texts: strings, NonStrings: others, IsStrict: strict})
		assert.Equal(t, []Text{{Value: "x", Given: true}, {Value: "1", notString: true}, {}}, texts)
		fromJSON, want, wantIgnored := p.Collect(nil, Given{Object: doc.Root(), IsStrict: strict, Detach: true})
		assert.Equal(t, texts[0], fromJSON[0])
		assert.Equal(t, texts[2], fromJSON[2])
		assert.Equal(t, want, problems)
		assert.Equal(t, wantIgnored, ignored)
		if strict {
			assert.Equal(t, "d is not an argument of this prompt; e is not valid (not_string); f is not an argument of this prompt", Redacted(problems))
		} else {
			assert.Equal(t, "e is not valid (not_string)", Redacted(problems))
		}
	}
	args := map[string]string{}
	for i := range 2 * MaxProblems {
		args[fmt.Sprintf("languag%c", 'α'+i)] = ""
	}
	_, problems, _ := p.Collect(nil, Given{IsAltered: true, Texts: args, IsStrict: true})
	require.Len(t, problems, 2*MaxProblems)
	assert.Equal(t, "language", problems[MaxProblems-1].Suggestion)
	assert.Empty(t, problems[MaxProblems].Suggestion)
}

// The log gets no value of a client.
func TestRedacted(t *testing.T) {
	t.Parallel()
	_, problems := readAs[int](t, "secret", nil)
	assert.Equal(t, `a must be an integer, got "secret"`, problems[0].Sentence())
	assert.Equal(t, "a is not valid (type)", Redacted(problems))
}

func TestSubset(t *testing.T) {
	t.Parallel()
	p := listPlan(t, Spec{Name: "a"}, Spec{Name: "b"}, Spec{Name: "c"}).Subset([]int{2, 0}, nil)
	assert.Equal(t, []int{1, -1, 0}, []int{p.Find("a"), p.Find("b"), p.Find("c")})
}

type ofAnother struct{ error }

func (ofAnother) OfAnotherPrompt() {}
func (e ofAnother) Unwrap() error  { return e.error }

// Every rejected argument in an error counts, unless it is another prompt's.
func TestArgumentErrors(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("outside: %w", errors.Join(Refuse("a", "is late"), errors.New("other"), ofAnother{Refuse("b", "is early")}, Refuse("c\xff", "is \xff")))
	problems := ArgumentErrors(err, nil)
	require.Len(t, problems, 2)
	assert.Equal(t, Problem{Argument: "a", Reason: problem.Refused, Message: "is late"}, problems[0])
	assert.Equal(t, "c\ufffd: is \ufffd", problems[1].Sentence())
	assert.Empty(t, ArgumentErrors(nil, nil))
}

// A number counts as a secret without the spaces around it, too, as the function gets it.
func TestSecretsWithSpaces(t *testing.T) {
	t.Parallel()
	p := listPlan(t, Spec{Name: "a", Sensitive: true, Schema: &jsonschema.Schema{Type: "integer"}}, Spec{Name: "b", Sensitive: true})
	assert.Equal(t, []string{" 4815 ", "4815", " b "}, p.Secrets([]Text{{Value: " 4815 ", Given: true}, {Value: " b ", Given: true}}))
}
