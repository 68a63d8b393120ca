package prompttemplate

import "github.com/mcp-prompts/prompts"

// values are what the arguments of a prompt without a struct are in a template,
// if any of them is more than its text.
type values struct{ texts, booleans []string } // names

func valuesOf(arguments []prompts.Argument) *values {
	v := &values{}
	for _, a := range arguments {
		if a.Schema != nil && a.Schema.Type == "boolean" {
			v.booleans = append(v.booleans, a.Name)
		} else {
			v.texts = append(v.texts, a.Name)
		}
	}
	return v
}

// of returns the data of a template. The text "false" would be true there.
func (v *values) of(args map[string]string) any {
	if len(v.booleans) == 0 {
		return args
	}
	data := make(map[string]any, len(v.texts)+len(v.booleans))
	for _, name := range v.texts {
		data[name] = args[name]
	}
	for _, name := range v.booleans {
		data[name] = args[name] == "true" // the one text that it has, beside false
	}
	return data
}
