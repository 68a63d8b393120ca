// Package prompttemplate makes prompts from templates of text/template, and
// checks them when they are declared.
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
// The prompt is one as any other: it is added to a [prompts.Registry], which
// checks the rest of it.
//
// # What a template sees
//
// With [New] the data are the arguments by name: {{.code}}. A name that is no
// identifier is written {{index . "file-path"}}. A value has the type of the
// argument's schema: an integer is an int, a number a float64, a boolean a bool,
// an array a slice of these or of strings. Anything else is a string, a date and
// a duration too. So {{if gt .severity 3}}, {{if .brief}} and
// {{range .focus}} work. A number is written as in JSON: 2500000, and with an
// exponent only below 0.000001 and from 1e21 on. A list is written with commas:
// {{.focus}} is "speed, style". So do print, println and the %v of printf. With [NewTyped] the data is a struct, and its fields
// have their Go names. An argument that is absent is the zero value of its type,
// and a pointer that is nil is written as nothing.
//
// Values are data and never templates: a value that contains {{ stays as it
// is. So does the text around the actions, line ends included; {{- and -}}
// trim it, as text/template says. An error while a template is executed is an
// [*Error] with its place: the client gets an internal error, and
// Options.Logger of the server the rest.
//
// # Functions
//
// In addition to those of text/template there are
//
//   - fence: {{fence .language .code}} is [prompts.Fence], a code block that
//     nothing in the code can end;
//   - untrusted: {{untrusted "the text" .issue}} is
//     [prompts.Untrusted], a frame for text that is not to be followed;
//   - json: {{json .title}} is the value as JSON, a string in quotes, with
//     nothing escaped for HTML;
//   - list: {{range list .names}} goes through the elements of a string, which
//     is a JSON array or has commas between them;
//
// and those of [Options]. The comparisons compare integers with floats too. An error
// that a function of [Options] returns is the prompt's, so that the function can
// reject an argument with [prompts.InvalidArgument].
//
// # What is checked
//
// [New] and [NewTyped] return everything that is wrong, joined, each with the
// message and its line:
//
//   - what text/template cannot parse, functions and partials that do not
//     exist, partials that call themselves;
//   - an argument used as its type cannot be, with New: a string compared with
//     a number, or a range over a boolean;
//   - a placeholder that is no argument, and an argument that no message uses,
//     itself or through a partial;
//   - all arguments where one is meant: the dot alone, outside of range and
//     with, can be passed to a partial or kept in a variable, and nothing
//     else;
//   - a message that is empty or has no role, and a prompt without messages or
//     with a render function of its own.
//
// Inside {{range .focus}} and {{with .language}} the dot is what they say, and
// its fields are not checked; $.code is. A partial that is called with the dot
// or with $ is checked as the message is; one that is called with anything
// else is not. Methods of the struct cannot be called on the arguments as a
// whole, because nobody could tell which arguments they use: a function in
// Options.Funcs can do the same.
//
// # Bounds
//
// Templates may come from anywhere: no template takes more than a bounded time
// and memory, whatever it repeats or prints. Each repetition of a range and each
// call of a function counts, and ends when the context does; what functions make
// is counted before it is made. A rendering that takes more than 10,000,000
// steps or makes more than 32 MiB returns an error. What cannot be counted then
// is an error when the prompt is declared: more than 500 levels of nesting, 200
// variables in scope, 128 KiB of actions in one template, or 256 partials. A range over a channel is an error,
// because nothing could end it. Functions in [Options.Funcs] and methods
// of values are the author's: what they return is counted, and what they do is
// not.
package prompttemplate
