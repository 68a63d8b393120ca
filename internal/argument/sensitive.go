package argument

import (
	"errors"
)

// This file keeps the values of sensitive arguments, such as passwords, out of
// problems, forms and completions.

// Secrets returns the values of the sensitive arguments.
func (p *Plan) Secrets(texts []Text) (secrets []string) {
	for i := range p.Arguments {
		if p.Arguments[i].Sensitive && texts[i].Value != "" {
			secrets = append(secrets, texts[i].Value)
		}
	}
	return secrets
}

// withhold removes the value from a problem. What is valid remains.
func (a *Argument) withhold(p *Problem) {
	switch p.Reason {
	case ReasonMissing:
	case reasonNotString:
		p.Message = "must be a JSON string"
	default:
		p.Message = "is not valid"
		if hint := a.value.hint(false); hint != "" {
			p.Message += " (" + hint + ")"
		}
	}
	p.Suggestion, p.inElement = "", false
}

// checkSensitive returns an error for a declaration that shows the value.
func (a *Argument) checkSensitive() error {
	if a.Sensitive && a.hasDefault {
		return errors.New("a sensitive argument cannot have a default; remove one of the two")
	}
	return nil
}
