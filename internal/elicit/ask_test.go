package elicit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// unable is what a client is told that cannot be asked, and undeclared what one
// of revision 2026-07-28 is told.
func unable(why string) string {
	return "the prompt asks the user for input, but " + why
}

func undeclared(names string) string {
	return "the prompt needs client capabilities that are not declared: " + names
}

// Questions that goroutines of one render ask are asked together, each once.
func TestAskConcurrently(t *testing.T) {
	t.Parallel()
	const n = 20
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("many", func(ctx context.Context) (*prompts.Result, error) {
		var all sync.WaitGroup
		errs := make([]error, 2*n)
		values := make([]string, 2*n)
		for i := range 2 * n {
			all.Go(func() {
				key := fmt.Sprint("q", i%n) // each key twice
				if _, errs[i] = prompts.Once(ctx, fmt.Sprint("once", i), func(context.Context) (int, error) { return i, nil }); errs[i] == nil {
					var answer servertest.Colour
					answer, errs[i] = prompts.Elicit[servertest.Colour](ctx, key, "Which?")
					values[i] = answer.Colour
				}
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(strings.Join(values[:n], ""))), nil
	})), prompts.Options{})
	r := servertest.NewRounds(t, s, "many")
	o := r.Get("")
	require.Len(t, o.Result.Requests, n)
	var responses []string
	for i := range n {
		responses = append(responses, fmt.Sprintf(`"q%d":%s`, i, servertest.Accepting(`{"colour":"x"}`)))
	}
	assert.Equal(t, strings.Repeat("x", n), r.Get("{"+strings.Join(responses, ",")+"}").Text(t))
}

// The keys of questions are the author's, and short.
func TestQuestionKeys(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"a":                                      true,
		"ä b\"\n":                                true,
		strings.Repeat("x", servertest.MaxKey):   true,
		"":                                       false,
		strings.Repeat("x", servertest.MaxKey+1): false,
		"\xff":                                   false,
		servertest.ArgumentsKey:                  false,
	} {
		var j servertest.Journal
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("one", func(ctx context.Context) (*prompts.Result, error) {
			_, err := prompts.Elicit[servertest.Colour](ctx, key, "Which?")
			return nil, err
		})), prompts.Options{Logger: j.Logger()})
		o := servertest.NewRounds(t, s, "one").Get("")
		if ok {
			o.Wants(t, key)
			continue
		}
		o.Fails(t, prompts.CodeInternalError, servertest.RenderFailed)
		assert.Contains(t, j.String(), "must be valid UTF-8 of 1 to 128 bytes")
	}
}

// The same key is the same question: it is asked once, whoever asks. Who asks
// while another does waits for the first answer.
func TestSameQuestionIsAskedOnce(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("same", func(ctx context.Context) (*prompts.Result, error) {
			answers := make(chan string, 3)
			ask := func() {
				answer, err := prompts.Elicit[servertest.Colour](ctx, "a", "Which?")
				assert.NoError(t, err)
				answers <- answer.Colour
			}
			var both sync.WaitGroup
			both.Go(ask)
			both.Go(ask)
			both.Wait()
			ask()
			return prompts.Messages(prompts.User(<-answers + <-answers + <-answers)), nil
		})), prompts.Options{})
		c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
		c.Send(servertest.GetLine("1", "same"))
		assert.Equal(t, []string{servertest.TextLine("1", "redredred")}, c.Ask(c.Question().Reply(servertest.Red)))
	})
}

// MRT-06: two questions of one Ask cannot have the same key: their answers
// could not be told apart. That is the author's fault, and nobody is asked.
func TestTwoQuestionsWithOneKey(t *testing.T) {
	t.Parallel()
	form := prompts.Form[servertest.Colour]("a", "Which?")
	for name, questions := range map[string][]prompts.Question{
		"forms":         {prompts.Form[servertest.Colour]("a", "Which?"), prompts.Form[servertest.Trip]("a", "Where?")},
		"one and again": {form, form},
		"not adjacent":  {prompts.Form[servertest.Colour]("a", "Which?"), prompts.Form[servertest.Colour]("b", "Which?"), prompts.InputRequest("a", servertest.MethodRoots, nil)},
	} {
		var j servertest.Journal
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("two", func(ctx context.Context) (*prompts.Result, error) {
			err := prompts.Ask(ctx, questions...)
			assert.NotErrorIs(t, err, prompts.ErrElicitationUnavailable, name)
			return nil, err
		})), prompts.Options{Logger: j.Logger()})
		for _, responses := range []string{"", `{"a":` + servertest.Red + `}`} {
			servertest.NewRounds(t, s, "two").Get(responses).Fails(t, prompts.CodeInternalError, servertest.RenderFailed)
		}
		got := servertest.AnswerTo(t, s, servertest.NewSessionAs(t, s, "2025-11-25", servertest.AllCapabilities), servertest.GetLine("1", "two"))
		assert.Equal(t, servertest.ErrorLine("1", prompts.CodeInternalError, servertest.RenderFailed), got)
		assert.Contains(t, j.String(), `duplicate question key \"a\"`, name)
	}
}

func answerColour(text string) string { return servertest.Accepting(`{"colour":"` + text + `"}`) }
