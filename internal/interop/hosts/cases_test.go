//go:build unix

package hosts_test

import (
	"cmp"
	"fmt"
	"strings"
)

// testCase is one use of a prompt, or of its tool.
type testCase struct {
	name   string
	prompt string
	words  []string // what the user types after the prompt
	json   string   // the arguments of the prompt's tool
	calls  []string // the arguments of several calls, one after the other
	inCI   bool
	asks   bool   // the server asks the user
	mode   string // what the server has, if it is not what the host needs, see [host.options]
	tool   string // the tool of the server to call, if it is not that of the prompt
	// ownTool is a tool of the host and its arguments.
	ownTool string
	want    []string // parts of what the model is to get
}

// line returns the prompt and its arguments as the user types them after the host's
// prefix.
func (c *testCase) line(prompt string) string {
	for _, w := range c.words {
		if strings.Contains(w, " ") {
			w = `"` + w + `"`
		}
		prompt += " " + w
	}
	return prompt
}

// call returns what the user says to have the model call the tool.
func (c *testCase) call(prefix string) string {
	if c.ownTool != "" {
		return "Call tool " + c.ownTool
	}
	return strings.TrimSpace("Call tool " + prefix + c.toolName() + " " + c.json + strings.Join(c.calls, " "))
}

// callBy is call for a host with one tool that calls all others. format is that of its
// arguments: the name of a tool, and the arguments of that.
func (c *testCase) callBy(tool, format string) string {
	if c.ownTool != "" {
		return c.call("")
	}
	calls := c.calls
	if calls == nil {
		calls = []string{cmp.Or(c.json, "{}")}
	}
	text := "Call tool " + tool
	for _, arguments := range calls {
		text += " " + fmt.Sprintf(format, c.toolName(), arguments)
	}
	return text
}

func (c *testCase) toolName() string { return cmp.Or(c.tool, toolName(c.prompt)) }

// changing is the case in which the lists of prompts and tools change.
const changing = "list_changed"

// skill is the case in which the model reads a skill by a tool of the host. A host that has
// no such tool gets a prompt.
const skill = "skill"

// pieces returns the arguments of the calls that get a long text in 20 pieces.
func pieces() (all []string) {
	for n := range 20 {
		all = append(all, fmt.Sprintf(`{"name":"piece","arguments":{"from":"%d"}}`, 100*n+1))
	}
	return all
}

var cases = []testCase{
	{name: "no argument", prompt: "hello", want: []string{"HELLO-TEXT"}},
	{name: "two arguments", prompt: "two", words: []string{"a", "b"}, json: `{"arg1":"a","arg2":"b"}`, inCI: true, want: []string{"TWO arg1=[a] arg2=[b]"}},
	{name: "quoted", prompt: "two", words: []string{"a b", "c d"}, json: `{"arg1":"a b","arg2":"c d"}`, want: []string{"TWO arg1=[a b] arg2=[c d]"}},
	{name: "Unicode", prompt: "two", words: []string{"ä", "日本🙂"}, json: `{"arg1":"ä","arg2":"日本🙂"}`, want: []string{"TWO arg1=[ä] arg2=[日本🙂]"}},
	{name: "missing", prompt: "two", words: []string{"a"}, json: `{"arg1":"a"}`, want: []string{"arg2 is required"}},
	{name: "too many", prompt: "two", words: []string{"a", "b", "c", "d"}, json: `{"arg1":"a","arg2":"b","arg3":"c"}`, want: []string{"TWO arg1=[a] arg2=[b"}},
	{name: "optional left out", prompt: "opt", words: []string{"a"}, json: `{"topic":"a"}`, want: []string{"OPT topic=[a] style=[plain] note=[]"}},
	{name: "optional by position", prompt: "opt", words: []string{"a", "fancy"}, json: `{"topic":"a","style":"fancy"}`, want: []string{"OPT topic=[a] style=[fancy] note=[]"}},
	{name: "all optional", prompt: "opts", words: []string{"a", "b"}, json: `{"lang":"a","style":"b"}`, want: []string{"OPTS lang=[a] style=[b]"}},
	{name: "third optional", prompt: "three", words: []string{"1", "2", "3"}, json: `{"a":"1","b":"2","c":"3"}`, want: []string{"THREE a=[1] b=[2] c=[3]"}},
	{name: "enum", prompt: "lang", words: []string{"go"}, json: `{"lang":"go"}`, want: []string{"LANG lang=[go]"}},
	{name: "wrong enum", prompt: "lang", words: []string{"cobol"}, json: `{"lang":"cobol"}`, inCI: true, want: []string{"must be one of go, python, rust"}},
	{name: "enum compared", prompt: "iflang", words: []string{"go"}, json: `{"lang":"go"}`, want: []string{"IFLANG GO"}},
	{name: "number", prompt: "sized", words: []string{"3"}, json: `{"size":3}`, want: []string{"SIZED size=[3]"}},
	{name: "enum in Go", prompt: "golang", words: []string{"go"}, json: `{"lang":"go"}`, want: []string{"GOLANG lang=[go]"}},
	{name: "several roles", prompt: "roles", inCI: true, want: []string{"ROLE-USER-1", "ROLE-ASSISTANT-2", "ROLE-USER-3"}},
	{name: "image", prompt: "image", want: []string{"image/png", "IMAGE-TEXT"}},
	{name: "audio", prompt: "audio", want: []string{"AUDIO-TEXT", "audio/wav"}},
	{name: "resource", prompt: "resource", want: []string{"EMBEDDED-TEXT", "RESOURCE-TEXT"}},
	{name: "link", prompt: "link", want: []string{"test://linked", "LINK-TEXT"}},
	{name: "long text", prompt: "long"},
	{name: "long texts", prompt: "parts"},
	{name: "syntax of hosts", prompt: "syntax", want: []string{"SYNTAX-TEXT", "cost $1, all $ARGUMENTS,", "`echo RAN`"}},
	{name: "failure", prompt: "fail", want: []string{"ticket ABC-1 does not exist"}},
	{name: "question", prompt: "ask", asks: true, want: []string{"ASKED context="}},
	{name: "odd name", prompt: "team:review/go.md", want: []string{"ODD-NAME-TEXT"}},
	{name: "Unicode name", prompt: "grüße", want: []string{"UNICODE-NAME-TEXT"}},
	{name: changing, prompt: "add", inCI: true},
	{name: "tool of a prompt", prompt: "two", mode: "each", tool: "two", json: `{"arg1":"a","arg2":"b"}`, want: []string{"TWO arg1=[a] arg2=[b]"}},
	{name: "image of a tool", mode: "each", tool: "image", want: []string{"image/png", "IMAGE-TEXT"}},
	{name: "audio of a tool", mode: "each", tool: "audio", want: []string{"audio/wav", "AUDIO-TEXT"}},
	{name: "link of a tool", mode: "each", tool: "link", want: []string{"test://linked", "LINK-TEXT"}},
	{name: "long text of a tool", mode: "each", tool: "long"},
	{name: "long texts of a tool", mode: "each", tool: "parts"},
	{name: "list of the pair", mode: "pair", tool: "list_prompts", want: []string{"A prompt with two required arguments"}},
	{name: "get of the pair", mode: "pair", tool: "get_prompt", json: `{"name":"two","arguments":{"arg1":"a","arg2":"b"}}`, want: []string{"TWO arg1=[a] arg2=[b]"}},
	{name: "long text by pieces", mode: "pieces", tool: "get_prompt", calls: pieces()},
	{name: "wrong enum by the pair", mode: "pair", tool: "get_prompt", json: `{"name":"lang","arguments":{"lang":"cobol"}}`, want: []string{"must be one of go, python, rust"}},
	{name: "prompt 101 of 300", prompt: "p101", mode: "pages", want: []string{"THIS IS p101"}},
	{name: skill, prompt: "hello", mode: "skills", want: []string{"REFUND-SKILL-TEXT"}},
}
