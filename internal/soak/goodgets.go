package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// The codes that the server has for what clients do here.
const (
	codeParse       = -32700
	codeRequest     = -32600
	codeNoMethod    = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeHeader      = -32020
	codeUnsupported = -32022
)

func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }

// read reads a result, which it must be.
func (g *good) read(a answer, into any) bool {
	if a.err != nil {
		g.fault("an error instead of a result: %v %s", a.err, a.err.Data)
		return false
	}
	var kind struct {
		Type string `json:"resultType"`
	}
	if err := json.Unmarshal(a.result, &kind); err != nil || (kind.Type != "") != g.isModern() {
		g.fault("not a result of its revision: %.200s", a.result)
		return false
	}
	if err := json.Unmarshal(a.result, into); err != nil {
		g.fault("not a result: %v: %.200s", err, a.result)
		return false
	}
	return true
}

// texts checks that an answer is the prompt with these texts.
func (g *good) texts(a answer, what string, want ...string) {
	if got, ok := g.textsOf(a); ok && !slices.Equal(got, want) {
		g.fault("%s: %.200q instead of %.200q", what, got, want)
	}
}

func (g *good) textsOf(a answer) ([]string, bool) {
	var got struct {
		Messages []struct {
			Role    string `json:"role"`
			Content struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	}
	if !g.read(a, &got) {
		return nil, false
	}
	var all []string
	for _, m := range got.Messages {
		if m.Content.Type != "text" || m.Role != "user" && m.Role != "assistant" {
			g.fault("a message of %q is %q", m.Role, m.Content.Type)
		}
		all = append(all, m.Content.Text)
	}
	return all, true
}

// refused checks that an answer is an error with that code.
func (g *good) refused(a answer, code int, what string) {
	switch {
	case a.err == nil:
		g.fault("%s: a result instead of %d: %.200s", what, code, a.result)
	case a.err.Code != code || strings.Contains(a.err.Message, "on purpose"):
		g.fault("%s: %v instead of %d", what, a.err, code)
	}
}

// get asks for a prompt that has these texts.
func (g *good) get(name string, args object, want ...string) {
	if a, ok := g.ask(methodGet, object{"name": name, "arguments": args}, ""); ok {
		g.texts(a, name, want...)
	}
}

func topicOf(r *rand.Rand) string { return fmt.Sprintf("topic %d <é\"\\\n> 🌍", r.IntN(1000)) }

func (g *good) getStay(r *rand.Rand) {
	i := r.IntN(stays)
	name := stayName(i)
	switch i % forms {
	case formTyped:
		in := typed{Code: topicOf(r), Times: 1 + r.IntN(5)}
		g.get(name, object{"code": in.Code, "times": fmt.Sprint(in.Times)}, typedText(name, in))
	case formEnum:
		c := colours[r.IntN(len(colours))]
		g.get(name, object{"colour": c}, untypedText(name, c))
	case formSuggest:
		g.get(name, object{"city": "anywhere"}, untypedText(name, "anywhere"))
	default:
		topic := topicOf(r)
		g.get(name, object{"topic": topic, "unknown": "ignored"}, untypedText(name, topic))
	}
}

func (g *good) getLarge(r *rand.Rand) {
	name := stayName(r.IntN(stays/forms) * forms)
	topic := strings.Repeat("large ", 1<<10+r.IntN(8<<10))
	g.get(name, object{"topic": topic}, untypedText(name, topic))
}

func (g *good) getCached(r *rand.Rand) {
	topic := fmt.Sprint("topic ", r.IntN(10))
	g.get("do-cache", object{"topic": topic}, untypedText("do-cache", topic))
}

func (g *good) getSigned(r *rand.Rand) {
	topic := topicOf(r)
	g.get("do-sign", object{"topic": topic}, untypedText("do-sign", topic), "for "+g.who)
}

func (g *good) getIncluded(r *rand.Rand) {
	topic := topicOf(r)
	g.get("do-include", object{"topic": topic}, untypedText(stayName(0), topic))
}

func (g *good) getWait(*rand.Rand) {
	if a, ok := g.ask(methodGet, object{"name": "do-wait", "arguments": object{"for": "30ms"}}, "prompts/get that waits 30ms"); ok {
		g.texts(a, "do-wait", "waited 30ms")
	}
}

// getCome asks for a prompt that is there at odd versions.
func (g *good) getCome(r *rand.Rand) {
	i := r.IntN(comers)
	seen := g.catalogue.comers[i].spanOf()
	a, ok := g.ask(methodGet, object{"name": comeName(i)}, "")
	if !ok {
		return
	}
	seen = g.catalogue.comers[i].end(seen)
	if a.err != nil {
		if g.refused(a, codeParams, comeName(i)); !seen.hasParity(false) {
			g.fault("%s is there, and not found: %v", comeName(i), seen)
		}
		return
	}
	if v, ok := g.version1(a); ok && (v%2 == 0 || !seen.has(v)) {
		g.fault("%s has the version %d instead of %v", comeName(i), v, seen)
	}
}

func (g *good) getSwap(r *rand.Rand) {
	i := r.IntN(swaps)
	seen := g.catalogue.swaps[i].spanOf()
	a, ok := g.ask(methodGet, object{"name": swapName(i)}, "")
	if !ok {
		return
	}
	seen = g.catalogue.swaps[i].end(seen)
	if v, ok := g.version1(a); ok && !seen.has(v) {
		g.fault("%s has the version %d instead of %v", swapName(i), v, seen)
	}
}

// version1 returns the version that the only text of a prompt has.
func (g *good) version1(a answer) (int64, bool) {
	all, ok := g.textsOf(a)
	if !ok {
		return 0, false
	}
	v, ok := versionIn(strings.Join(all, " "))
	if !ok {
		g.fault("no version in %q", all)
	}
	return v, ok
}

func (g *good) getEven(r *rand.Rand) {
	name, topic := evenName(r.IntN(evens)), topicOf(r)
	if isEven(g.who) {
		g.get(name, object{"topic": topic}, untypedText(name, topic))
	} else if a, ok := g.ask(methodGet, object{"name": name, "arguments": object{"topic": topic}}, ""); ok {
		g.refused(a, codeParams, name)
	}
}

func (g *good) getUnknown(r *rand.Rand) {
	name := []string{"never", "", "stay-", "STAY-000", "stay-000 "}[r.IntN(5)]
	if name == "" { // in arguments rather
		if a, ok := g.ask(methodGet, object{"name": stayName(1), "arguments": object{"times": "9"}}, ""); ok {
			g.refused(a, codeParams, "bad arguments")
			if a.err != nil && strings.Count(string(a.err.Data), `"reason"`) != 2 {
				g.fault("not both problems: %s", a.err.Data)
			}
		}
		return
	}
	if a, ok := g.ask(methodGet, object{"name": name}, ""); ok {
		g.refused(a, codeParams, name)
	}
}

func (g *good) getPanic(*rand.Rand) {
	if a, ok := g.ask(methodGet, object{"name": "do-panic"}, ""); ok {
		g.refused(a, codeInternal, "do-panic")
	}
}

// getSteps wants at least the last report before the answer: newer ones take
// the place of those that have not been sent.
func (g *good) getSteps(*rand.Rand) {
	a, ok := g.ask(methodGet, object{"name": "do-steps"}, "")
	if !ok {
		return
	}
	g.texts(a, "do-steps", "five steps")
	if n := len(a.progress); n == 0 || a.progress[n-1] != 5 {
		g.fault("do-steps: its progress is %v", a.progress)
	}
}

func (g *good) ping(*rand.Rand) {
	if g.isModern() {
		var got struct {
			Versions []string `json:"supportedVersions"`
		}
		if a, ok := g.ask("server/discover", nil, ""); ok && g.read(a, &got) && !slices.Contains(got.Versions, modern) {
			g.fault("server/discover: %s", a.result)
		}
		return
	}
	if a, ok := g.ask("ping", nil, ""); ok && string(a.result) != "{}" {
		g.fault("ping: %s %v", a.result, a.err)
	}
}

func (g *good) complete(r *rand.Rand) {
	var ref object
	var want []string
	if r.IntN(2) == 0 {
		typed := "city-" + string(rune('a'+r.IntN(11)))
		ref = refTo(stayName(r.IntN(stays/forms)*forms+formSuggest), "city", strings.ToUpper(typed[:2])+typed[2:])
		for _, city := range cities {
			if strings.HasPrefix(city, typed) {
				want = append(want, city)
			}
		}
	} else {
		ref = refTo(stayName(r.IntN(stays/forms)*forms+formEnum), "colour", "g")
		want = []string{"green"}
	}
	var got struct {
		Completion struct {
			Values  []string `json:"values"`
			Total   int      `json:"total"`
			HasMore bool     `json:"hasMore"`
		} `json:"completion"`
	}
	if a, ok := g.ask(methodComplete, ref, ""); ok && g.read(a, &got) {
		if c := got.Completion; !slices.Equal(c.Values, want) || c.Total != len(want) || c.HasMore {
			g.fault("completion of %v: %s", ref["argument"], a.result)
		}
	}
}
