package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/mcp-prompts/prompts"
)

type Release struct {
	Version string `json:"version" jsonschema:"the version to announce"`
	Channel string `json:"channel,omitempty"`
}

func announce(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
	release, err := prompts.Elicit[Release](ctx, "release", "Which release?",
		prompts.Argument{Name: "channel", Enum: []string{"beta", "stable"}})
	if err != nil {
		return nil, err
	}
	return prompts.Messages(prompts.User("Announce " + release.Version + " on the " + release.Channel + " channel.")), nil
}

// fillIn stands for a client of revision 2025-11-25 whose user fills in a form.
func fillIn(content string) prompts.CallOptions {
	return prompts.CallOptions{
		Version:            "2025-11-25",
		ClientCapabilities: json.RawMessage(`{"elicitation":{}}`),
		Request: func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
			var asked struct{ Message string }
			if err := json.Unmarshal(params, &asked); err != nil {
				return nil, err
			}
			fmt.Println(method, "says:", asked.Message)
			return json.RawMessage(`{"action":"accept","content":` + content + `}`), nil
		},
	}
}

// printCall calls a method and prints the result or the error.
func printCall(ctx context.Context, srv *prompts.Server, method, params string, o prompts.CallOptions) {
	result, err := srv.Call(ctx, method, json.RawMessage(params), o)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Println(string(result))
}

// A prompt that asks the person at the other end.
func ExampleElicit() {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "announce", Render: announce})
	srv := prompts.MustNewServer(&reg, prompts.Options{})

	printCall(context.Background(), srv, "prompts/get", `{"name":"announce"}`, fillIn(`{"version":"1.2","channel":"beta"}`))
	// Output:
	// elicitation/create says: Which release?
	// {"messages":[{"role":"user","content":{"type":"text","text":"Announce 1.2 on the beta channel."}}]}
}

// In revision 2026-07-28 the client gets the question as the result, and sends
// its request again with the answer.
func ExampleAsk() {
	type size struct {
		Words int `json:"words"`
	}
	type tone struct {
		Tone string `json:"tone"`
	}
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "speech", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		words, how := prompts.Form[size]("size", "How long?"), prompts.Form[tone]("tone", "In which tone?")
		if err := prompts.Ask(ctx, words, how); err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(fmt.Sprintf("Write a %s speech of %d words.", how.Value.Tone, words.Value.Words))), nil
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	client := prompts.CallOptions{Version: "2026-07-28", ClientCapabilities: json.RawMessage(`{"elicitation":{"form":{}}}`)}

	asked, err := srv.Call(context.Background(), "prompts/get", json.RawMessage(`{"name":"speech"}`), client)
	if err != nil {
		log.Fatal(err)
	}
	var required struct {
		ResultType    string
		InputRequests map[string]struct{ Params struct{ Message string } }
		RequestState  string
	}
	if err := json.Unmarshal(asked, &required); err != nil {
		log.Fatal(err)
	}
	fmt.Println(required.ResultType)
	for _, key := range []string{"size", "tone"} {
		fmt.Println(key+":", required.InputRequests[key].Params.Message)
	}

	printCall(context.Background(), srv, "prompts/get", `{"name":"speech","inputResponses":{
		"size": {"action":"accept","content":{"words":300}},
		"tone": {"action":"accept","content":{"tone":"cheerful"}}
	},"requestState":"`+required.RequestState+`"}`, client)
	// Output:
	// input_required
	// size: How long?
	// tone: In which tone?
	// {"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"Write a cheerful speech of 300 words."}}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"prompts","version":"0"}}}
}

// A value that must stay the same while the client is asked.
func ExampleOnce() {
	open := func(context.Context) (string, error) { return "TICKET-7", nil }
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "ticket", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		ticket, err := prompts.Once(ctx, "ticket", open)
		if err != nil {
			return nil, err
		}
		release, err := prompts.Elicit[Release](ctx, "release", "Which release is "+ticket+" about?")
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(ticket + " is about " + release.Version + ".")), nil
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	printCall(context.Background(), srv, "prompts/get", `{"name":"ticket"}`, fillIn(`{"version":"1.2"}`))
	// Output:
	// elicitation/create says: Which release is TICKET-7 about?
	// {"messages":[{"role":"user","content":{"type":"text","text":"TICKET-7 is about 1.2."}}]}
}

// A client that cannot be asked gets what there is without asking.
func ExampleErrElicitationUnavailable() {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "announce", Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		result, err := announce(ctx, args)
		if errors.Is(err, prompts.ErrElicitationUnavailable) {
			return prompts.Messages(prompts.User("Announce the newest release.")), nil
		}
		return result, err
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	printCall(context.Background(), srv, "prompts/get", `{"name":"announce"}`, prompts.CallOptions{Version: "2024-11-05"})
	// Output:
	// {"messages":[{"role":"user","content":{"type":"text","text":"Announce the newest release."}}]}
}

// An argument that is completed by a function of what is filled in already.
func ExampleCompleteFunc() {
	cities := map[string][]string{"fr": {"Paris", "Pau", "Lyon"}, "de": {"Passau", "Kiel"}}
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{
		Name: "travel",
		Arguments: []prompts.Argument{{Name: "country"}, {Name: "city", Complete: func(_ context.Context, prefix string, args map[string]string) ([]string, error) {
			var some []string
			for _, city := range cities[args["country"]] {
				if strings.HasPrefix(city, prefix) {
					some = append(some, city)
				}
			}
			return some, nil
		}}},
		Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("Plan a trip to " + args["city"] + ".")), nil
		},
	})
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	printCall(context.Background(), srv, "completion/complete", `{
		"ref": {"type": "ref/prompt", "name": "travel"},
		"argument": {"name": "city", "value": "Pa"},
		"context": {"arguments": {"country": "fr"}}
	}`, prompts.CallOptions{Version: "2025-11-25"})
	// Output:
	// {"completion":{"values":["Paris","Pau"],"total":2,"hasMore":false}}
}

// A render function that says how far it is.
func ExampleProgress() {
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "digest", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "read the notes")
		return prompts.Messages(prompts.User("Sum it up.")), nil
	}})
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	_, err := srv.Call(context.Background(), "prompts/get", json.RawMessage(`{"name":"digest","_meta":{"progressToken":"t"}}`), prompts.CallOptions{
		Version: "2025-11-25",
		Notify:  func(method string, params json.RawMessage) { fmt.Println(method, string(params)) },
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// notifications/progress {"progressToken":"t","progress":1,"total":2,"message":"read the notes"}
}
