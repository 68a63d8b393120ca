package hiddentest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/prompttools"
)

// Request is a request of a client, for any version and transport.
type Request struct {
	Method  string
	Members string // of params, as JSON without braces and without _meta
	Name    string // of the header Mcp-Name
	Meta    string // members of _meta, as JSON without braces
}

// Generator makes requests whose responses could reveal what is hidden: for hidden names, names
// near to them and visible names, with valid and invalid members.
type Generator struct {
	r       *rand.Rand
	cursors []string // of earlier responses
	states  []string
}

// NewGenerator returns a generator. It makes the same requests for the same seed and responses.
func NewGenerator(seed uint64) *Generator { return &Generator{r: rand.New(rand.NewPCG(seed, 50))} }

func pick[T any](g *Generator, from []T) T { return from[g.r.IntN(len(from))] }

func (g *Generator) name() string {
	switch g.r.IntN(4) {
	case 0:
		return pick(g, visible)
	case 1:
		return pick(g, near)
	}
	return pick(g, hidden)
}

// value is a value of an argument: often the name of the prompt, which a message could
// withhold as a secret.
func (g *Generator) value(name string) string {
	switch g.r.IntN(12) {
	case 0, 1, 2, 3:
		return jsonenc.Text(name)
	case 4:
		return jsonenc.Text(pick(g, hidden))
	case 5:
		return jsonenc.Text("a secret value")
	case 6:
		return pick(g, []string{`"red"`, `"blue"`, `"fail"`, `"include"`, `""`, `"unknown"`, `"prompt"`, `"x"`})
	case 7:
		return pick(g, []string{`1`, `null`, `true`, `[]`, `{"a":1}`, `-2.5`, `12345678901234567890`})
	case 8:
		return jsonenc.Text(prompttools.ToolName(name))
	case 9:
		if g.r.IntN(20) == 0 {
			return jsonenc.Text(strings.Repeat(name+" large ", 1<<10<<g.r.IntN(3)))
		}
	}
	return pick(g, []string{`"3"`, `"0"`, `"green"`, `"payroll"`})
}

// arguments returns the arguments of a request, or another JSON value.
func (g *Generator) arguments(name string) string {
	if g.r.IntN(12) == 0 {
		return pick(g, []string{`[]`, `null`, `1`, `"x"`, `{}`})
	}
	var all []string
	n := g.r.IntN(4)
	if g.r.IntN(40) == 0 {
		n = 60
	}
	names := slices.Clone(argumentNames)
	g.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i := range n {
		argument := fmt.Sprintf("n%d", i)
		if i < len(names) {
			argument = names[i]
		}
		all = append(all, jsonenc.Text(argument)+":"+g.value(name))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// retry are the members of a request that answers questions.
func (g *Generator) retry() string {
	members := ""
	if g.r.IntN(8) == 0 {
		members += `,"inputResponses":` + pick(g, []string{`{}`, `[]`, `null`, `{"q":{"action":"accept","content":{"color":"red"}}}`, `{"q":{"action":"decline"}}`, `{"prompt.arguments":{"action":"accept","content":{"x":"1"}}}`, `{"q":1}`, `{"q":{"action":"accept","content":{"color":1}}}`})
		if g.r.IntN(30) == 0 {
			members += `,"InputResponses":{}`
		}
	}
	switch g.r.IntN(16) {
	case 0:
		members += `,"requestState":` + pick(g, []string{`""`, `1`, `null`, `"AQ"`, `"` + strings.Repeat("A", stateBytes+4) + `"`})
	case 1, 2:
		if len(g.states) > 0 {
			members += `,"requestState":"` + pick(g, g.states) + `"`
		}
	}
	return members
}

func (g *Generator) cursor() string {
	switch g.r.IntN(6) {
	case 0:
		return ""
	case 1:
		return `"cursor":` + pick(g, []string{`""`, `1`, `null`, `"x"`, `{}`})
	case 2:
		if len(g.cursors) > 0 {
			return `"cursor":"` + pick(g, g.cursors) + `"`
		}
	}
	return `"cursor":"` + string(cursor.Append(nil, pick(g, []string{"", "tools", "prompts"}), g.name())) + `"`
}

// Next returns a request.
func (g *Generator) Next() Request {
	name := g.name()
	switch n := g.r.IntN(100); {
	case n < 40:
		if g.r.IntN(60) == 0 {
			return Request{Method: "prompts/get", Members: pick(g, []string{`"name":1`, `"Name":"payroll"`, `"name":"payroll","Arguments":{}`, ``})}
		}
		return Request{Method: "prompts/get", Members: `"name":` + jsonenc.Text(name) + g.given(name) + g.retry(), Name: name}
	case n < 58:
		members := `"ref":{"type":"ref/prompt","name":` + jsonenc.Text(name) + `},"argument":{"name":` + jsonenc.Text(pick(g, argumentNames)) + `,"value":` + g.value(name) + `}`
		if g.r.IntN(2) == 0 {
			members += `,"context":{"arguments":` + g.arguments(name) + `}`
		}
		return Request{Method: "completion/complete", Members: members}
	case n < 76:
		tool := prompttools.ToolName(name)
		return Request{Method: "tools/call", Members: `"name":` + jsonenc.Text(tool) + g.given(name) + g.retry(), Name: tool}
	case n < 86:
		arguments := `{"name":` + jsonenc.Text(name) + g.given(name) + `}`
		return Request{Method: "tools/call", Members: `"name":"get_prompt","arguments":` + arguments + g.retry(), Name: "get_prompt"}
	case n < 89:
		return Request{Method: "tools/call", Members: `"name":"list_prompts","arguments":{` + g.cursor() + `}`, Name: "list_prompts"}
	case n < 92:
		return Request{Method: pick(g, []string{"prompts/list", "tools/list"}), Members: g.cursor()}
	case n < 93:
		return Request{Method: pick(g, []string{"skills/list", "resources/list", "resources/templates/list"}), Members: g.cursor()}
	}
	uri := "skill://" + skillPath(name) + pick(g, []string{"/SKILL.md", "/data.txt", "/none.txt", "", "/"})
	method := pick(g, []string{"skills/get", "resources/read", "resources/directory/read", "resources/subscribe", "resources/unsubscribe"})
	return Request{Method: method, Members: `"uri":` + jsonenc.Text(uri), Name: uri}
}

func (g *Generator) given(name string) string {
	if g.r.IntN(6) == 0 {
		return ""
	}
	return `,"arguments":` + g.arguments(name)
}

var (
	cursorOf = regexp.MustCompile(`"nextCursor":"([^"]+)"`)
	stateOf  = regexp.MustCompile(`"requestState":"([^"]+)"`)
)

// kept is how many cursors and states the generator keeps.
const kept = 16

// Hear keeps the cursors and the states of a response, for later requests.
func (g *Generator) Hear(response string) {
	keep := func(all []string, found []string) []string {
		if found == nil {
			return all
		}
		return append(all[max(0, len(all)-kept+1):], found[1])
	}
	g.cursors = keep(g.cursors, cursorOf.FindStringSubmatch(response))
	g.states = keep(g.states, stateOf.FindStringSubmatch(response))
}

const (
	// Stateless is the version whose requests name it.
	Stateless = "2026-07-28"
	// Capabilities are those of the client.
	Capabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`

	stateBytes = 64 << 10 // of requestState
)

// Params returns the params of a request in a version.
func (r Request) Params(version string) string {
	var meta, members []string
	if version == Stateless {
		meta = append(meta, `"io.modelcontextprotocol/protocolVersion":"`+Stateless+`","io.modelcontextprotocol/clientCapabilities":`+Capabilities+`,"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"}`)
	}
	if r.Meta != "" {
		meta = append(meta, r.Meta)
	}
	if r.Members != "" {
		members = append(members, r.Members)
	}
	if meta != nil {
		members = append(members, `"_meta":{`+strings.Join(meta, ",")+"}")
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Line returns the request with an id.
func (r Request) Line(id int, version string) string {
	method, _ := json.Marshal(r.Method) // of a string, which does not fail
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s,"params":%s}`, id, method, r.Params(version))
}
