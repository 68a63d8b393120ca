package promptpreview

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/portable"
)

// maxOutline is the maximum size of an outline, in bytes.
const maxOutline = 1 << 20

// outline is what clients may have trouble with: a prompt and what it becomes, without its texts.
type outline struct {
	Name      string
	Arguments []struct {
		Name       string
		Required   bool
		Type       string // of the schema
		HasDefault bool
	}
	Messages []struct {
		Role prompts.Role
		Type string
	}
}

type finding struct {
	What   string `json:"what"`
	Effect string `json:"effect"`
	Source string `json:"source"`
}

type clientFindings struct {
	Client   string    `json:"client"`
	IsNone   bool      `json:"isNone"` // the client cannot use the prompt
	Findings []finding `json:"findings"`
}

func (h *Handler) showClients(w http.ResponseWriter, r *http.Request) {
	if !isMethod(w, r, http.MethodPost) {
		return
	}
	var o outline
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOutline)).Decode(&o); err != nil {
		http.Error(w, "invalid outline of the prompt", http.StatusBadRequest)
		return
	}
	var names []string
	for _, a := range o.Arguments {
		names = append(names, a.Name)
	}
	unprinted := portable.Unprinted(r.Context(), h.server, o.Name, names)
	p := &prompts.Prompt{Name: o.Name}
	for _, a := range o.Arguments {
		s := &jsonschema.Schema{Type: a.Type}
		if a.HasDefault {
			s.Default = json.RawMessage("null") // whatever the default is
		}
		p.Arguments = append(p.Arguments, prompts.Argument{Name: a.Name, Required: a.Required, Verbatim: !slices.Contains(unprinted, a.Name), Schema: s})
	}
	result := &prompts.Result{}
	for _, m := range o.Messages {
		content := contents[m.Type]
		if content == nil {
			content = &prompts.Text{}
		}
		result.Messages = append(result.Messages, prompts.Message{Role: m.Role, Content: content})
	}
	var answer struct {
		CheckedOn string           `json:"checkedOn"`
		Clients   []clientFindings `json:"clients"`
	}
	answer.CheckedOn = portable.CheckedOn
	for i := range portable.Rules {
		rule := &portable.Rules[i]
		if n := len(answer.Clients); n == 0 || answer.Clients[n-1].Client != rule.Client {
			answer.Clients = append(answer.Clients, clientFindings{Client: rule.Client, Findings: []finding{}})
		}
		c := &answer.Clients[len(answer.Clients)-1]
		if what := rule.Find(p, []*prompts.Result{result}); what != "" || rule.HasNoPrompts() {
			c.IsNone = c.IsNone || rule.IsTotal()
			c.Findings = append(c.Findings, finding{what, rule.Effect, rule.Source})
		}
	}
	writeJSON(w, answer)
}

// contents has an empty content for each type of the protocol but text, and for "blob", which is
// a resource with binary data.
var contents = map[string]prompts.Content{
	"image":         &prompts.Image{},
	"audio":         &prompts.Audio{},
	"resource":      &prompts.EmbeddedResource{},
	"blob":          &prompts.EmbeddedResource{Blob: []byte{}},
	"resource_link": &prompts.ResourceLink{},
}
