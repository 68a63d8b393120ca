package prompttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
)

// sprintf is the helper of an author, whose formats no tool checks.
var sprintf = fmt.Sprintf

var bugs = []bug{
	{name: "a URI with the value, unescaped", check: CheckArguments, prompt: results(
		linked(func(in title) string { return "desk://logs/" + in.Title }), linked(func(in title) string { return "desk://logs/" + url.PathEscape(in.Title) }))},
	{name: "a block of code that the value ends", check: CheckArguments, prompt: either(
		said(func(in title) string { return "Review:\n```go\n" + in.Title + "\n```\nBe brief." }),
		said(func(in title) string { return "Review:\n" + prompts.Fence("go", in.Title) + "\nBe brief." }))},
	{name: "a value in a format", check: CheckArguments, prompt: either(
		said(func(in title) string { return fmt.Sprintf("Review "+in.Title+" within %d lines", 10) }), //nolint // the bug
		said(func(in title) string { return fmt.Sprintf("Review %s within %d lines", in.Title, 10) }))},
	{name: "the first element of an empty list", check: CheckArguments, prompt: either(
		said(func(in labels) string { return "First " + in.Labels[0] + " of " + strings.Join(in.Labels, ", ") }),
		said(func(in labels) string { return "All of " + strings.Join(in.Labels, ", ") }))},
	{name: "the first element of an absent list", check: CheckArguments, prompt: either(
		said(func(in optionalLabels) string { return "First " + in.Labels[0] }),
		said(func(in optionalLabels) string { return "All of " + strings.Join(in.Labels, ", ") }))},
	{name: "the first element of an empty list in a member", check: CheckArguments, prompt: either(
		said(func(in nested) string { return fmt.Sprint(in.File.Lines, " from ", in.File.Lines[0]) }),
		said(func(in nested) string { return fmt.Sprint(in.File.Lines) }))},
	{name: "a row of a table that the value ends", check: CheckArguments, prompt: either(
		said(func(in title) string { return "| Title | Owner |\n|---|---|\n| " + in.Title + " | ada |" }),
		said(func(in title) string {
			return "| Title | Owner |\n|---|---|\n| " + strings.NewReplacer("\n", " ", "|", "/").Replace(in.Title) + " | ada |"
		}))},
	{name: "a verb that does not fit", check: CheckArguments, prompt: either(
		said(func(in count) string { return sprintf("At most %s lines", in.Limit) }),
		said(func(in count) string { return fmt.Sprintf("At most %d lines", in.Limit) }))},
	{name: "a value as a regular expression", check: CheckArguments, prompt: either(
		said(func(in title) string { return "Find " + regexp.MustCompile("(?i)"+in.Title).String() }),
		said(func(in title) string { return "Find " + regexp.MustCompile("(?i)"+regexp.QuoteMeta(in.Title)).String() }))},
	{name: "a time that is absent", check: CheckArguments, prompt: either(
		said(func(in due) string { return in.Title + " is due on " + in.Due.Format(time.DateOnly) }),
		said(func(in due) string {
			if in.Due.IsZero() {
				return in.Title
			}
			return in.Title + " is due on " + in.Due.Format(time.DateOnly)
		}))},
	{name: "a value in the source of a template", check: CheckArguments, prompt: either(
		executing(func(in title) (string, any) { return "Review " + in.Title, nil }), executing(func(in title) (string, any) { return "Review {{.}}", in.Title }))},
	{name: "an optional pointer without a check", check: CheckArguments, prompt: either(
		said(func(in limited) string { return fmt.Sprint("At most ", *in.Limit) }),
		said(func(in limited) string {
			if in.Limit == nil {
				return "All"
			}
			return fmt.Sprint("At most ", *in.Limit)
		}))},
	{name: "a pointer in the text", check: CheckArguments, prompt: either(
		said(func(in limited) string {
			return fmt.Sprint("At most ", in.Limit, " of ", in.Limit != nil && *in.Limit > 3)
		}),
		said(func(in limited) string { return fmt.Sprint("At most ", in.Limit != nil && *in.Limit > 3) }))},
	{name: "a string cut between bytes", check: CheckArguments, prompt: either(
		said(func(in title) string { return "Title: " + in.Title[:min(40, len(in.Title))] }),
		said(func(in title) string { return "Title: " + string([]rune(in.Title)[:min(40, len([]rune(in.Title)))]) }))},
	{name: "the first word of a blank string", check: CheckArguments, prompt: either(
		said(func(in title) string { return "Verb: " + strings.Fields(in.Title)[0] }),
		said(func(in title) string { return "Words: " + strings.Join(strings.Fields(in.Title), " ") }))},
	{name: "the second half of a value", check: CheckArguments, prompt: either(
		func(in title) (string, error) {
			if strings.Contains(in.Title, " ") && !strings.Contains(in.Title, "%") {
				return "Scope " + strings.SplitN(in.Title, ":", 2)[1], nil
			}
			return in.Title, nil
		},
		said(func(in title) string { _, scope, _ := strings.Cut(in.Title, ":"); return "Scope " + scope + in.Title }))},
	{name: "JSON by Sprintf", check: CheckArguments, prompt: results(
		jsonOf("application/json", func(in title) string { return fmt.Sprintf(`{"title": "%s"}`, in.Title) }), jsonOf("application/json", func(in title) string { return encoded(map[string]string{"title": in.Title}) }))},
	{name: "JSON by Sprintf, of another type", check: CheckArguments, prompt: results(
		jsonOf("application/problem+json; charset=utf-8", func(in title) string { return fmt.Sprintf(`{"title": "%s"}`, in.Title) }), jsonOf("application/problem+json; charset=utf-8", func(in title) string { return encoded(map[string]string{"title": in.Title}) }))},
	{name: "a block of JSON by Sprintf", check: CheckArguments, prompt: either(
		said(func(in title) string { return fmt.Sprintf("Issue:\n```json\n{\"title\": \"%s\"}\n```", in.Title) }),
		said(func(in title) string {
			return "Issue:\n```json\n" + encoded(map[string]string{"title": in.Title}) + "\n```"
		}))},
	{name: "an argument without effect", check: CheckArguments, prompt: either(
		said(func(title) string { return "Review the title" }), said(func(in title) string { return "Review " + in.Title }))},
	{name: "completions that the rules reject", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		values := []string{"EN", "DE"}
		if isBuggy {
			values = []string{"English", "German"}
		}
		return one(prompts.Prompt{Arguments: []prompts.Argument{{Name: "title", Schema: &jsonschema.Schema{Pattern: "^[A-Z]{2}$"}, Complete: prompts.Suggest(values...)}}},
			said(func(in title) string { return "Write " + in.Title }))
	}},
	{name: "a default in the description alone", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		if isBuggy {
			return one(prompts.Prompt{}, said(func(in described) string { return "Translate to " + in.Language + ": " + in.Text }))
		}
		return one(prompts.Prompt{}, said(func(in declared) string { return "Translate to " + in.Language + ": " + in.Text }))
	}},
	{name: "a default of two words in the description alone", check: CheckArguments, prompt: defaulted(
		func(in dialect) string { return "Translate to " + in.Language + ": " + in.Text },
		func(in dialect) string {
			return "Translate to " + cmp.Or(in.Language, "Brazilian Portuguese") + ": " + in.Text
		})},
	{name: "a number by default in the description alone", check: CheckArguments, prompt: defaulted(
		func(in amount) string { return fmt.Sprint("At most ", in.Limit) },
		func(in amount) string { return fmt.Sprint("At most ", cmp.Or(in.Limit, 10)) })},
	{name: "a default that the description contradicts", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		if isBuggy {
			return one(prompts.Prompt{}, said(func(in contradicted) string { return in.Branch }))
		}
		return one(prompts.Prompt{}, said(func(in uncontradicted) string { return in.Branch }))
	}},
	{name: "an error of another argument", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		name := "title"
		if isBuggy {
			name = "tilte"
		}
		return one(prompts.Prompt{}, func(in title) (string, error) {
			if strings.Contains(in.Title, "\n") {
				return "", prompts.InvalidArgument(name, "must have one line")
			}
			return in.Title, nil
		})
	}},
	{name: "a slow prompt", check: CheckArguments, prompt: either(
		said(func(in translation) string { time.Sleep(700 * time.Millisecond); return in.Text + in.Language }), said(func(in translation) string { return in.Text + in.Language }))},
	{name: "a Cache and the order of a map", check: CheckArguments, prompt: cached(
		func() string { return fmt.Sprint(slices.Collect(maps.Keys(owners))) }, func() string { return fmt.Sprint(slices.Sorted(maps.Keys(owners))) })},
	{name: "a Cache and the day", check: CheckArguments, prompt: cached(
		func() string { return "Today is " + time.Now().Format("January 2, 2006") }, func() string { return "Today is a day" })},
	{name: "a Cache and a counter", check: CheckArguments, prompt: cached(
		func() string { return fmt.Sprint("Run ", counted.Add(1)) }, func() string { return "Run" })},
	{name: "a shared result that grows", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		shared := prompts.Messages(prompts.User("Be brief."))
		return many(prompts.Prompt{}, func(_ context.Context, in title) (*prompts.Result, error) {
			if !isBuggy {
				return prompts.Messages(prompts.User("Be brief."), prompts.User(in.Title)), nil
			}
			shared.Messages = append(shared.Messages, prompts.User(in.Title))
			return shared, nil
		})
	}},
	{name: "a shared message", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		shared := &prompts.Text{}
		return many(prompts.Prompt{}, func(_ context.Context, in title) (*prompts.Result, error) {
			if !isBuggy {
				return prompts.Messages(prompts.User(in.Title)), nil
			}
			shared.Text = in.Title
			return prompts.Messages(prompts.UserContent(shared)), nil
		})
	}},
	{name: "a shared result that one value changes", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		shared := prompts.Messages(prompts.User("Be brief."))
		return many(prompts.Prompt{}, func(_ context.Context, in severity) (*prompts.Result, error) {
			result := shared
			if !isBuggy {
				result = prompts.Messages(prompts.User("Be brief."))
			}
			if in.Level == "highest" {
				result.Messages = append(result.Messages, prompts.User("Call somebody."))
			}
			return result, nil
		})
	}},
	{name: "a text that grows", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		var shared strings.Builder
		return one(prompts.Prompt{}, said(func(in title) string {
			if !isBuggy {
				return "Review:\n" + in.Title
			}
			shared.WriteString("Review:\n" + in.Title + "\n")
			return shared.String()
		}))
	}},
	{name: "a list that grows", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		var shared []string
		return one(prompts.Prompt{}, said(func(in labels) string {
			if !isBuggy {
				return strings.Join(in.Labels, ", ")
			}
			shared = append(shared, in.Labels...)
			return strings.Join(shared, ", ")
		}))
	}},
	{name: "a value that stays", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		last := "English"
		return one(prompts.Prompt{}, said(func(in translation) string {
			language := cmp.Or(in.Language, last)
			if isBuggy {
				last = language
			}
			return "Translate to " + language + ": " + in.Text
		}))
	}},
	{name: "an effect before the first question", check: CheckArguments, client: answering,
		prompt: orders(func() int { return int(opened.Add(1)) }, func(n int) string { return fmt.Sprint("Order ", n) })},
	{name: "an effect before the first question, without a trace", check: CheckArguments, client: answering,
		prompt: orders(func() int { return int(mailed.Add(1)) }, func(int) string { return "Mail" }), o: CheckOptions{Effects: func() int { return int(mailed.Load()) }}},
	{name: "effects before and after a question", check: CheckArguments, client: answering, o: CheckOptions{Effects: func() int { return int(posted.Load()) }}, prompt: func(isBuggy bool) prompts.Prompt {
		return many(prompts.Prompt{}, func(ctx context.Context, _ nobody) (*prompts.Result, error) {
			if isBuggy {
				posted.Add(1)
			}
			if _, err := prompts.Elicit[struct{ Name string }](ctx, "who", "who?"); err != nil {
				return nil, err
			}
			posted.Add(1)
			return prompts.Messages(prompts.User("Posted.")), nil
		})
	}},
	{name: "an error of Ask that is swallowed", check: CheckArguments, prompt: swallowing},
	{name: "an error of Ask that is swallowed, over a connection", check: CheckArguments, prompt: swallowing, client: connected},
	{name: "an error of Ask in a branch that is swallowed", check: CheckArguments, prompt: latest},
	{name: "an error of Ask in a branch that is swallowed, with enums", check: CheckEnums, prompt: latest},
	{name: "a Cache and the order of the elements of a list", check: CheckArguments, prompt: counts(func(in labels) map[string]bool { return setOf(in.Labels) })},
	{name: "a Cache and the order of an argument", check: CheckArguments, prompt: counts(func(in weighted) map[string]int { return in.Weights })},
	{name: "a Cache and the order of words", check: CheckArguments, prompt: counts(func(in title) map[string]bool { return setOf(strings.Fields(in.Title)) })},
	{name: "a Cache and the order of a map without an argument", check: CheckArguments, prompt: counts(func(in owned) map[string]string {
		if in.Owner != "" {
			return map[string]string{in.Owner: ""}
		}
		return owners
	})},
	{name: "a Cache and the month", check: CheckArguments, prompt: cached(
		func() string { return time.Now().Format("In January 2006") }, func() string { return "In a month" })},
	{name: "a Cache and the minute", check: CheckArguments, prompt: cached(
		func() string { return time.Now().Format("04:05 past") }, func() string { return "Past" })},
	{name: "an effect before the first question that an id shows", check: CheckArguments, client: answering,
		prompt: orders(func() int { return int(ticketed.Add(1)) }, func(n int) string { return fmt.Sprint("Ticket DESK-", 100+n) })},
	{name: "a prompt of many arguments that waits a little", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		p := prompts.Prompt{Name: "p", Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			time.Sleep(time.Millisecond)
			if isBuggy {
				time.Sleep(94 * time.Millisecond)
			}
			return prompts.Messages(prompts.User(encoded(args))), nil
		}}
		for i := range 20 {
			p.Arguments = append(p.Arguments, prompts.Argument{Name: fmt.Sprint("a", i), Required: true})
		}
		return p
	}},
	{name: "a value of an enum that waits", check: CheckEnums, prompt: either(
		said(func(in level) string {
			if in.Level == "high" {
				time.Sleep(1500 * time.Millisecond)
			}
			return in.Level
		}),
		said(func(in level) string { return in.Level }))},
	{name: "a slow completion", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		complete := func(_ context.Context, typed string, _ map[string]string) ([]string, error) {
			if isBuggy {
				time.Sleep(800 * time.Millisecond)
			}
			return []string{"one", "two"}, nil
		}
		return one(prompts.Prompt{Arguments: []prompts.Argument{{Name: "text", Complete: complete}, {Name: "language"}}},
			said(func(in translation) string { return in.Language + in.Text }))
	}},
	{name: "a number beyond a list", check: CheckArguments, prompt: either(
		said(func(in count) string { return fmt.Sprint(in.Limit, []string{"a", "b", "c", "d", "e"}[:in.Limit]) }),
		said(func(in count) string {
			return fmt.Sprint(in.Limit, []string{"a", "b", "c", "d", "e"}[:max(0, min(5, in.Limit))])
		}))},
	{name: "a division by a number", check: CheckArguments, prompt: either(
		said(func(in count) string { return fmt.Sprint(in.Limit, 100/in.Limit) }),
		said(func(in count) string { return fmt.Sprint(in.Limit, 100/max(1, in.Limit)) }))},
	{name: "an error of another argument for a number", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		return one(prompts.Prompt{}, func(in count) (string, error) {
			switch {
			case in.Limit < 1 && isBuggy:
				return "", prompts.InvalidArgument("Limit", "must be positive")
			case in.Limit < 1:
				return "", prompts.InvalidArgument("limit", "must be positive")
			}
			return fmt.Sprint(in.Limit), nil
		})
	}},
	{name: "a block that a member of an object ends", check: CheckArguments, prompt: either(
		said(func(in change) string { return "```\n" + in.File.Name + "\n```" }),
		said(func(in change) string { return prompts.Fence("", in.File.Name) }))},
	{name: "the first word of a member in a list", check: CheckArguments, prompt: either(
		said(func(in changed) string {
			text := fmt.Sprint(in.Files)
			for _, f := range in.Files {
				text += strings.Fields(f.Name)[0]
			}
			return text
		}),
		said(func(in changed) string { return fmt.Sprint(in.Files) }))},
	{name: "a long string cut between bytes", check: CheckArguments, prompt: either(
		said(func(in title) string { return "Title: " + in.Title[:min(500, len(in.Title))] }),
		said(func(in title) string {
			return "Title: " + strings.ToValidUTF8(in.Title[:min(500, len(in.Title))], "")
		}))},
	{name: "a block in a list that the value ends", check: CheckArguments, prompt: either(
		said(func(in title) string {
			return "- Code:\n  ```\n  " + strings.ReplaceAll(in.Title, "\n", "\n  ") + "\n  ```"
		}),
		said(func(in title) string {
			return "- Code:\n  " + strings.ReplaceAll(prompts.Fence("", in.Title), "\n", "\n  ")
		}))},
	{name: "a block of four backquotes that the value ends", check: CheckArguments, prompt: either(
		said(func(in title) string { return "````\n" + in.Title + "\n````" }),
		said(func(in title) string { return prompts.Fence("", in.Title) }))},
	{name: "completions that fail", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		complete := func(context.Context, string, map[string]string) ([]string, error) {
			if isBuggy {
				return nil, errors.New("no index")
			}
			return nil, nil
		}
		return one(prompts.Prompt{Arguments: []prompts.Argument{{Name: "title", Complete: complete}}}, said(func(in title) string { return in.Title }))
	}},
	{name: "completions that fail for a text", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		complete := func(_ context.Context, typed string, _ map[string]string) ([]string, error) {
			if !isBuggy {
				typed = regexp.QuoteMeta(typed)
			}
			re, err := regexp.Compile("^" + typed)
			if err != nil || !re.MatchString("one") {
				return nil, err
			}
			return []string{"one"}, nil
		}
		return one(prompts.Prompt{Arguments: []prompts.Argument{{Name: "title", Complete: complete}}}, said(func(in title) string { return in.Title }))
	}},
	{name: "the second block of code that the value ends", check: CheckArguments, prompt: either(
		said(func(in title) string { return "Review " + in.Title + ":\n\n```go\n" + in.Title + "\n```\nBe brief." }),
		said(func(in title) string {
			return "Review " + in.Title + ":\n\n" + prompts.Fence("go", in.Title) + "\nBe brief."
		}))},
	{name: "the first element of an empty list of two types", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		p := prompts.Prompt{Arguments: []prompts.Argument{{Name: "labels", Required: true, Schema: &jsonschema.Schema{Types: []string{"null", "array"}}}}}
		return one(p, said(func(in labels) string {
			if isBuggy {
				return "First " + in.Labels[0] + " of " + strings.Join(in.Labels, ", ")
			}
			return "All of " + strings.Join(in.Labels, ", ")
		}))
	}},
	{name: "a late completion that the rules reject", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		values := make([]string, 30)
		for i := range values {
			values[i] = fmt.Sprintf("V%02d", i)
		}
		if isBuggy {
			values[29] = "v29"
		}
		return one(prompts.Prompt{Arguments: []prompts.Argument{{Name: "title", Schema: &jsonschema.Schema{Pattern: "^V"}, Complete: prompts.Suggest(values...)}}},
			said(func(in title) string { return "Write " + in.Title }))
	}},
	{name: "a completion in a folder that the rules reject", check: CheckArguments, prompt: func(isBuggy bool) prompts.Prompt {
		if isBuggy {
			return browsing("cmd/", "cmd/main.c", "doc.go")
		}
		return browsing("cmd/", "cmd/main.go", "doc.go")
	}},
	{name: "two failures that no log explains", check: CheckArguments, client: connected, prompt: either(
		func(in title) (string, error) {
			if in.Title == " " || strings.Contains(in.Title, "%") {
				return "", errors.New("no title")
			}
			return in.Title, nil
		},
		said(func(in title) string { return in.Title }))},
	{name: "a Cache and the hour", check: CheckArguments, prompt: cached(
		func() string { return time.Now().Format("15 o'clock on Mon") }, func() string { return "15 o'clock on Mon" })},
	{name: "a value without a case", check: CheckEnums, prompt: either(
		func(in level) (string, error) {
			if in.Level == "high" {
				return "", errors.New("no such level")
			}
			return in.Level, nil
		},
		said(func(in level) string { return in.Level }))},
	{name: "a value without a text", check: CheckEnums, prompt: either(
		said(func(in level) string { return map[string]string{"low": "Be brief."}[in.Level] }),
		said(func(in level) string { return map[string]string{"low": "Be brief.", "high": "Be exact."}[in.Level] }))},
	{name: "an optional pointer without a check, with enums", check: CheckEnums, prompt: either(
		said(func(in limited) string { return fmt.Sprint("At most ", *in.Limit) }),
		said(func(in limited) string { return fmt.Sprint("At most ", in.Limit != nil) }))},
	{name: "an optional argument that is needed", check: CheckEnums, prompt: either(
		func(in translation) (string, error) {
			if in.Language == "" {
				return "", errors.New("no language")
			}
			return in.Language + in.Text, nil
		},
		said(func(in translation) string { return in.Language + in.Text }))},
	{name: "a secret in lower case in a link", check: CheckSensitive, prompt: secret(func(_ context.Context, token string) (*prompts.Result, error) {
		return toLink(strings.ToLower(token)), nil
	})},
	{name: "a secret in a link", check: CheckSensitive, prompt: secret(func(_ context.Context, token string) (*prompts.Result, error) { return toLink(token), nil })},
	{name: "a secret in a link, with arguments", check: CheckArguments, prompt: secret(func(_ context.Context, token string) (*prompts.Result, error) { return toLink(token), nil })},
	{name: "a part of a secret in an error", check: CheckSensitive, prompt: secret(func(_ context.Context, token string) (*prompts.Result, error) {
		return nil, prompts.InvalidArgument("token", "has the wrong prefix "+token[:min(5, len(token))])
	})},
	{name: "a secret in a question", check: CheckSensitive, prompt: secret(func(ctx context.Context, token string) (*prompts.Result, error) {
		_, err := prompts.Elicit[struct{ Name string }](ctx, "who", "Who has "+strings.ToUpper(token)+"?")
		return prompts.Messages(), err
	})},
	{name: "a tool that does not exist", check: func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckTools(t, reg, o, "search_issues") }, prompt: either(
		said(func(in title) string { return "Call `search_isues` for " + in.Title }), said(func(in title) string { return "Call `search_issues` for " + in.Title }))},
	{name: "a tool that does not exist, behind backquotes", check: func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckTools(t, reg, o, "search_issues") }, prompt: either(
		said(func(in title) string { return "```x``` is no fence.\nCall `search_isues` for " + in.Title }), said(func(in title) string { return "```x``` is no fence.\nCall `search_issues` for " + in.Title }))},
	{name: "several messages for a client of one", check: func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckPortable(t, reg, o, "Zed") }, prompt: results(
		func(in title) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(in.Title), prompts.Assistant("Yes.")), nil
		},
		func(in title) (*prompts.Result, error) { return prompts.Messages(prompts.User(in.Title)), nil })},
}
