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
		Name     string
		Required bool
		Schema   any
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
	IsNone   bool      `json:"isNone"` // the client shows no prompts at all
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
		p.Arguments = append(p.Arguments, prompts.Argument{Name: a.Name, Required: a.Required, Verbatim: !slices.Contains(unprinted, a.Name), Schema: schemaOf(a.Schema)})
	}
	result := &prompts.Result{}
	for _, m := range o.Messages {
		result.Messages = append(result.Messages, prompts.Message{Role: m.Role, Content: contentOf(m.Type)})
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
		c.IsNone = c.IsNone || rule.HasNoPrompts()
		if what := rule.Find(p, []*prompts.Result{result}); what != "" || rule.HasNoPrompts() {
			c.Findings = append(c.Findings, finding{what, rule.Effect, rule.Source})
		}
	}
	writeJSON(w, answer)
}

// schemaOf returns what the rules read of a schema: its own values, and those of its
// items. To unmarshal a [jsonschema.Schema] takes quadratic time in its depth.
func schemaOf(v any) *jsonschema.Schema {
	members, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	s := valuesOf(members)
	if items, ok := members["items"].(map[string]any); ok {
		s.Items = valuesOf(items)
	}
	return s
}

func valuesOf(members map[string]any) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	s.Type, _ = members["type"].(string)
	s.Enum, _ = members["enum"].([]any)
	if value, ok := members["const"]; ok {
		s.Const = &value
	}
	if _, ok := members["default"]; ok {
		s.Default = json.RawMessage("null") // whatever the default is
	}
	return s
}

// contentOf returns content of a type of the protocol, or of a resource with binary data
// for "blob".
func contentOf(kind string) prompts.Content {
	switch kind {
	case "image":
		return &prompts.Image{}
	case "audio":
		return &prompts.Audio{}
	case "resource":
		return &prompts.EmbeddedResource{}
	case "blob":
		return &prompts.EmbeddedResource{Blob: []byte{}}
	case "resource_link":
		return &prompts.ResourceLink{}
	}
	return &prompts.Text{}
}
