// Package prompttest tests prompts, and the servers and transports around them.
//
//	func TestPrompts(t *testing.T) {
//		c := prompttest.New(t, registry())
//		got := c.Get("code_review", map[string]string{"code": "x := 1", "language": "go"})
//		prompttest.Golden(t, "testdata/code_review.golden", got)
//
//		err := c.GetError("code_review", map[string]string{"language": "cobol"})
//		if reasons := prompttest.Reasons(err); reasons["code"] != "missing" || reasons["language"] != "enum" {
//			t.Error(err)
//		}
//	}
//
// # What a client gets
//
// A [Client] gets prompts as any client does: in bytes, through the whole stack,
// in one revision of the protocol. It reads them strictly, into the types of
// the library. There are three ways to make one:
//
//   - [New] serves a registry;
//   - [Serve] serves a server of the author's own, with its middleware and its
//     filters, whose functions find what they look for in ClientOptions.Context;
//   - [NewClient] takes the client's side of any transport. [Pipe] has both sides
//     of one in memory.
//
// Whatever goes wrong ends the test with a message that says what: an error
// where there should be none, with all of its problems; an answer that is
// missing, late, malformed or nobody's; a connection that ends. If the server
// breaks a rule of the protocol, the message ends with the id of the rule in
// docs/ledger.md, such as (CNT-09) for a priority of 2. Nothing waits
// for longer than ClientOptions.Timeout, and the end of the test is the end of
// the client and its server, which leave no goroutine. In a bubble of
// testing/synctest no time passes meanwhile.
//
// What a prompt asks, ClientOptions.Answer answers, in sessions and in revision
// 2026-07-28 alike:
//
//	c := prompttest.Serve(t, srv, prompttest.ClientOptions{Answer: func(q prompttest.Question) any {
//		if q.Message == "Which release?" {
//			return prompttest.Accept(map[string]any{"version": "1.2.0"})
//		}
//		return prompttest.Decline()
//	}})
//
// Changes of the list are waited for, without a sleep:
//
//	c.Listen()
//	reg.Remove("old")
//	c.WaitChanged(t.Context())
//
// [Client.Call] is for all other methods, and [Client.Send] and
// [Client.Receive] for messages that no client should send. [Versions] has the
// revisions, for a test of each.
//
// # Golden files
//
// [Golden] compares a result with a file, and -update writes it:
//
//	go test ./prompts -run TestPrompts -update
//
// The flag is for the packages that import this one; go test refuses it for
// others, so it is not for ./... as a whole. A test package that had a flag
// -update of its own takes [Updating] in its place.
//
// # Checks
//
// Each check looks at all prompts of a registry and reports everything that it
// finds, with the prompt, the argument and what to do:
//
//   - [CheckArguments]: every argument reaches the output;
//   - [CheckEnums]: every value that is declared renders, and so does a prompt
//     without its optional arguments;
//   - [CheckDoc]: the table of prompts in a document is current;
//   - [CheckTools]: the tools that prompts name are there;
//   - [CheckPortable]: what known clients cannot show.
//
// They render the prompts with values that they make up from what is declared,
// or that CheckOptions.Examples has.
//
// This package imports testing, so it belongs into test files.
package prompttest
