package prompts

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/syntax"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file makes the questions of an elicitation: a Form from a Go struct, and an
// InputRequest with raw params. Both check the params and the response.

// Form returns a question with a form for the user. The form has a field for each
// field of the struct T, by the rules of [New], and arguments add to the fields by
// name. The key names the question within the prompt: see [Ask]. The message
// explains the question to the user. Ask reports errors of the declaration.
//
// The protocol's forms are flat. A field is a string, a number, a boolean, or a
// choice from an enum. A list of enum values is a choice of several. A field of any
// other type is a string, converted like an argument.
func Form[T any](key, message string, arguments ...Argument) *Answer[T] {
	compile := sync.OnceValues(func() (*form, error) {
		plan, faults := argument.Compile(reflect.TypeFor[T](), appendSpecs(nil, arguments))
		return &form{message: message, plan: plan, hints: true}, errors.Join(faults...)
	})
	a := &Answer[T]{question: question{key: key, method: methodElicit}}
	a.question.encode = func(rev revision.Revision) (json.RawMessage, wire.Capabilities, error) {
		needs := wire.Capabilities{Form: true}
		f, err := compile()
		if err != nil {
			return nil, needs, err
		}
		params, err := f.params(rev)
		return params, needs, err
	}
	a.question.take = func(rev revision.Revision, result string) error {
		f, err := compile()
		if err != nil {
			return err
		}
		texts, err := f.read(key, rev, result)
		if err != nil {
			return err
		}
		value := new(T)
		problems := f.plan.Fill(reflect.ValueOf(value).Elem(), texts)
		if len(problems) > 0 {
			return badFields(key, problems)
		}
		a.Value = *value
		return nil
	}
	return a
}

// badFields returns the error for fields of a form that are not filled in
// rightly.
func badFields(key string, problems []argument.Problem) error {
	e := problemsError("invalid answer to question "+argument.Quote(key), "", problems)
	e.Data = inputData{Input: key, Problems: problems[:min(len(problems), argument.MaxProblems)]}
	return &fieldsError{seen: e, problems: problems}
}

// fieldsError is an error for the client, with values of fields. The string of Error
// leaves these values out, because the application may log it.
type fieldsError struct {
	seen     *wire.Error
	problems []argument.Problem
}

func (e *fieldsError) Error() string { return argument.Redacted(e.problems) }

func (e *fieldsError) Unwrap() error { return (*Error)(e.seen) }

// The methods of the requests that a client may be asked to answer.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
)

// form asks for the arguments of a plan.
type form struct {
	message string
	plan    *argument.Plan
	hints   bool // whether descriptions have them
}

// params returns the form as a revision knows it.
func (f *form) params(rev revision.Revision) (json.RawMessage, error) {
	return f.plan.AppendForm(nil, f.message, f.hints, rev.ElicitationModes())
}

// read returns the texts that a client has filled in, by the position of their
// arguments. Its error is that of a question's take.
func (f *form) read(key string, rev revision.Revision, result string) ([]argument.Text, error) {
	doc := wire.GetDoc()
	defer wire.PutDoc(doc)
	answer, err := readElicited(doc, key, result)
	if err != nil {
		return nil, err
	}
	content := answer.Get("content")
	if content.Kind() != strictjson.Object {
		return nil, badAnswer(key, "content is missing")
	}
	texts, problems := f.plan.ReadForm(content, rev.ElicitationModes())
	if len(problems) > 0 {
		return nil, badFields(key, problems)
	}
	return texts, nil
}

// readElicited parses a client's answer to an elicitation. Its error is that
// of a question's take.
func readElicited(doc *strictjson.Doc, key, result string) (strictjson.Value, error) {
	if err := doc.Parse(result, jsonenc.MaxDepth); err != nil || doc.Root().Kind() != strictjson.Object {
		return strictjson.Value{}, badAnswer(key, "must be an object")
	}
	switch doc.Root().Get("action").Text() {
	case "accept":
		return doc.Root(), nil
	case "decline":
		return strictjson.Value{}, &refusedError{key, ErrDeclined}
	case "cancel":
		return strictjson.Value{}, &refusedError{key, ErrCanceled}
	}
	return strictjson.Value{}, badAnswer(key, "action must be accept, decline or cancel")
}

// InputRequest returns a question in the protocol's own terms, for questions that
// [Form] cannot express. method is elicitation/create, sampling/createMessage or
// roots/list. params are the params of the protocol for the method, encoded by
// encoding/json, and may be nil for roots/list. [Ask] reports errors in the params.
// The Value of the answer is the client's result, unchanged: the result has the
// members of the method, and the content of a form is valid by its requestedSchema.
//
// To ask for secrets, use an elicitation in URL mode, since protocol version
// 2025-11-25: {"mode":"url","message":…,"url":…}. If the protocol version requires
// an elicitationId and the params have none, the server adds one. The URL must
// contain no data about the user, and must not sign in anyone who opens the URL: see
// the protocol's page on elicitation. The answer only reports that the user agreed
// to open the URL.
//
// The protocol has deprecated sampling and roots.
func InputRequest(key, method string, params any) *Answer[json.RawMessage] {
	a := &Answer[json.RawMessage]{question: question{key: key, method: method}}
	var schema *argument.Validator // of a form; nil before encode, and for others
	a.question.take = func(rev revision.Revision, result string) error {
		if _, _, err := a.question.encode(rev); err != nil {
			return err // it may have been answered in an earlier run
		}
		if err := checkInput(key, method, schema, result); err != nil {
			return err
		}
		a.Value = json.RawMessage(result)
		return nil
	}
	a.question.encode = func(rev revision.Revision) (json.RawMessage, wire.Capabilities, error) {
		if params == nil {
			params = struct{}{}
		}
		raw, err := jsonenc.Append(nil, params)
		if err != nil {
			return nil, wire.Capabilities{}, err
		}
		var doc strictjson.Doc
		if err := doc.Parse(string(raw), jsonenc.MaxDepth); err != nil {
			return nil, wire.Capabilities{}, err
		}
		p := doc.Root()
		if p.Kind() != strictjson.Object {
			return nil, wire.Capabilities{}, errors.New("params must be a JSON object")
		}
		needs, err := inputNeeds(rev, method, p)
		if method == methodElicit && err == nil {
			raw = elicitParams(rev, p)
		}
		if needs.Form && err == nil {
			schema, err = requestedSchema(p)
		}
		return raw, needs, err
	}
	return a
}

// inputNeeds returns the capabilities that a client needs to answer the request. It
// returns an error if the params are invalid.
func inputNeeds(rev revision.Revision, method string, p strictjson.Value) (wire.Capabilities, error) {
	switch method {
	case methodElicit:
		return elicitNeeds(rev, p)
	case methodSample:
		if p.Get("messages").Kind() != strictjson.Array || !p.Get("maxTokens").IsInteger() {
			return wire.Capabilities{}, errors.New("params.messages must be an array, and params.maxTokens an integer")
		}
		needs := wire.Capabilities{Sampling: true}
		needs.Tools = p.Get("tools").Kind() != strictjson.Invalid || p.Get("toolChoice").Kind() != strictjson.Invalid
		if c := p.Get("includeContext"); c.Kind() != strictjson.Invalid {
			needs.Context = c.Text() != "none"
		}
		return needs, nil
	case methodRoots:
		return wire.Capabilities{Roots: true}, nil
	}
	return wire.Capabilities{}, fmt.Errorf("unknown method %q; expected %s, %s or %s", phrase.Clip(method, phrase.MaxEcho), methodElicit, methodSample, methodRoots)
}

// elicitNeeds is inputNeeds for an elicitation (MRT-26, MRT-29).
func elicitNeeds(rev revision.Revision, p strictjson.Value) (wire.Capabilities, error) {
	if p.Get("message").Kind() != strictjson.String {
		return wire.Capabilities{}, errors.New("params.message is required and must be a string")
	}
	switch mode := p.Get("mode"); {
	case mode.Text() == "url":
		raw := p.Get("url").Text()
		if err := syntax.CheckURI(raw); err != nil {
			return wire.Capabilities{}, fmt.Errorf("params.url: %w", err)
		}
		if u, err := url.Parse(raw); err != nil || u.User != nil {
			return wire.Capabilities{}, errors.New("params.url must not contain credentials") // MRT-27
		}
		return wire.Capabilities{URL: true}, nil
	case mode.Kind() != strictjson.Invalid && mode.Text() != "form":
		return wire.Capabilities{}, errors.New(`params.mode must be "form" or "url"`)
	}
	schema := p.Get("requestedSchema")
	if schema.Get("type").Text() != "object" || schema.Get("properties").Kind() != strictjson.Object {
		return wire.Capabilities{}, errors.New(`params.requestedSchema must have the type "object" and properties`)
	}
	for name, property := range schema.Get("properties").Members() {
		if property.Get("type").Text() == "array" && !rev.ElicitationModes() {
			return wire.Capabilities{}, &unavailableError{why: "the client's protocol version does not support multiple-choice fields"}
		}
		if err := checkField(property); err != nil {
			return wire.Capabilities{}, fmt.Errorf("params.requestedSchema: property %q %w", name, err)
		}
	}
	return wire.Capabilities{Form: true}, nil
}

// requestedSchema returns the schema of a form (MRT-29).
func requestedSchema(p strictjson.Value) (*argument.Validator, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(p.Get("requestedSchema").Raw()), &s); err != nil {
		return nil, fmt.Errorf("params.requestedSchema: %w", err)
	}
	validator, err := argument.NewValidator(&s)
	if err != nil {
		return nil, fmt.Errorf("params.requestedSchema: %w", err)
	}
	return validator, nil
}

// checkField refuses a property that the protocol's forms do not have.
func checkField(p strictjson.Value) error {
	switch p.Get("type").Text() {
	case "string":
		if format := p.Get("format"); format.Kind() != strictjson.Invalid && !slices.Contains(fieldFormats, format.Text()) {
			return errors.New("must have one of the formats " + strings.Join(fieldFormats, ", "))
		}
		return nil
	case "number", "integer", "boolean":
		return nil
	case "array":
		items := p.Get("items")
		if items.Get("enum").Kind() == strictjson.Array && items.Get("type").Text() == "string" || items.Get("anyOf").Kind() == strictjson.Array {
			return nil
		}
		return errors.New(`is an array: its items must have an enum with the type "string", or an anyOf`)
	}
	return errors.New("must be a string, a number, a boolean, or an array of choices")
}

// fieldFormats are those that the protocol's forms have.
var fieldFormats = []string{"date", "date-time", "email", "uri"}

// elicitParams returns the params of an elicitation in the form of a revision:
// some do not know the mode, and one wants an id for what is asked by URL.
func elicitParams(rev revision.Revision, p strictjson.Value) json.RawMessage {
	out := []byte{'{'}
	add := func(name, raw string) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = strictjson.AppendString(out, name)
		out = append(out, ':')
		out = append(out, raw...)
	}
	for name, v := range p.Members() {
		if name != "mode" || rev.ElicitationModes() {
			add(name, v.Raw())
		}
	}
	if !rev.Stateless() && p.Get("mode").Text() == "url" && p.Get("elicitationId").Kind() == strictjson.Invalid {
		add("elicitationId", `"`+rand.Text()+`"`)
	}
	return append(out, '}')
}

// checkInput refuses a result that is not one of the method (MRT-19). Its
// error is that of a question's take.
func checkInput(key, method string, schema *argument.Validator, result string) error {
	doc := wire.GetDoc()
	defer wire.PutDoc(doc)
	if method == methodElicit {
		answer, err := readElicited(doc, key, result)
		if err != nil {
			return err
		}
		if schema == nil {
			return nil // by URL, which has no content
		}
		content := answer.Get("content")
		if content.Kind() != strictjson.Object {
			return badAnswer(key, "content is missing")
		}
		var instance any
		if json.Unmarshal([]byte(content.Raw()), &instance) != nil || !schema.Accepts(instance) {
			return badAnswer(key, "content does not match requestedSchema")
		}
		return nil
	}
	if err := doc.Parse(result, jsonenc.MaxDepth); err != nil || doc.Root().Kind() != strictjson.Object {
		return badAnswer(key, "must be an object")
	}
	r := doc.Root()
	switch method {
	case methodSample:
		if role := r.Get("role").Text(); role != string(RoleUser) && role != string(RoleAssistant) ||
			r.Get("model").Kind() != strictjson.String || r.Get("content").Kind() < strictjson.Array {
			return badAnswer(key, "must be a sampling result (role, model and content are required)")
		}
	case methodRoots:
		if r.Get("roots").Kind() != strictjson.Array {
			return badAnswer(key, "roots is required and must be an array")
		}
		for root := range r.Get("roots").Elements() {
			if !strings.Contains(root.Get("uri").Text(), ":") {
				return badAnswer(key, "each root must have a URI")
			}
		}
	}
	return nil
}
