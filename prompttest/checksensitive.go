package prompttest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/trial"
	"github.com/mcp-prompts/prompts/problem"
)

// CheckSensitive checks that no value of a Sensitive argument reaches the text that a prompt
// addresses to the client: errors with their data, questions, progress, and in results everything
// but the texts and data in the messages, which are the purpose of the prompt.
//
// It renders each prompt with one value and with another, in turns, and reports words that
// always come with the first value and never with the other, in whatever form the prompt writes
// them. The values are those of two CheckOptions.Examples, or canaries of the argument's
// type and of mixed case, with all other arguments and with the required ones. It reports an
// argument without two valid values, and a prompt that fails for every user because the
// server rejects a link with the value. Each question is declined, and then answered with generated
// values. CheckOptions.Client is not used.
func CheckSensitive(t testing.TB, reg *prompts.Registry, o CheckOptions) {
	t.Helper()
	s := &sensitiveChecker{said: &sayings{words: map[string]bool{}}}
	o.Client = nil
	s.checker = newCheckerOf(t, reg, o, prompts.Options{LogSensitive: true}, ClientOptions{ // no value is a secret
		Answer:         s.said.answer,
		OnNotification: func(_ string, params json.RawMessage) { s.said.add(string(params)) },
	})
	for i := range s.prompts {
		p := &s.prompts[i]
		for j := range p.Arguments {
			if p.Arguments[j].Sensitive {
				s.check(p, &p.Arguments[j])
			}
		}
	}
}

type sensitiveChecker struct {
	*checker
	said     *sayings
	rejected map[string]string // the arguments of results withheld because of a link, by value
}

func (c *sensitiveChecker) check(p *prompts.Prompt, a *prompts.Argument) {
	c.t.Helper()
	isChecked, leaked := false, map[string]bool{}
	c.rejected = map[string]string{}
	for _, names := range [][]string{trial.Names(p, false), c.requiredNames(p)} {
		words, ok := c.leaks(p, a, names)
		isChecked = isChecked || ok
		maps.Copy(leaked, words)
	}
	if len(c.rejected) > 1 { // a link may have one value by accident
		c.errorfOnce(p, "link", "the prompt fails for every user: a link has the value of a sensitive argument, so the server rejects the result (with %s)\n\tRemove the value from the link.", slices.Min(slices.Collect(maps.Values(c.rejected))))
	}
	switch {
	case !isChecked:
		c.errorf(p, "argument %q is not checked: no two valid values found\n\tGive two values in CheckOptions.Examples.", a.Name)
	case len(leaked) > 0:
		c.errorf(p, "the value of the sensitive argument %q reaches the client: %s\n\tRemove what depends on the value from errors, questions, progress, links and _meta.", a.Name, phrase.Enumerate(slices.Sorted(maps.Keys(leaked))))
	}
}

// requiredNames returns the names of the required arguments, and of those in the first example.
func (c *sensitiveChecker) requiredNames(p *prompts.Prompt) []string {
	names := trial.Names(p, true)
	if calls := c.examples[p.Name]; len(calls) > 0 {
		names = slices.AppendSeq(names, maps.Keys(calls[0]))
	}
	return names
}

// pairs is how often words of chance have to come with one value and not with the other.
const pairs = 8

// leaks returns the words that the client hears each time with a value of the sensitive
// argument, and never with another value, beside arguments with these names. It reports false if
// no two values are valid.
func (c *sensitiveChecker) leaks(p *prompts.Prompt, a *prompts.Argument, names []string) (words map[string]bool, ok bool) {
	arguments := map[string]string{}
	for i := range p.Arguments {
		if other := &p.Arguments[i]; slices.Contains(names, other.Name) {
			arguments[other.Name] = c.subject(p).Candidates(other, arguments)[0]
		}
	}
	wordsOf := func(value string) map[string]bool { // nil for an invalid value
		arguments[a.Name] = value
		c.said.begin()
		if !c.say(p, a, arguments) {
			return nil
		}
		if c.said.accept() {
			c.say(p, a, arguments)
		}
		return c.said.take()
	}
	first := ""
	for _, v := range c.secrets(p, a, arguments) {
		switch {
		case words == nil:
			first, words = v, wordsOf(v)
			continue
		case v == first:
			continue
		}
		others := wordsOf(v)
		if others == nil {
			continue
		}
		for n := 0; ; n++ {
			maps.DeleteFunc(words, func(word string, _ bool) bool { return others[word] })
			if len(words) == 0 || n == pairs {
				return words, true
			}
			again := wordsOf(first)
			if again == nil {
				return nil, false
			}
			maps.DeleteFunc(words, func(word string, _ bool) bool { return !again[word] })
			others = wordsOf(v)
		}
	}
	return nil, false
}

// secrets returns values for a sensitive argument: those of examples, canaries, the other
// candidates with a canary behind, as a pattern of a prefix allows, and the candidates, long
// ones first.
func (c *sensitiveChecker) secrets(p *prompts.Prompt, a *prompts.Argument, arguments map[string]string) []string {
	var given, behind []string
	for _, call := range c.examples[p.Name] {
		if v, ok := call[a.Name]; ok {
			given = append(given, v)
		}
	}
	candidates := slices.Clone(c.subject(p).Candidates(a, arguments))
	for _, v := range candidates[:min(len(candidates), 4)] {
		behind = append(behind, v+canaries[0], v+canaries[1])
	}
	const long = 8 // a longer value is in no text by accident
	slices.SortStableFunc(candidates, func(x, y string) int { return min(len(y), long) - min(len(x), long) })
	return slices.Concat(given, canaries, behind, candidates)
}

// say renders a prompt, and notes what the client hears. It reports false if the function
// has not got the value of the argument.
func (c *sensitiveChecker) say(p *prompts.Prompt, a *prompts.Argument, arguments map[string]string) bool {
	r, err := c.get(p, maps.Clone(arguments))
	if err == nil {
		c.said.add(besideTexts(r.Result)...)
		return true
	}
	heard := clientError(err)
	if heard == nil {
		return false
	}
	if reason := problem.Reasons(err)[a.Name]; reason != "" && reason != problem.Refused {
		return false
	}
	if strings.Contains(c.record(heard), "URI contains the value of a sensitive argument") {
		c.rejected[arguments[a.Name]] = list(arguments)
		return true // the error says nothing of the value
	}
	c.said.add(heard.Message, golden.JSON(heard.Data))
	return true
}

// canaries are values of many types, in pairs that share no word in any case. The first
// are of mixed case, so that a link is not rejected that has the value in lower case.
var canaries = []string{
	"Canary1F9e", "Sparrow7B3d", "Y2FuYXJ5", "c3BhcnJvdw==", "48151623", "73910264", "4815.25", "7391.75", "[48151,62342]", "[73910,26485]",
	`{"canary":48151}`, `{"sparrow":73910}`, "2031-02-03T04:05:06Z", "2042-11-12T13:14:15Z", "2031-02-03", "2042-11-12", "04:08:15Z", "17:39:10Z",
	"48151s", "73910s", "P48D", "P73D", "2001:db8::48", "198.51.100.73", "198.51.100.48", "2001:db8::73", "[2001:db8::48]:4815", "198.51.100.73:7391",
	"https://canary.example/Heron48151", "https://sparrow.test/Finch73910", "Ada@canary.example", "Bob@sparrow.test",
	"48151623-1f9e-4815-8162-3423424815ab", "73910264-7b3d-4739-9102-6485739102cd",
}

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

func (s *sayings) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words, s.asked, s.accepts = map[string]bool{}, false, false
}

func (s *sayings) take() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.words)
}

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
	return generated(q)
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
