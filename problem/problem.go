// Package problem reads the problems with arguments from an error: in a middleware, in a test,
// or in a client of another MCP SDK.
//
//	for _, p := range problem.Of(err) {
//		if p.Reason == problem.Missing {
//			log.Printf("argument %s is missing", p.Argument)
//		}
//	}
package problem

import (
	"encoding/json"
	"errors"

	"github.com/mcp-prompts/prompts/transport"
)

// Reason is the rule that an argument breaks. Later versions may add reasons.
type Reason string

// The reasons, with the form of Problem.Allowed.
const (
	// Missing: the argument, or a member inside, is required and absent.
	Missing Reason = "missing"
	// Unknown: the prompt has no such argument, or the schema no such member. Allowed is an
	// array of the names of the members.
	Unknown Reason = "unknown"
	// NotString: the value is not a JSON string.
	NotString Reason = "not_string"
	// Type: the string cannot be converted to the argument's type.
	Type Reason = "type"
	// Enum: the value is not one of the allowed values. Allowed is an array of the first 100,
	// and More is the number of the others.
	Enum Reason = "enum"
	// Format: the value does not have the format. Allowed is the name of the format.
	Format Reason = "format"
	// Pattern: the value does not match the pattern. Allowed is the pattern.
	Pattern Reason = "pattern"
	// Length: the value has too few or too many characters, elements or members. Allowed is
	// an object with some of minLength, maxLength, minItems, maxItems, minProperties and
	// maxProperties.
	Length Reason = "length"
	// Range: the number is too small, too large, or not a valid multiple. Allowed is an
	// object with some of minimum, maximum, exclusiveMinimum, exclusiveMaximum and multipleOf,
	// and absent if the Go type sets the range.
	Range Reason = "range"
	// Schema: the value breaks another rule of the argument's schema.
	Schema Reason = "schema"
	// Refused: the render function, or UnmarshalText of the argument's type, rejects the
	// value with prompts.InvalidArgument.
	Refused Reason = "refused"
	// Placeholder: the client sent a placeholder, such as $1, in place of the value.
	Placeholder Reason = "placeholder"
)

// Problem is an error of one argument. Later versions may add fields.
type Problem struct {
	// Argument is the name of the argument, empty for all arguments of a tool together.
	Argument string `json:"argument"`
	// Path is the JSON Pointer of the place inside of the argument, such as
	// /filters/2/name. Default: empty, the argument itself.
	Path string `json:"path,omitempty"`
	// Reason is the rule that the argument breaks.
	Reason Reason `json:"reason"`
	// Message is the problem for people, as the end of a sentence that begins with the
	// argument. The text may change.
	Message string `json:"message"`
	// Allowed is the valid values as JSON, if they can be described: see [Reason].
	Allowed json.RawMessage `json:"allowed,omitempty"`
	// More is the number of values left out of Allowed.
	More int `json:"more,omitempty"`
	// Suggestion is a similar valid value or name, if one exists.
	Suggestion string `json:"suggestion,omitempty"`
}

// Of returns the problems of an error about arguments, 64 at most. The error may wrap the
// *prompts.Error. Without such an error, Of returns nil. The server makes such an error of what
// prompts.InvalidArgument returns: for the result of a render function that a test calls itself, Of
// returns nil.
//
// To read the error of a client of another MCP SDK, set Data of a *prompts.Error to the data as
// JSON, a [json.RawMessage].
func Of(err error) []Problem {
	var e *transport.Error
	if !errors.As(err, &e) || e == nil || e.Data == nil {
		return nil
	}
	var data struct {
		Problems []Problem `json:"problems"`
	}
	raw, err := json.Marshal(e.Data)
	if err != nil || json.Unmarshal(raw, &data) != nil {
		return nil // data of another error
	}
	return data.Problems
}

// Reasons returns the reasons of an error about arguments, by argument, and nil for any other
// error. If an argument has several problems, Reasons returns the last reason.
func Reasons(err error) map[string]Reason {
	var reasons map[string]Reason
	for _, p := range Of(err) {
		if reasons == nil {
			reasons = map[string]Reason{}
		}
		reasons[p.Argument] = p.Reason
	}
	return reasons
}
