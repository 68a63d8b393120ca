package elicit

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/problem"
)

// This file asks with forms: for the fields of a struct, and for the arguments of the
// prompt that the client has requested.

// NewForm returns a question with a form for the fields of a struct, which are those of the
// specs, too. The answer is stored in the struct. The struct is compiled once, although
// encode and read are called several times.
func NewForm(key, message string, in reflect.Value, specs []argument.Spec, errs ...error) Question {
	compile := sync.OnceValues(func() (*form, error) {
		plan, more := argument.Compile(in.Type(), specs)
		return &form{key: key, message: message, plan: plan, hints: true}, errors.Join(slices.Concat(errs, more)...)
	})
	return Question{
		key: key, method: methodElicit,
		encode: func(rev revision.Revision) (json.RawMessage, wire.Capabilities, error) {
			needs := wire.Capabilities{Form: true}
			f, err := compile()
			if err != nil {
				return nil, needs, err
			}
			params, err := f.params(rev)
			return params, needs, err
		},
		read: func(rev revision.Revision, result string) error {
			f, err := compile()
			if err != nil {
				return err
			}
			texts, err := f.read(rev, result)
			if err != nil {
				return err
			}
			// The answer goes to a new value first, because an invalid answer must not leave
			// the application's struct half filled.
			value := reflect.New(in.Type()).Elem()
			if problems := f.plan.Fill(context.Background(), value, texts); len(problems) > 0 {
				return &Invalid{key: key, problems: problems}
			}
			in.Set(value)
			return nil
		},
	}
}

// form asks for the arguments of a plan. The plan also converts the arguments of prompts/get,
// so both accept the same values.
type form struct {
	key, message string
	plan         *argument.Plan
	hints        bool // whether descriptions have them
}

func (f *form) params(rev revision.Revision) (json.RawMessage, error) {
	return f.plan.AppendForm(nil, f.message, f.hints, rev.ElicitationModes())
}

// read returns the texts that a client has filled in, by the position of their
// arguments. Its error is that of a question's read.
func (f *form) read(rev revision.Revision, result string) ([]argument.Text, error) {
	doc := wire.GetDoc()
	defer wire.PutDoc(doc)
	content, err := readAnswer(doc, f.key, result, true)
	if err != nil {
		return nil, err
	}
	texts, problems := f.plan.ReadForm(content, rev.ElicitationModes())
	if len(problems) > 0 {
		return nil, &Invalid{key: f.key, problems: problems}
	}
	return texts, nil
}

// readAnswer parses a client's answer to an elicitation and returns its content, if it must
// have one. Its error is that of a question's read. content is valid until doc is used again.
func readAnswer(doc *strictjson.Doc, key, result string, hasContent bool) (content strictjson.Value, err error) {
	invalid := func(reason string) (strictjson.Value, error) {
		return strictjson.Value{}, &Invalid{key: key, reason: reason}
	}
	if err := doc.Parse(result, jsonenc.MaxDepth); err != nil || doc.Root().Kind() != strictjson.Object {
		return invalid("must be an object")
	}
	switch action := doc.Root().Get("action").Text(); action {
	case "accept":
	case "decline", "cancel":
		return strictjson.Value{}, &Refused{key, action}
	default:
		return invalid("action must be accept, decline or cancel")
	}
	content = doc.Root().Get("content")
	if hasContent && content.Kind() != strictjson.Object {
		return invalid("content is missing")
	}
	return content, nil
}

// Arguments is the question for some arguments of the prompt that the client has requested.
// The application cannot use the key of the question, so no question of a render function
// gets its answer.
type Arguments struct {
	Positions []int // of the arguments among the prompt's
	names     []string
	form      form
	question  Question
}

// ForArguments returns the question for the arguments that have problems, or nil if the
// client cannot be asked for them, or if its answer would not help. name is the prompt's, for
// people. Without a question, the client gets the problems as an error. The form has the keys
// by which the client knows arguments, in place of their names.
func ForArguments(r *rpc.Running, plan *argument.Plan, name string, hints bool, problems []argument.Problem, keys map[string]string) *Arguments {
	if cannotAsk(r, wire.Capabilities{Form: true}) != nil {
		return nil
	}
	q := &Arguments{
		form:     form{key: argumentsKey, message: phrase.Quote(name) + " needs a few details.", hints: hints},
		question: Question{key: argumentsKey, method: methodElicit},
	}
	for _, p := range problems {
		i := plan.Find(p.Argument)
		// An unknown argument is the client's mistake, which a user cannot correct.
		if i < 0 || plan.Arguments[i].Sensitive { // MRT-25
			return nil
		}
		if slices.Contains(q.Positions, i) {
			continue
		}
		// An empty field shows that a value is missing. Any other problem needs a sentence.
		if p.Reason != problem.Missing {
			q.form.message += "\n" + r.Secrets().Text(argument.Rename([]argument.Problem{p}, keys)[0].Sentence())
		}
		q.Positions, q.names = append(q.Positions, i), append(q.names, p.Argument)
	}
	q.form.plan = plan.Subset(q.Positions, keys)
	return q
}

// AskArguments asks for arguments, and returns their texts, or reports that they come with another
// request. It forgets what the render function has learnt so far, which was about other arguments.
// sendForm comes before reset, because reset discards the answers of this request.
func (s *State) AskArguments(ctx context.Context, r *rpc.Running, q *Arguments) (texts []argument.Text, pending bool, err error) {
	s.forgetTexts(q.names)
	result, pending, err := s.sendForm(ctx, r, q)
	s.reset()
	if err != nil || pending {
		return nil, pending, err
	}
	texts, err = q.form.read(r.Rev, result)
	return texts, false, err
}

// sendForm sends the form for arguments and returns the result that the client has
// answered with; or it reports that the form is pending.
func (s *State) sendForm(ctx context.Context, r *rpc.Running, q *Arguments) (result string, pending bool, err error) {
	if q.question.params, err = q.form.params(r.Rev); err != nil {
		return "", false, err
	}
	questions := []*Question{&q.question}
	if r.Rev.Stateless() {
		if result, ok := s.takeArguments(); ok {
			return result, false, nil
		}
		s.addPending(questions)
		return "", true, nil
	}
	if err := r.LockAsking(ctx); err != nil { // from goroutines of a function that has returned
		return "", false, err
	}
	defer r.UnlockAsking()
	results, err := send(ctx, r, questions)
	if err != nil {
		return "", false, err
	}
	return results[0], false, nil
}
