package servertest

import (
	"context"
	"encoding/json"

	"github.com/mcp-prompts/prompts/feature"
)

// Method is the Func of a feature.Method.
type Method = func(ctx context.Context, params json.RawMessage) (any, error)

// Methods returns the feature with the methods.
func Methods(methods map[string]Method) []feature.Feature {
	f := feature.Feature{Methods: map[string]feature.Method{}}
	for name, m := range methods {
		f.Methods[name] = feature.Method{Func: m}
	}
	return []feature.Feature{f}
}

// Capabilities returns the feature with the capabilities.
func Capabilities(capabilities map[string]any) []feature.Feature {
	return []feature.Feature{{Capabilities: func(string, bool) map[string]any { return capabilities }}}
}

// Both returns the feature with the methods and the capabilities.
func Both(methods map[string]Method, capabilities map[string]any) []feature.Feature {
	f := Methods(methods)
	f[0].Capabilities = Capabilities(capabilities)[0].Capabilities
	return f
}
