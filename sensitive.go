package prompts

import "github.com/mcp-prompts/prompts/internal/rpc"

// This file finds the requests that give a sensitive argument: see Argument.Sensitive.
// internal/rpc withholds the text of their failures, the encoder checks the links of
// their results, and internal/elicit their questions.

// addSecrets says that the request gives the values of the sensitive arguments in texts,
// which are by name. An undeclared argument may be a sensitive argument, misspelled.
func (d *definition) addSecrets(r *rpc.Request, texts map[string]string) {
	if !d.plan.HasSensitive {
		return
	}
	for name, text := range texts {
		if i := d.plan.Find(name); (i < 0 || d.plan.Arguments[i].Sensitive) && text != "" {
			r.AddSecrets(text)
		}
	}
}

// addValues says that the request gives these values of sensitive arguments, if any.
func addValues(r *rpc.Request, values []string) {
	if len(values) > 0 {
		r.AddSecrets(values...)
	}
}
