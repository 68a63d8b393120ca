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

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/sample"
)

// CheckSensitive checks that no value of a Sensitive argument reaches the text that a
// prompt addresses to the client: errors with their data, questions, progress, and in
// results everything but the texts and data in the messages, which are the purpose of the
// prompt.
//
// It renders each prompt with one value, with another, and with the first again, and
// reports words that come with the first value only, in whatever form the prompt writes
// them. The values are those of two CheckOptions.Examples, or canaries of the argument's
// type, with all other arguments and with the required ones. It reports an argument
// without two valid values. Each question is declined, and then answered with generated
// values. CheckOptions.Client is not used.
func CheckSensitive(t testing.TB, reg *prompts.Registry, o CheckOptions) {
	t.Helper()
	said := &sayings{words: map[string]bool{}}
	srv := prompts.MustNewServer(reg, prompts.Options{Logger: slog.New(slog.DiscardHandler), Limits: prompts.Limits{CompletionsPerSecond: -1}})
	o.Client = Serve(t, srv, ClientOptions{
		Answer:   said.answer,
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
	isChecked, leaked := false, []string(nil)
	for _, names := range [][]string{argumentNames(p, false), c.requiredNames(p)} {
		words, ok := c.wordsOf(p, a, names, said)
		isChecked = isChecked || ok
		for word := range words[0] {
			if ok && words[2][word] && !words[1][word] && !slices.Contains(leaked, word) {
				leaked = append(leaked, word)
			}
		}
	}
	switch slices.Sort(leaked); {
	case !isChecked:
		c.errorf(p, "argument %q is not checked: no two valid values found\n\tGive two values in CheckOptions.Examples.", a.Name)
	case len(leaked) > 0:
		c.errorf(p, "the value of the sensitive argument %q reaches the client: %s\n\tRemove what depends on the value from errors, questions, progress, links and _meta.", a.Name, some(leaked))
	}
}

// requiredNames returns the names of the required arguments, and of those in the first
// example.
func (c *checker) requiredNames(p *prompts.Prompt) []string {
	names := argumentNames(p, true)
	if calls := c.examples[p.Name]; len(calls) > 0 {
		names = slices.AppendSeq(names, maps.Keys(calls[0]))
	}
	return names
}

// wordsOf returns what the client hears of a value of the sensitive argument, of another
// value, and of the first again, beside arguments with these names. It reports false if no
// two values are valid.
func (c *checker) wordsOf(p *prompts.Prompt, a *prompts.Argument, names []string, said *sayings) (words [3]map[string]bool, ok bool) {
	arguments := map[string]string{}
	for i := range p.Arguments {
		if other := &p.Arguments[i]; slices.Contains(names, other.Name) {
			arguments[other.Name] = c.candidates(p, other, arguments)[0]
		}
	}
	n := 0
	try := func(value string) bool {
		arguments[a.Name] = value
		said.begin()
		isValid := c.say(p, a, arguments, said)
		if isValid && said.accept() {
			c.say(p, a, arguments, said)
		}
		if isValid {
			words[n] = said.take()
			n++
		}
		return isValid
	}
	first := ""
	for _, v := range append(canariesOf(a), c.candidates(p, a, arguments)...) {
		if n < 2 && (n == 0 || v != first) && try(v) && n == 1 {
			first = v
		}
	}
	return words, n == 2 && try(first)
}

// say renders a prompt, and notes what the client hears. It reports false if the function
// has not got the value of the argument.
func (c *checker) say(p *prompts.Prompt, a *prompts.Argument, arguments map[string]string, said *sayings) bool {
	r, refusal := c.get(p, maps.Clone(arguments))
	if refusal == nil {
		said.add(besideTexts(r.result)...)
		return true
	}
	if refusal.err == nil {
		return false
	}
	if reason := Reasons(refusal.err)[a.Name]; reason != "" && reason != "refused" {
		return false
	}
	said.add(refusal.err.Message, golden.JSON(refusal.err.Data))
	return true
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
	`{"canary":48151}`, `{"sparrow":73910}`, "2031-02-03T04:05:06Z", "2042-11-12T13:14:15Z", "2031-02-03", "2042-11-12", "04:08:15Z", "17:39:10Z",
	"48151s", "73910s", "P48D", "P73D", "2001:db8::48", "198.51.100.73", "198.51.100.48", "2001:db8::73", "[2001:db8::48]:4815", "198.51.100.73:7391",
	"https://canary.example/48151", "https://sparrow.test/73910", "ada@canary.example", "bob@sparrow.test",
	"48151623-1f9e-4815-8162-3423424815ab", "73910264-7b3d-4739-9102-6485739102cd",
}

// besideTexts returns what a result says beside the texts and data of its messages.
func besideTexts(r *prompts.Result) []string {
	all := []string{r.Description, golden.JSON(r.Meta)}
	for _, m := range r.Messages {
		content := m.Content
		switch c := content.(type) {
		case *prompts.Text:
			content = &prompts.Text{Annotations: c.Annotations, Meta: c.Meta}
		case *prompts.Image:
			content = &prompts.Image{MIMEType: c.MIMEType, Annotations: c.Annotations, Meta: c.Meta}
		case *prompts.Audio:
			content = &prompts.Audio{MIMEType: c.MIMEType, Annotations: c.Annotations, Meta: c.Meta}
		case *prompts.EmbeddedResource:
			beside := *c
			beside.Text, beside.Blob = "", nil
			content = &beside
		}
		all = append(all, golden.JSON(content))
	}
	return all
}

// sayings collects the words that a client receives.
type sayings struct {
	mu      sync.Mutex // protects the fields below
	words   map[string]bool
	asked   bool
	accepts bool // questions are answered
}

// begin forgets what was said, and declines questions.
func (s *sayings) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words, s.asked, s.accepts = map[string]bool{}, false, false
}

// take returns the words.
func (s *sayings) take() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.words)
}

// accept answers further questions, and reports whether any was asked.
func (s *sayings) accept() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepts = true
	return s.asked
}

func (s *sayings) answer(q Question) any {
	s.add(string(q.Params))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true
	if !s.accepts {
		return Decline()
	}
	var form struct{ RequestedSchema *jsonschema.Schema }
	if json.Unmarshal(q.Params, &form) != nil || form.RequestedSchema == nil {
		return Accept(nil)
	}
	if all := sample.Instances("", form.RequestedSchema); len(all) > 0 {
		return Accept(json.RawMessage(all[0]))
	}
	return Decline()
}

// add adds the words of texts, and the longer parts of words: of letters, and of digits.
func (s *sayings) add(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isNeither := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, text := range texts {
		text = strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, " ").Replace(text)
		for word := range strings.FieldsFuncSeq(text, isNeither) {
			s.words[word] = true
			const shortest = 4 // which a random text does not have twice
			for _, isEnd := range []func(rune) bool{unicode.IsDigit, unicode.IsLetter} {
				for part := range strings.FieldsFuncSeq(word, isEnd) {
					if len(part) >= shortest {
						s.words[part] = true
					}
				}
			}
		}
	}
}
