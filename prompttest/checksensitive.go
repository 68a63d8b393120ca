package prompttest

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
)

// CheckSensitive checks that no value of a Sensitive argument reaches the text that a
// prompt addresses to the client: errors with their data, questions, progress, and in
// results the description, the _meta, links and URIs. The texts in the messages of a
// result are the purpose of the prompt, and are not checked.
//
// It renders each prompt with one value, with another, and with the first again, and
// reports words that come with the first value only, in whatever form the prompt writes
// them. The values are those of two CheckOptions.Examples, or canaries of the argument's
// type. It reports an argument without two valid values. Questions are declined, and
// CheckOptions.Client is not used.
func CheckSensitive(t testing.TB, reg *prompts.Registry, o CheckOptions) {
	t.Helper()
	said := new(sayings)
	srv := prompts.MustNewServer(reg, prompts.Options{Logger: slog.New(slog.DiscardHandler), Limits: prompts.Limits{CompletionsPerSecond: -1}})
	o.Client = Serve(t, srv, ClientOptions{
		Answer:   func(q Question) any { said.add(string(q.Params)); return Decline() },
		Notified: func(_ string, params json.RawMessage) { said.add(string(params)) },
	})
	c := newChecker(t, reg, o)
	for i := range c.prompts {
		p := &c.prompts[i]
		for j := range p.Arguments {
			if p.Arguments[j].Sensitive {
				c.checkSensitive(p, &p.Arguments[j], said)
			}
		}
	}
}

func (c *checker) checkSensitive(p *prompts.Prompt, a *prompts.Argument, said *sayings) {
	c.t.Helper()
	arguments := map[string]string{}
	for i := range p.Arguments {
		other := &p.Arguments[i]
		arguments[other.Name] = c.candidates(p, other, arguments)[0]
	}
	var values []string
	var words []map[string]bool
	try := func(value string) bool {
		with := maps.Clone(arguments)
		with[a.Name] = value
		said.take()
		r, refusal := c.get(p, with)
		if refusal != nil {
			if refusal.err == nil {
				return false
			}
			if reason := Reasons(refusal.err)[a.Name]; reason != "" && reason != "refused" {
				return false // the function has not got the value
			}
			said.add(refusal.err.Message, golden.JSON(refusal.err.Data))
		} else {
			said.add(besideTexts(r.result)...)
		}
		values, words = append(values, value), append(words, said.take())
		return true
	}
	for _, v := range append(canariesOf(a), c.candidates(p, a, arguments)...) {
		if len(values) < 2 && !slices.Contains(values, v) {
			try(v)
		}
	}
	if len(values) < 2 || !try(values[0]) {
		c.errorf(p, "argument %q is not checked: no two valid values found\n\tGive two values in CheckOptions.Examples.", a.Name)
		return
	}
	var leaked []string
	for word := range words[0] {
		if words[2][word] && !words[1][word] {
			leaked = append(leaked, word)
		}
	}
	if slices.Sort(leaked); len(leaked) > 0 {
		c.errorf(p, "the value of the sensitive argument %q reaches the client: %s\n\tRemove what depends on the value from errors, questions, progress, links and _meta.", a.Name, some(leaked))
	}
}

// canariesOf returns pairs of values that an argument of some type accepts.
func canariesOf(a *prompts.Argument) []string {
	var all []string
	for _, v := range canaries {
		if a.Schema == nil || a.Schema.Type == "" || a.Schema.Type == "string" || !strings.HasPrefix(v, "canary") && !strings.HasPrefix(v, "sparrow") {
			all = append(all, v)
		}
	}
	return all
}

// canaries are values of many types, in pairs that share no word.
var canaries = []string{
	"canary1f9e", "sparrow7b3d", "Y2FuYXJ5", "c3BhcnJvdw==", "48151623", "73910264", "4815.25", "7391.75", "[48151,62342]", "[73910,26485]",
	`{"canary":48151}`, `{"sparrow":73910}`, "2031-02-03T04:05:06Z", "2042-11-12T13:14:15Z", "2031-02-03", "2042-11-12",
	"48151s", "73910s", "2001:db8::48", "198.51.100.73", "https://canary.example/48151", "https://sparrow.test/73910",
}

// besideTexts returns what a result says beside the texts of its messages.
func besideTexts(r *prompts.Result) []string {
	all := []string{r.Description, golden.JSON(r.Meta)}
	for _, m := range r.Messages {
		switch content := m.Content.(type) {
		case *prompts.ResourceLink:
			all = append(all, golden.JSON(content))
		case *prompts.EmbeddedResource:
			all = append(all, content.URI, golden.JSON(content.Meta), golden.JSON(content.ResourceMeta))
		case *prompts.Text:
			all = append(all, golden.JSON(content.Meta))
		}
	}
	return all
}

// sayings collects the words that a client receives.
type sayings struct {
	mu    sync.Mutex // protects the field below
	words map[string]bool
}

// add adds the words of texts, or of the strings in a JSON text.
func (s *sayings) add(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		var value any
		if json.Unmarshal([]byte(text), &value) == nil {
			if unquoted, ok := value.(string); ok {
				text = unquoted
			}
		}
		text = strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, " ").Replace(text)
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if s.words == nil {
				s.words = map[string]bool{}
			}
			s.words[word] = true
		}
	}
}

// take returns the words and forgets them.
func (s *sayings) take() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := s.words
	s.words = nil
	return words
}
