package argument

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mcp-prompts/prompts/internal/phrase"
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

// readSensitive reads the tag that makes an argument sensitive.
func (f *structField) readSensitive(inJSON bool) error {
	text, ok := f.tag.Lookup("sensitive")
	if !ok {
		return nil
	}
	var err error
	if f.sensitive, err = strconv.ParseBool(text); err != nil || text != "true" && text != "false" {
		return fmt.Errorf("tag sensitive must be true or false, got %q", phrase.Clip(text, 64))
	}
	if inJSON && f.sensitive {
		return errors.New("tag sensitive applies to arguments, not to members of JSON; tag the argument")
	}
	return nil
}
