package prompttest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

type (
	undefaulted struct {
		Branch string `json:"branch,omitempty" jsonschema:"name of the default branch"`
		Lines  string `json:"lines,omitempty" jsonschema:"lines of the file, by default all of the file"`
		Owner  string `json:"owner,omitempty" jsonschema:"the owner. Default: none."`
	}
	strictness struct {
		Title string `json:"title"`
		Level string `json:"level,omitempty" enum:"medium,high" jsonschema:"how strict (default: medium)"`
	}
	prose struct {
		Branch string `json:"branch,omitempty" jsonschema:"branch (default: current)"`
		Base   string `json:"base,omitempty" jsonschema:"branch to compare with, defaults to the main branch of the repository"`
		Depth  string `json:"depth,omitempty" jsonschema:"how deep to look. Default: as deep as needed." default:"3"`
		Style  string `json:"style,omitempty" jsonschema:"style guide. Default: that of the team."`
	}
	review struct {
		Focus string `json:"focus" jsonschema:"what to look at (budget, places)"`
	}
	expectation struct {
		Title string `json:"title"`
		Want  string `json:"want,omitempty"`
	}
)

// correct are prompts without a bug that have something of a bug.
var correct = []bug{
	{name: "descriptions without a default, and a slow first call", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		isFirst := true
		return one(prompts.Prompt{}, said(func(in undefaulted) string {
			if isFirst {
				isFirst = false
				time.Sleep(3 * time.Second)
			}
			return "branch [" + in.Branch + "] lines [" + in.Lines + "] owner [" + in.Owner + "]"
		}))
	}},
	{name: "defaults in prose", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in prose) string {
			text := "Review " + cmp.Or(in.Branch, "feature/login") + " against " + cmp.Or(in.Base, "main") + " to depth " + in.Depth + "."
			if in.Style != "" {
				text += "\nStyle: " + in.Style
			}
			return text
		}))
	}},
	{name: "a default that the function has", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in strictness) string {
			if in.Level == "high" {
				return "Be strict. " + in.Title
			}
			return "Review. " + in.Title
		}))
	}},
	{name: "a constant message in all results", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		brief := prompts.User("Be brief.")
		return many(prompts.Prompt{}, func(_ context.Context, in title) (*prompts.Result, error) {
			return prompts.Messages(brief, prompts.User(in.Title)), nil
		})
	}},
	{name: "a block whose lines have a prefix", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in title) string {
			return "```diff\n+" + strings.ReplaceAll(in.Title, "\n", "\n+") + "\n```\n| is no table: " + in.Title
		}))
	}},
	{name: "a text of the first day", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in due) string {
			if in.Due.IsZero() {
				return "Report days such as 0001-01-01 of " + in.Title
			}
			return "Report days such as 0001-01-01 of " + in.Title + " since " + in.Due.String()
		}))
	}},
	{name: "texts as package fmt and pointers leave them", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in expectation) string {
			text := "Find <nil>, <no value>, 0xc000012345 and %!d(string=x) in the log of " + in.Title
			if in.Want == "" {
				return text + "\nNothing is expected, so `<nil>` at 0xc000054321 is %!d(MISSING)."
			}
			return text + "\nExpect " + in.Want
		}))
	}},
	{name: "a random number that looks like a pointer", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in title) string { return fmt.Sprintf("Trace 0xf%011x of %s", rand.Uint64()>>20, in.Title) }))
	}},
	{name: "JSON of the user in a block", check: CheckArguments, o: CheckOptions{Examples: map[string][]map[string]string{"p": {{"title": `{"a":1}`}}}}, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in title) string { return "Format:\n" + prompts.Fence("json", in.Title) }))
	}},
	{name: "JSON of the user in a list of a block", check: CheckArguments, o: CheckOptions{Examples: map[string][]map[string]string{"p": {{"title": `{"a":1}`}}}}, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in title) string { return prompts.Fence("json", "[\n"+in.Title+"\n]") }))
	}},
	{name: "an error of an element of a list", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, func(in labels) (string, error) {
			if i := slices.IndexFunc(in.Labels, func(l string) bool { return strings.Contains(l, "%") }); i >= 0 {
				return "", prompts.InvalidArgument(fmt.Sprintf("labels[%d]", i), "must have no percent sign")
			}
			return fmt.Sprint(in.Labels), nil
		})
	}},
	{name: "a Cache and a day that stays", check: CheckArguments, prompt: cached(nil, func() string { return "The rules of " + "January 1, 2000" + " apply." })},
	{name: "a Cache and a file's day", check: CheckArguments, isAwake: true, prompt: func(bool) prompts.Prompt {
		today := time.Now().Format(time.DateOnly)
		return one(prompts.Prompt{Cache: prompts.Cache{TTL: time.Hour}, Source: "rules.md"}, said(func(nobody) string { return "The rules of " + today + " apply." }))
	}},
	{name: "backquotes that are no fence", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in title) string { return "```x``` is no fence.\n" + in.Title }))
	}},
	{name: "completions that the user continues", check: CheckArguments, prompt: func(bool) prompts.Prompt { return browsing("cmd/", "cmd/main.go", "doc.go") }},
	{name: "values that only the description names", check: CheckArguments, prompt: func(bool) prompts.Prompt {
		return one(prompts.Prompt{}, said(func(in review) string {
			return map[string]string{"budget": "Look at the costs.", "places": "Look at the map."}[in.Focus]
		}))
	}},
	{name: "a clock beside a question", check: CheckArguments, client: answering, prompt: func(bool) prompts.Prompt {
		return many(prompts.Prompt{}, func(ctx context.Context, _ nobody) (*prompts.Result, error) {
			if _, err := prompts.Elicit[struct{ Name string }](ctx, "who", "who?"); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
			now := time.Now()
			return prompts.Messages(prompts.User(now.Format("At 15:04:05.000 on 2006-01-02"))), nil
		})
	}},
}

// browsing returns a prompt for a file of Go. Its completions are those of paths, a folder at a time.
func browsing(paths ...string) prompts.Prompt {
	return one(prompts.Prompt{Arguments: []prompts.Argument{{Name: "title", Schema: &jsonschema.Schema{Pattern: `\.go$`}, Complete: func(_ context.Context, typed string, _ map[string]string) ([]string, error) {
		var all []string
		for _, path := range paths {
			rest, ok := strings.CutPrefix(path, typed)
			if i := strings.IndexByte(rest, '/'); ok && rest != "" && (i < 0 || i == len(rest)-1) {
				all = append(all, path)
			}
		}
		return all, nil
	}}}}, said(func(in title) string { return "Read " + in.Title }))
}

// No check reports anything of a prompt without a bug.
func TestCorrectPrompts(t *testing.T) {
	t.Parallel()
	for _, b := range correct {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			run := func(t *testing.T) { assert.Empty(t, b.run(t, false).errors) }
			if b.isAwake {
				run(t)
				return
			}
			synctest.Test(t, run)
		})
	}
}

// A random number after a question is no count of effects, whatever its values.
func TestRandomNumbers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, seed))
		b := bug{check: CheckArguments, client: answering, prompt: func(bool) prompts.Prompt {
			return many(prompts.Prompt{}, func(ctx context.Context, _ nobody) (*prompts.Result, error) {
				if _, err := prompts.Elicit[struct{ Name string }](ctx, "who", "who?"); err != nil {
					return nil, err
				}
				return prompts.Messages(prompts.User(fmt.Sprint("story ", 1+random.IntN(6)))), nil
			})
		}}
		synctest.Test(t, func(t *testing.T) { assert.Empty(t, b.run(t, false).errors, "seed %d", seed) })
	}
}
