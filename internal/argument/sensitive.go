package argument

import (
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

// This file keeps the values of sensitive arguments, such as passwords, out of
// problems, forms and completions.

// Secrets returns the values of the sensitive arguments. The server removes them from everything
// that it writes. A text of the wrong type counts as well, since the client sent it as the secret.
// JSON null is no secret: its text would remove the word from every message.
func (p *Plan) Secrets(texts []Text) (secrets []string) {
	for i := range p.Arguments {
		isNull := p.Arguments[i].value.kind == schema.JSON && texts[i].Value == "null"
		if p.Arguments[i].Sensitive && texts[i].Value != "" && !isNull {
			secrets = append(secrets, texts[i].Value)
			if trimmed := p.Arguments[i].value.trim(texts[i].Value); trimmed != "" && trimmed != texts[i].Value {
				secrets = append(secrets, trimmed)
			}
		}
	}
	return secrets
}

// A path inside of the value would say which members the secret has.
func (a *Argument) withhold(p *Problem) {
	switch {
	case p.Reason == problem.Missing && p.Path == "":
	case p.Reason == problem.NotString:
		p.Message = "must be a JSON string"
	default:
		p.Message = "is not valid"
		if hint := a.value.hint(false); hint != "" {
			p.Message += " (" + hint + ")"
		}
	}
	if p.Path != "" {
		p.Allowed, p.More = nil, 0
	}
	p.Suggestion, p.Path, p.place, p.logged = "", "", "", ""
}
