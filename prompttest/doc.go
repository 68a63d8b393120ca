// Package prompttest tests prompts, servers and transports:
//
//	func TestPrompts(t *testing.T) {
//		c := prompttest.New(t, registry())
//		got := c.Get("code_review", map[string]string{"code": "x := 1", "language": "go"})
//		prompttest.Golden(t, "testdata/code_review.golden", got)
//
//		err := c.GetError("code_review", map[string]string{"language": "cobol"})
//		if reasons := problem.Reasons(err); reasons["code"] != problem.Missing || reasons["language"] != problem.Enum {
//			t.Error(err)
//		}
//	}
//
// # Clients
//
// A [Client] gets prompts through the whole stack, in one protocol version, and
// validates every message. Create one with
//
//   - [New] for a registry;
//   - [Serve] for your own server, with its middleware and filters. Their context is
//     ClientOptions.Context;
//   - [NewClient] for the client's side of any transport.
//
// A failure ends the test with a message: an unexpected error with all its problems, a missing,
// late or malformed response, or a closed connection. If the server violates the protocol, the
// message ends with the id of the rule in docs/ledger.md, such as (CNT-09) for a priority of 2.
// Members that only a later version has, such as ttlMs, are no violation: the client logs each
// once. No wait is longer than ClientOptions.Timeout. The client and its server end with the test
// and leave no goroutine. In a bubble of testing/synctest, waiting takes no time.
//
// If a prompt asks the user, ClientOptions.Answer answers, in every protocol version:
//
//	c := prompttest.Serve(t, srv, prompttest.ClientOptions{Answer: func(q prompttest.Question) any {
//		if q.Message == "Which release?" {
//			return prompttest.Accept(map[string]any{"version": "1.2.0"})
//		}
//		return prompttest.Decline()
//	}})
//
// To wait for a change of the list, without a sleep:
//
//	c.Listen()
//	reg.Remove("old")
//	c.WaitChanged()
//
// [Client.Call] sends other methods. [Client.Send] and [Client.Receive] exchange raw, possibly
// invalid messages. [Versions] lists the protocol versions, for a test of each.
//
// # Golden files
//
// [Golden] compares a result with a file. To write the files, run
//
//	go test ./prompts -run TestPrompts -update
//
// Only packages that import this package have the flag, so do not combine -update with ./... . If
// your test package has a flag -update, replace the flag with [Updating].
//
// # Checks
//
// Each check covers all prompts of a registry and reports every finding with the
// prompt, the argument and a fix:
//
//   - [CheckArguments]: every argument affects the output, and no value breaks a prompt;
//   - [CheckEnums]: every declared value renders, and so does a prompt without optional arguments;
//   - [CheckDoc]: the table of prompts in a document is current;
//   - [CheckTools]: the tools in the prompts exist;
//   - [CheckPortable]: the features that known clients do not show;
//   - [CheckSensitive]: no value of a Sensitive argument comes out.
//
// Package promptfs/promptfstest checks folders: the cases of test files, and skills.
//
// The checks render prompts with values from CheckOptions.Examples, or with generated values.
//
// To test prompts as tools of package prompttools, set ClientOptions.ToolName: Get,
// golden files and checks then use tools/call. [Client.CallTool] calls any tool.
//
// [CheckObserver] tests an observer of the application, and [CheckTransport] a transport.
//
// This package imports testing, so import it only in test files.
package prompttest
