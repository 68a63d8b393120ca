package prompttools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/ordmap"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/promptfeature"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

func (s *server) call(c call.Call, _ []byte) ([]byte, call.Work, error) {
	own := rpc.CallOf(c)
	if own == nil {
		return nil, call.Work{}, errNoServer
	}
	own.IsFinished = true // by promptfeature.AppendContent
	params := own.Parsed()
	if err := wire.CheckCase(params, "name", "arguments", "_meta", "inputResponses", "requestState"); err != nil {
		return nil, call.Work{}, err
	}
	name := params.Get("name")
	if name.Kind() != strictjson.String {
		return nil, call.Work{}, wire.WrongKind("name", "params.name", "a string", name)
	}
	given := params.Get("arguments")
	rev, _ := revision.Parse(c.Version())
	r := &request{server: s, rev: rev}
	if t := s.own[name.Text()]; t != nil {
		r.tool = t.name
		c.SetTool(t.name)
		if t.serve != nil {
			w, err := t.serve(r, c, given, t.checkNow(given))
			return nil, w, err
		}
		var arguments json.RawMessage // a copy
		if given.Kind() > strictjson.Null {
			arguments = json.RawMessage(given.Raw())
		}
		w, err := promptfeature.Interact(c, promptfeature.Interaction{
			Noun: "tool", Name: t.name, Arguments: arguments,
			Run: func(ctx context.Context, dst []byte) ([]byte, error) {
				return r.callOwn(ctx, dst, t, arguments)
			},
			Rejected: func(ctx context.Context, dst []byte, rejected *prompts.Error) ([]byte, error) {
				return r.appendError(ctx, dst, rejected.Message, rejected.Data)
			},
		})
		return nil, w, err
	}
	rendering := promptfeature.Rendering{Append: r.append, Unknown: r.unknownTool}
	var named keys
	if t, ok := s.prompts.Load().Get(name.Text()); ok && s.options.Pair == nil {
		r.tool, rendering.Prompt, named = t.name, t.prompt, t.keys // else empty, which no prompt is named
	} else {
		r.tool = strings.Clone(name.Text())
	}
	rendering.Tool = r.tool
	rendering.Arguments, rendering.Keys = named.named(given)
	w, err := promptfeature.Render(c, rendering)
	return nil, w, err
}

type request struct {
	server *server
	rev    revision.Revision
	tool   string // its name
}

func (r *request) callOwn(ctx context.Context, dst []byte, t *tool, sent json.RawMessage) ([]byte, error) {
	arguments, wrong, err := t.read(ctx, sent)
	switch {
	case err != nil:
		return nil, err
	case wrong != nil:
		return r.appendError(ctx, dst, wrong.Message, wrong.Data)
	}
	result, err := t.own.Call(ctx, arguments)
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, errors.New("the tool returned neither a result nor an error")
	case t.output != nil && !result.IsError:
		if result, err = t.checked(result); err != nil {
			return nil, err
		}
	}
	return r.appendResult(ctx, dst, result)
}

var errNoObject = &prompts.Error{Message: "arguments must be a JSON object"}

// read returns the arguments of a call as the tool gets them, or the error for the model if
// the schema of the tool does not accept them. If the tool gets others than the client has
// sent, both count for as long as the request.
func (t *tool) read(ctx context.Context, sent json.RawMessage) (arguments json.RawMessage, wrong *prompts.Error, err error) {
	text, read := cmp.Or(string(sent), "{}"), ""
	if text[0] != '{' {
		return nil, errNoObject, nil
	}
	request := rpc.FromContext(ctx)
	var r *argument.Rejection
	var unsent map[string]string
	err = request.Parse(text, func(v strictjson.Value, _ error) {
		unsent = t.keys.unsent(v)
		if read, r = t.input.Read(v, t.keys.nameIn(v)); read == text {
			r = t.input.Check(ctx, v)
		}
	})
	if err == nil && r == nil && read != text {
		if err = request.Hold(len(read)); err == nil {
			err = request.Parse(read, func(v strictjson.Value, _ error) { r = t.input.Check(ctx, v) })
		}
	}
	switch {
	case err != nil:
		return nil, nil, err
	case r != nil:
		r, err = t.inWordsOfClient(ctx, request, r, read, unsent)
		return nil, t.rejected(r), err
	case read != text:
		sent = json.RawMessage(read)
	}
	return sent, nil, nil
}

// inWordsOfClient returns the rejection with the keys of arguments, and with the names of
// those that the client has sent by name.
func (t *tool) inWordsOfClient(ctx context.Context, request *rpc.Running, r *argument.Rejection, read string, unsent map[string]string) (*argument.Rejection, error) {
	words := unsent
	if t.keyed != nil && read != "" {
		words = maps.Clone(t.keys.names)
		maps.Copy(words, t.keys.keys)
		swap := func(name string) string { return cmp.Or(words[name], name) }
		var keyed []byte
		err := request.Parse(read, func(v strictjson.Value, _ error) { keyed = appendRenamed(nil, v, swap) })
		if err != nil {
			return nil, err
		}
		err = request.Parse(string(keyed), func(v strictjson.Value, _ error) { r = cmp.Or(t.keyed.Check(ctx, v), r) })
		if err != nil {
			return nil, err
		}
		for name := range unsent {
			delete(words, t.keys.keys[name])
		}
	}
	r.Rename(words)
	return r, nil
}

// checkNow returns the error for the model if the schema of the tool does not accept the
// arguments, else nil.
func (t *tool) checkNow(given strictjson.Value) *prompts.Error {
	text := given.Raw()
	if given.Kind() <= strictjson.Null {
		text = "{}"
	}
	if text[0] != '{' {
		return errNoObject
	}
	var doc strictjson.Doc
	if !wire.IsLarge(len(text)) { // else the null of a large call is no absent argument
		if given.Kind() == strictjson.Object {
			text, _ = t.input.Read(given, func(sent string) string { return sent })
		}
		_ = doc.Parse(text, jsonenc.MaxDepth)
		given = doc.Root()
	}
	return t.rejected(t.input.Check(context.Background(), given))
}

func (t *tool) rejected(r *argument.Rejection) *prompts.Error {
	if r == nil {
		return nil
	}
	return &prompts.Error{
		Message: fmt.Sprintf("invalid arguments for tool %q: %s", t.name, r.Message),
		Data:    argumentsData{Tool: t.name, Problems: r.Problems, More: r.More},
	}
}

type argumentsData struct {
	Tool     string             `json:"tool"`
	Problems []argument.Problem `json:"problems,omitempty"`
	More     int                `json:"more,omitempty"`
}

// checked returns the result with its structured content as JSON, or an error if the
// schema of the tool does not accept that.
func (t *tool) checked(result *Result) (*Result, error) {
	text, err := encodeStructured(result.Structured)
	if err != nil {
		return nil, err
	}
	var doc strictjson.Doc
	if err := doc.Parse(string(text), jsonenc.MaxDepth); err != nil {
		return nil, fmt.Errorf("structuredContent: %w", err)
	}
	if r := t.output.Check(context.Background(), doc.Root()); r != nil {
		why := argument.Redacted(r.Problems) // without values, for the log
		return nil, fmt.Errorf("structuredContent does not match OutputSchema; %s", why)
	}
	checked := *result
	checked.Structured = json.RawMessage(text)
	return &checked, nil
}

func (r *request) append(ctx context.Context, dst []byte, result *prompts.Result, rejected *prompts.Error) ([]byte, error) {
	if rejected != nil {
		return r.appendError(ctx, dst, rejected.Message, rejected.Data)
	}
	return r.appendResult(ctx, dst, &Result{Content: r.server.options.Content(result.Messages), Meta: result.Meta})
}

// appendError appends a result that reports an error to the model. Structured content of
// a tool with an OutputSchema would be of another form, and some clients then show nothing.
func (r *request) appendError(ctx context.Context, dst []byte, message string, data any) ([]byte, error) {
	result := &Result{IsError: true, Content: []prompts.Content{&prompts.Text{Text: message}}}
	if t := r.server.own[r.tool]; t == nil || t.output == nil {
		if object := withMessage(message, data); object != nil {
			result.Structured = object
		}
	}
	return r.appendResult(ctx, dst, result)
}

// withMessage returns the JSON of the data with the message as its first member, because
// some clients show the model nothing else. It returns nil if the data is not an object,
// or if it has a message of its own.
func withMessage(message string, data any) json.RawMessage {
	object, err := jsonenc.Append(nil, data)
	if err != nil || object[0] != '{' {
		return nil
	}
	var doc strictjson.Doc
	if doc.Parse(string(object), jsonenc.MaxDepth) != nil || doc.Root().Get("message").Kind() != strictjson.Invalid {
		return nil
	}
	whole := strictjson.AppendString([]byte(`{"message":`), message)
	if len(object) > len("{}") {
		whole = append(whole, ',')
	}
	return append(whole, object[1:]...)
}

func (r *request) appendResult(ctx context.Context, dst []byte, result *Result) ([]byte, error) {
	dst = append(dst, '{')
	if result.IsError {
		dst = append(dst, `"isError":true`...)
	}
	content := result.Content
	if result.Structured != nil {
		structured, err := encodeStructured(result.Structured)
		if err != nil {
			return nil, err
		}
		if len(content) == 0 {
			content = []prompts.Content{&prompts.Text{Text: string(structured)}}
		}
		if r.rev.StructuredContent() {
			if result.IsError {
				dst = append(dst, ',')
			}
			dst = append(dst, `"structuredContent":`...)
			dst = append(dst, structured...)
		}
	}
	dst, err := promptfeature.AppendContent(ctx, dst, content, result.Meta)
	return append(dst, '}'), err
}

func encodeStructured(v any) ([]byte, error) {
	text, err := jsonenc.Append(nil, v)
	if err != nil {
		return nil, fmt.Errorf("structuredContent: %w", err)
	}
	if text[0] != '{' {
		return nil, errors.New("structuredContent is not a JSON object")
	}
	return text, nil
}

// unknownTool returns the error for a tool that does not exist or that the client may not see.
func (r *request) unknownTool(ctx context.Context, _ []byte, visible func(string) bool) ([]byte, error) {
	message, data := unknown("tool", r.tool, r.server.near(ctx, r.tool, r.server.all.Load(), visible))
	return nil, &prompts.Error{Code: prompts.CodeInvalidParams, Message: message, Data: data}
}

func unknown(kind, name, suggestion string) (string, map[string]string) {
	message := fmt.Sprintf("unknown %s %s", kind, phrase.Quote(name))
	data := map[string]string{kind: phrase.Clip(name, phrase.MaxEcho)}
	if suggestion != "" {
		message += fmt.Sprintf("; did you mean %q?", suggestion)
		data["suggestion"] = suggestion
	}
	return message, data
}

// near returns the tool name that was probably meant, or "".
func (s *server) near(ctx context.Context, name string, tools *ordmap.Map[*tool], visible func(string) bool) string {
	isVisible := func(t *tool) bool { return t.prompt == "" || visible == nil || visible(t.prompt) }
	return nearest.Visible(ctx, s.searches, name, tools.All(), visible != nil, isVisible)
}
