// Package prompttemplate declares prompts as templates of text/template:
//
//	p, err := prompttemplate.New(prompts.Prompt{
//		Name: "code_review",
//		Arguments: []prompts.Argument{
//			{Name: "code", Required: true},
//			{Name: "language"},
//		},
//	}, prompttemplate.Options{},
//		prompttemplate.User("Please review this{{with .language}} {{.}}{{end}} code:\n{{fence .language .code}}"))
//
// [New] checks the templates against the declared arguments. The result is a
// [prompts.Prompt], for the Add of a [prompts.Registry].
//
// # Data
//
// With [New], the data are the arguments by name: {{.code}}. For a name that is not an identifier,
// write {{index . "file-path"}}. A value has the type of the argument's schema:
//
//   - integer: an int. {{if gt .severity 3}} works;
//   - number: a float64;
//   - boolean: a bool. {{if .brief}} works;
//   - array: a slice of these types or of strings. {{range .focus}} works;
//   - any other type, including dates and durations: a string.
//
// A number is printed as in JSON: 2500000, with an exponent only below 0.000001 and
// from 1e21. A list is printed with commas: "speed, style". The functions print,
// println and printf with %v do the same.
//
// With [NewTyped], the data is a struct, and its fields have their Go names. An
// absent argument is the zero value of its type. A nil pointer prints nothing.
//
// Values are data and never templates: a value that contains {{ is printed unchanged. The text
// around actions is unchanged too, including line ends, which {{- and -}} trim.
//
// If a template fails at run time, the client gets an internal error, and
// Options.Logger of the server gets an [*Error] with the place.
//
// # Functions
//
// In addition to the functions of text/template and those in [Options]:
//
//   - fence: {{fence .language .code}} is [prompts.Fence], a code block;
//   - untrusted: {{untrusted "the text" .issue}} is [prompts.Untrusted], a
//     frame for text from outside;
//   - json: {{json .title}} is the value as JSON, without escapes for HTML;
//   - list: {{range list .names}} iterates over the elements of a string, which is a
//     JSON array or a comma-separated list.
//
// Comparisons accept an integer and a float. A function in [Options] may reject an
// argument by returning [prompts.InvalidArgument].
//
// # Checks
//
// [New] and [NewTyped] return all errors, joined, each with the message and the line:
//
//   - syntax errors, unknown functions and partials, and partials that call
//     themselves;
//   - with New, an argument used against its type: a string compared with a number,
//     or a range over a boolean;
//   - a placeholder without an argument, and an argument that no message uses,
//     directly or in a partial;
//   - a use of all arguments at once: outside of range and with, the dot may only be
//     passed to a partial or assigned to a variable;
//   - an empty message, a message without a role, and a prompt without messages or
//     with its own render function.
//
// Inside {{range .focus}} and {{with .language}}, fields of the dot are not checked, and $.code is.
// A partial called with the dot or with $ is checked like the message. A partial called with
// another value is not. A template cannot call methods on the struct of all arguments, because the
// check could not find the used arguments. Use a function in Options.Funcs instead.
//
// # Limits
//
// Templates may come from untrusted authors: time and memory are bounded for every
// template. Each iteration and each function call counts, and stops when the context
// ends. The output of a function is counted before it is created. A rendering with
// more than 10,000,000 steps or 32 MiB returns an error. These are errors of the
// declaration: more than 500 levels of nesting, 200 variables in scope, 128 KiB of
// actions in one template, or 256 partials. A range over a channel is an error.
//
// The work of functions in [Options.Funcs] and of methods is not limited. Their output counts.
package prompttemplate
