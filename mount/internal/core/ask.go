package core

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts"
)

// Ask sends the input requests of an SDK's handler to the client, with prompts.Ask, and
// decodes the responses into responses. A declined or canceled request has a response,
// too, because handlers of SDKs check the action.
//
// Both requests and responses encode to JSON objects by key. unique returns the key for
// prompts.Ask, for which the same key is the same question.
func Ask(ctx context.Context, requests any, unique func(key string) string, responses any) error {
	raw, err := json.Marshal(requests)
	if err != nil {
		return err
	}
	var wire map[string]struct {
		Method string           `json:"method"`
		Params *json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	answers := make(map[string]*prompts.Answer[json.RawMessage], len(wire))
	var questions []prompts.Question
	for _, key := range slices.Sorted(maps.Keys(wire)) {
		var params any
		if wire[key].Params != nil {
			params = *wire[key].Params
		}
		answers[key] = prompts.InputRequest(unique(key), wire[key].Method, params)
		questions = append(questions, answers[key])
	}
	err = prompts.Ask(ctx, questions...)
	if err != nil && !errors.Is(err, prompts.ErrDeclined) && !errors.Is(err, prompts.ErrCanceled) {
		return err
	}
	results := make(map[string]json.RawMessage, len(answers))
	for key, answer := range answers {
		switch err := answer.Err(); {
		case errors.Is(err, prompts.ErrDeclined):
			results[key] = json.RawMessage(`{"action":"decline"}`)
		case errors.Is(err, prompts.ErrCanceled):
			results[key] = json.RawMessage(`{"action":"cancel"}`)
		case err != nil:
			return err
		default:
			results[key] = answer.Value
		}
	}
	if raw, err = json.Marshal(results); err != nil {
		return err
	}
	return json.Unmarshal(raw, responses)
}
