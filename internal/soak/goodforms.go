package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"
)

// answerForms asks for a prompt that asks two questions, one after the other.
func (g *good) answerForms(r *rand.Rand) {
	topic := topicOf(r)
	first, second := colours[r.IntN(len(colours))], topicOf(r)
	declines := r.IntN(4) == 0
	decide := func(question string) object {
		switch {
		case question == "Which colour?":
			return object{"action": "accept", "content": object{"colour": first}}
		case declines:
			return object{"action": "decline"}
		default:
			return object{"action": "accept", "content": object{"colour": second}}
		}
	}
	g.mu.Lock()
	g.decide = decide
	g.mu.Unlock()
	params := object{"name": "do-ask", "arguments": object{"topic": topic}}
	const label = "prompts/get that asks"
	var a answer
	ok := false
	if g.isModern() {
		began := time.Now()
		a, ok = g.rounds(params, decide)
		g.place.rec.took(label, time.Since(began))
	} else {
		a, ok = g.ask(methodGet, params, label)
	}
	switch {
	case !ok:
	case g.version < "2025-06-18": // which cannot be asked
		g.refused(a, codeInternal, "do-ask")
	case declines:
		g.refused(a, codeParams, "do-ask")
	default:
		g.texts(a, "do-ask", topic+"/"+first+"/"+second)
	}
}

// required is a result that asks.
type required struct {
	Type     string `json:"resultType"`
	Requests map[string]struct {
		Method string `json:"method"`
		Params struct {
			Message string `json:"message"`
		} `json:"params"`
	} `json:"inputRequests"`
	State string `json:"requestState"`
}

// rounds asks again with answers, until there is a result.
func (g *good) rounds(params object, decide func(string) object) (answer, bool) {
	responses, state := object(nil), ""
	for range 4 {
		round := object{"name": params["name"], "arguments": params["arguments"]}
		if responses != nil {
			round["inputResponses"], round["requestState"] = responses, state
		}
		x, err := g.start(context.Background(), methodGet, round)
		if err != nil {
			g.fault("do-ask: %v", err)
			return answer{}, false
		}
		a, err := g.wait(x)
		if err != nil {
			g.fault("do-ask: %v", err)
			return answer{}, false
		}
		g.count(a)
		var asked required
		if a.err != nil || json.Unmarshal(a.result, &asked) != nil || asked.Type != "input_required" {
			return a, true
		}
		responses, state = object{}, asked.State
		for key, q := range asked.Requests {
			responses[key] = decide(q.Params.Message)
		}
		if len(responses) != 1 || state == "" {
			g.fault("do-ask: it does not ask one thing: %s", a.result)
		}
	}
	g.fault("do-ask: there is no end to its questions")
	return answer{}, false
}
