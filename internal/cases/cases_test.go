package cases_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
)

// parseJSON is a parser for tests, in which a value is on the line of its number: the
// parser of YAML is in a module of its own.
func parseJSON(_ string, content []byte) (json.RawMessage, func(string) int, error) {
	if !json.Valid(content) {
		return nil, nil, errors.Join(errors.New("one"), errors.New("two"))
	}
	return content, func(string) int { return 7 }, nil
}

// TestNew checks that each mistake in a test file is reported with its line and the fix,
// and that cases without mistakes are kept.
func TestNew(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`null`:                                   "file is empty; write cases: and the cases below it",
		`[]`:                                     "file must be key: value pairs, got an empty list; write lines such as prompt: …",
		`{}`:                                     "file has no cases; write cases: and the cases below it",
		`{"cases":[]}`:                           "cases must be a list with elements, got an empty list; write a list, or remove the key",
		`{"case":[{"name":"a"}]}`:                `unknown key "case" in file; did you mean "cases"?`,
		`{"cases":["a"]}`:                        `case 1 must be key: value pairs, got "a"; write lines such as name: …`,
		`{"cases":[{}]}`:                         "case 1 has no name; write name: and a name",
		`{"cases":[{"name":""}]}`:                `name must be a text, got ""; write a text`,
		`{"cases":[{"name":"a\nb"}]}`:            "name must be one line of at most 200 bytes; write a short name on one line",
		`{"cases":[{"name":"a"},{"name":"a"}]}`:  `duplicate case "a" (first defined on line 7); rename one`,
		`{"cases":[{"name":"a","argument":{}}]}`: `unknown key "argument" in case 1; did you mean "arguments"?`,
		`{"cases":[{"name":"a","arguments":null}]}`:                                       "arguments is empty; write a value, or remove the key",
		`{"cases":[{"name":"a","arguments":"x"}]}`:                                        `arguments must be key: value pairs, got "x"; write lines such as code: x := 1`,
		`{"cases":[{"name":"a","arguments":{"x":null}}]}`:                                 `argument "x" has no value; write a value, "" for an empty one, or remove the argument`,
		`{"cases":[{"name":"a","answers":[{"action":"yes"}]}]}`:                           `unknown action "yes"; use one of: accept, decline, cancel`,
		`{"cases":[{"name":"a","answers":[{"content":[]}]}]}`:                             "content must be key: value pairs, got an empty list; write lines such as version: 1.2.0",
		`{"cases":[{"name":"a","answers":[{"action":"cancel","content":{}}]}]}`:           "answer with the action cancel has no content; remove content, or the action",
		`{"cases":[{"name":"a","tags":{}}]}`:                                              "tags must be a list with elements, got key: value pairs; write a list, or remove the key",
		`{"cases":[{"name":"a","expect":{}}]}`:                                            "expect is empty; write a key such as contains, or remove expect",
		`{"cases":[{"name":"a","expect":{"contain":["x"]}}]}`:                             `unknown key "contain" in expect; did you mean "contains"?`,
		`{"cases":[{"name":"a","expect":{"contains":[""]}}]}`:                             `element of contains must be a text, got ""; write a text`,
		`{"cases":[{"name":"a","expect":{"matches":"("}}]}`:                               "matches: missing closing ): `(`; correct the regular expression, in single quotes",
		`{"cases":[{"name":"a","expect":{"messages":"2"}}]}`:                              `messages must be a non-negative integer, got "2"; write a number, for example messages: 2`,
		`{"cases":[{"name":"a","expect":{"maxCharacters":-1}}]}`:                          `maxCharacters must be a non-negative integer, got "-1"; write a number, for example maxCharacters: 2`,
		`{"cases":[{"name":"a","expect":{"roles":["usr"]}}]}`:                             `unknown role "usr"; did you mean "user"?`,
		`{"cases":[{"name":"a","expect":{"json":"yes"}}]}`:                                `json must be true, got "yes"; write json: true, or remove the key`,
		`{"cases":[{"name":"a","expect":{"equals":"../../x"}}]}`:                          `equals must be a file in the folder, got "../../x"; write a path with / from the folder of the test file, such as code.golden`,
		`{"cases":[{"name":"a","expect":{"equals":"/etc/passwd"}}]}`:                      `equals must be a file in the folder, got "/etc/passwd"; write a path with / from the folder of the test file, such as code.golden`,
		`{"cases":[{"name":"a","expect":{"equals":".env"}}]}`:                             `equals must not have a name that begins with a dot, got ".env"; rename the file`,
		`{"cases":[{"name":"a","expect":{"equals":".git/config"}}]}`:                      `equals must not have a name that begins with a dot, got ".git/config"; rename the file`,
		`{"cases":[{"name":"a","expect":{"equals":"..env"}}]}`:                            `equals must not have a name that begins with a dot, got "..env"; rename the file`,
		`{"cases":[{"name":"a","expect":{"equals":"code.md"}}]}`:                          `equals must not be a prompt or a test file, got "code.md"; write a name such as code.golden`,
		`{"cases":[{"name":"a","expect":{"error":"mising"}}]}`:                            `unknown error "mising"; write the argument and the reason, such as {code: missing}, or one of: unknown, internal`,
		`{"cases":[{"name":"a","expect":{"error":{"x":"mising"}}}]}`:                      `unknown reason "mising"; did you mean "missing"?`,
		`{"cases":[{"name":"a","expect":{"error":true}}]}`:                                `error must be argument: reason pairs, got "true"; write the argument and the reason, such as {code: missing}`,
		`{"cases":[{"name":"a","expect":{"error":"unknown","messages":1}}]}`:              "expect has error and other keys, but an error has no messages; remove error, or the other keys",
		`{"cases":[{"name":"a","answer":{}}]}`:                                            "answer is empty; write a key such as contains, or remove answer",
		`{"cases":[{"name":"a","answer":{"schema":{"type":1}}}]}`:                         "invalid schema: ",
		`{"cases":[{"name":"a","answer":{"schema":{"$ref":"https://example.com/x"}}}]}`:   "invalid schema: ",
		`{"cases":[{"name":"a","answer":{"schema":{"$ref":"#"}}}]}`:                       "invalid schema: schema reference loop: ",
		`{"cases":[{"name":"a","answer":{"schema":{"allOf":[{"$ref":"#"}]}}}]}`:           "invalid schema: schema reference loop: ",
		`{"cases":[{"name":"a","answer":{"schema":{"type":"objekt"}}}]}`:                  `invalid schema: unknown type "objekt"`,
		`{"cases":[{"name":"a","answer":{"contains":"x"},"expect":{"error":"unknown"}}]}`: "case expects an error, and so there is no answer of a model; remove one of the two",
	} {
		_, errs := cases.New("review/code.test.yaml", []byte(content), parseJSON)
		if assert.NotEmpty(t, errs, content) {
			assert.Contains(t, errs[0].Error(), "review/code.test.yaml:7: "+want, content)
		}
	}
	f, errs := cases.New("review/code.test.yaml", []byte(`{"cases":[{"name":"a"},{"nam":"b"},{"name":"c","arguments":{"n":1.10,"list":["<",2]}}]}`), parseJSON)
	assert.Len(t, errs, 2) // the key, and the missing name
	assert.Equal(t, "review/code", f.Prompt)
	require.Len(t, f.Cases, 2)
	assert.Equal(t, map[string]string{"n": "1.10", "list": `["<",2]`}, f.Cases[1].Arguments)
	_, errs = cases.New("a.test.yaml", []byte("{"), parseJSON)
	assert.Len(t, errs, 2)
	many := strings.Repeat(`{"x":1},`, 300)
	_, errs = cases.New("a.test.yaml", []byte(`{"cases":[`+many+`{"name":"a"}]}`), parseJSON)
	assert.Len(t, errs, 101)
}

// TestLoad checks which files are test files, and that those of unreadable kinds are
// errors.
func TestLoad(t *testing.T) {
	t.Parallel()
	one := &fstest.MapFile{Data: []byte(`{"cases":[{"name":"a"}]}`)}
	files, errs := cases.Load(fstest.MapFS{
		"a.test.yaml": one, "b/c.test.yaml": one, "b/c.yaml": one, "_drafts/d.test.yaml": one, ".e.test.yaml": one,
		"skill/SKILL.md": one, "skill/data.test.yaml": one, "skill/deep/data.test.yaml": one,
		"dir.test.yaml/x": one, "large.test.yaml": {Data: make([]byte, 5<<20)}, "z.test.yml": one,
	}, parseJSON)
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{"a.test.yaml", "b/c.test.yaml"}, paths)
	require.Len(t, errs, 2)
	assert.EqualError(t, errs[1], "z.test.yml: name of a test file must end in .test.yaml, got z.test.yml; rename the file to z.test.yaml")
	assert.EqualError(t, errs[0], "large.test.yaml: file exceeds the limit of 4194304 bytes; write fewer cases")
}

// TestNames checks that a file with cases and another name is an error with the name that was meant.
func TestNames(t *testing.T) {
	t.Parallel()
	one := &fstest.MapFile{Data: []byte("cases:\n  - name: a\n    expect: {contains: b}\n")}
	_, errs := cases.Load(fstest.MapFS{
		"review.md": one, "one/review.md": one, "explain.md": one, "README.md": one, "_d.md": one,
		"reveiw.yaml": one, "review.spec.yml": one, "review-test.yaml": one, "test.yaml": one, "one/tests.yaml": one,
		"explain_test.yaml": {}, "other.json": one, "data.yaml": {Data: []byte("cases:\n  - a\n")}, "empty.yaml": {},
	}, parseJSON)
	var fixes []string
	for _, err := range errs {
		var e *cases.Error
		require.ErrorAs(t, err, &e)
		fixes = append(fixes, e.Path+": "+strings.TrimPrefix(e.Hint, "rename the file to "))
	}
	assert.Equal(t, []string{
		"explain_test.yaml: explain.test.yaml", "one/tests.yaml: one/review.test.yaml", "reveiw.yaml: review.test.yaml",
		"review-test.yaml: review.test.yaml", "review.spec.yml: review.test.yaml", "test.yaml: NAME.test.yaml",
	}, fixes)
}

// TestCheckNames checks that cases of unknown prompts and arguments are errors with the
// name that was meant.
func TestCheckNames(t *testing.T) {
	t.Parallel()
	render := func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil }
	var reg prompts.Registry
	require.NoError(t, reg.Add(
		prompts.Prompt{Name: "code_review", Source: "promptfs:review/code.md", Arguments: []prompts.Argument{{Name: "code"}}, Render: render},
		prompts.Prompt{Name: "explain", Source: "promptfs:explain.md", Render: render},
	))
	for content, want := range map[string]string{
		`{"cases":[{"name":"a"}]}`:                                                                               `[unknown prompt "review/code"; write prompt: code_review]`,
		`{"prompt":"explian","cases":[{"name":"a"}]}`:                                                            `[unknown prompt "explian"; did you mean prompt: explain?]`,
		`{"prompt":"code_review","cases":[{"name":"a","arguments":{"cod":"x"}}]}`:                                `[case "a" has the unknown argument "cod"; did you mean "code"?]`,
		`{"prompt":"explain","cases":[{"name":"a","arguments":{"cod":"x"}}]}`:                                    `[case "a" has the unknown argument "cod"; remove the name]`,
		`{"prompt":"code_review","cases":[{"name":"a","expect":{"error":{"cod":"missing"}}}]}`:                   `[case "a" expects an error of the unknown argument "cod"; did you mean "code"?]`,
		`{"prompt":"code_review","cases":[{"name":"a","arguments":{"x":1},"expect":{"error":{"x":"unknown"}}}]}`: `[]`,
	} {
		f, errs := cases.New("review/code.test.yaml", []byte(content), parseJSON)
		require.Empty(t, errs)
		var got []string
		for _, err := range f.Check(cases.PromptsOf(&reg)) {
			_, text, _ := strings.Cut(err.Error(), ": ")
			got = append(got, text)
		}
		assert.Equal(t, want, fmt.Sprint(got), content)
	}
}

// caseOf returns a case with what is expected.
func caseOf(t *testing.T, members string) *cases.Case {
	t.Helper()
	f, errs := cases.New("p.test.yaml", []byte(`{"cases":[{"name":"a",`+members+`}]}`), parseJSON)
	require.Empty(t, errs, members)
	return f.Cases[0]
}

// TestCheck checks each expectation with messages that meet it and with others that do
// not.
func TestCheck(t *testing.T) {
	t.Parallel()
	golden := fstest.MapFS{
		"ok.golden":   {Data: []byte("=== user: text\r\nHello\r\n=== assistant: text\r\n{\"a\":1}\r\n")},
		"diff.golden": {Data: []byte("=== user: text\nHi\n")},
	}
	messages := prompts.Messages(prompts.User("Hello"), prompts.Assistant(`{"a":1}`))
	released := prompts.Messages(prompts.User("Hello"), prompts.Assistant(`{"a":1}`))
	released.Meta = prompts.Meta{"io.github.mcp-prompts/digest": "sha256:0"}
	block := prompts.Messages(prompts.User("See:\n````json\n{\"a\": 1}\n````\n```\nno\n```\n"))
	broken := prompts.Messages(prompts.User("```json\n{a: 1}\n```\n"))
	missing := &prompts.Error{Code: prompts.CodeInvalidParams, Message: "no", Data: map[string]any{"problems": []map[string]string{{"argument": "x", "reason": "missing", "message": "is required"}}}}
	unknown := &prompts.Error{Code: prompts.CodeInvalidParams, Message: "unknown prompt"}
	internal := &prompts.Error{Code: prompts.CodeInternalError, Message: "boom"}
	for _, c := range []struct {
		expect string
		result *prompts.Result
		err    *prompts.Error
		want   string
	}{
		{`"contains":["Hell","a"]`, messages, nil, ""},
		{`"contains":"hell"`, messages, nil, `contains: no message has "hell"`},
		{`"contains":"Hello\n{"`, messages, nil, `contains: no message has "Hello\n{"`},
		{`"excludes":["x"]`, messages, nil, ""},
		{`"excludes":["a"]`, messages, nil, `excludes: message 2 has "a"`},
		{`"matches":"^H.*o$"`, messages, nil, ""},
		{`"matches":"^h"`, messages, nil, `matches: no message matches ^h`},
		{`"messages":2,"roles":["user","assistant"],"maxCharacters":12`, messages, nil, ""},
		{`"messages":1`, messages, nil, "messages: expected 1, got 2"},
		{`"roles":["user"]`, messages, nil, "roles: expected user, got user, assistant"},
		{`"maxCharacters":11`, messages, nil, "maxCharacters: expected at most 11, got 12"},
		{`"equals":"ok.golden"`, messages, nil, ""},
		{`"equals":"ok.golden"`, released, nil, ""},
		{`"equals":"diff.golden"`, messages, nil, "equals: messages differ from diff.golden"},
		{`"equals":"no.golden"`, messages, nil, "equals: no.golden does not exist"},
		{`"json":true`, messages, nil, ""},
		{`"json":true`, block, nil, ""},
		{`"json":true`, broken, nil, "json: block of message 1 is not valid JSON: invalid character 'a' looking for beginning of object key string"},
		{`"json":true`, prompts.Messages(prompts.User("```json\n{}\n```\n```json\n{\"a\":")), nil, "json: block of message 1 is not valid JSON: unexpected end of JSON input"},
		{`"json":true`, prompts.Messages(prompts.User("x")), nil, "json: no message has a block that begins with ```json"},
		{`"contains":"x"`, nil, missing, "prompt returned an error: x: is required"},
		{`"contains":"x"`, nil, internal, "prompt returned an error: boom"},
		{`"error":{"x":"missing"}`, nil, missing, ""},
		{`"error":{"x":"enum"}`, nil, missing, "error: expected {x: enum}, got {x: missing}"},
		{`"error":{"x":"missing","y":"enum"}`, nil, missing, "error: expected {x: missing, y: enum}, got {x: missing}"},
		{`"error":{"x":"missing"}`, messages, nil, "error: expected {x: missing}, got no error"},
		{`"error":{"x":"missing"}`, nil, internal, "error: expected {x: missing}, got: boom"},
		{`"error":"unknown"`, nil, unknown, ""},
		{`"error":"unknown"`, nil, missing, "error: expected unknown, got {x: missing}"},
		{`"error":"internal"`, nil, internal, ""},
		{`"error":"internal"`, nil, unknown, "error: expected internal, got: unknown prompt"},
	} {
		var got []string
		for _, f := range caseOf(t, `"expect":{`+c.expect+`}`).Check(golden, c.result, c.err) {
			assert.Equal(t, 7, f.Line)
			got = append(got, f.Message)
		}
		assert.Equal(t, c.want, strings.Join(got, "\n"), c.expect)
	}
}

// TestCheckAnswer checks the expectations of a model's answer.
func TestCheckAnswer(t *testing.T) {
	t.Parallel()
	const schema = `"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`
	for _, c := range []struct{ expect, answer, want string }{
		{`"contains":"fine","excludes":"bad","matches":"^It","maxCharacters":10`, "It is fine", ""},
		{`"matches":"^(yes|no)$","maxCharacters":3`, "yes\n", ""},
		{`"matches":"^(yes|no)$"`, "no\r\n", ""},
		{`"matches":"^(yes|no)$"`, "no\n\n", `matches: answer does not match ^(yes|no)$`},
		{`"contains":"fine"`, "bad", `contains: answer does not have "fine"`},
		{`"excludes":"bad"`, "so bad", `excludes: answer has "bad"`},
		{`"matches":"^x"`, "y", `matches: answer does not match ^x`},
		{schema, `{"a": 1}`, ""},
		{schema, "```json\n{\"a\": 1}\n```\n", ""},
		{schema, "```\n{\"a\": 1}\n```", ""},
		{schema, `{"a": "x"}`, "schema: answer is not as the schema says: "},
		{schema, `{"a": 1} and more`, "schema: answer is not as the schema says: text after the JSON"},
		{schema, `{"a": 1}}`, "schema: answer is not as the schema says: text after the JSON"},
		{schema, `{"a": 1}]`, "schema: answer is not as the schema says: text after the JSON"},
		{schema, "I think so", "schema: answer is not as the schema says: invalid character 'I'"},
	} {
		var got []string
		for _, f := range caseOf(t, `"answer":{`+c.expect+`}`).CheckAnswer(c.answer) {
			got = append(got, f.Message)
		}
		text := strings.Join(got, "\n")
		if c.want == "" {
			assert.Empty(t, text, c.answer)
		}
		assert.Contains(t, text, c.want, c.answer)
	}
}

// TestReplies checks that each question gets the answer that fits, and that answers and
// questions that are left are failures.
func TestReplies(t *testing.T) {
	t.Parallel()
	c := caseOf(t, `"answers":[{"message":"release","content":{"version":"1.2.0"}},{"action":"decline"}]`)
	r := c.Replies()
	assert.Equal(t, map[string]any{"action": "decline"}, r.Reply("Really?"))
	assert.Equal(t, map[string]any{"action": "accept", "content": json.RawMessage(`{"version":"1.2.0"}`)}, r.Reply("Which release?"))
	assert.Empty(t, r.Failures())
	assert.Equal(t, map[string]any{"action": "cancel"}, r.Reply("Why?"))
	assert.Equal(t, `answers: no answer to the question "Why?"`, r.Failures()[0].Message)
	r = c.Replies()
	r.Reply("x")
	assert.Equal(t, "answers: 1 more than the prompt asks questions", r.Failures()[0].Message)
}

// TestDir checks that no link of a folder leads to the content of a file elsewhere: neither
// as a test file nor as a golden file.
func TestDir(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte(`"secret text"`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.test.yaml"), []byte(`{"cases":[{"name":"a","expect":{"equals":"b.golden"}}]}`), 0o600))
	for link, target := range map[string]string{"a.test.yaml": outside, "b.golden": outside, "c.test.yaml": "missing", "d.test.yaml": "b.test.yaml"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	files, errs := cases.Load(cases.Dir(dir), parseJSON)
	require.Len(t, files, 2, "a link inside of the folder is a test file")
	require.Len(t, errs, 2)
	assert.ErrorContains(t, errs[0], "a.test.yaml: ")
	assert.ErrorContains(t, errs[0], "; replace the link")
	assert.ErrorContains(t, errs[1], "; remove the link, or write the file that the link names")
	failures := files[0].Cases[0].Check(cases.Dir(dir), prompts.Messages(prompts.User("x")), nil)
	require.Len(t, failures, 1)
	assert.Contains(t, failures[0].Message, "cannot read b.golden")
	assert.Empty(t, failures[0].Golden, "--update does not write through the link")
	for _, text := range []string{errs[0].Error(), errs[1].Error(), failures[0].Message, failures[0].Text, failures[0].Want} {
		assert.NotContains(t, text, "secret text")
	}
}
