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
// With [New] the data are the texts of the arguments by name: {{.code}}. A
// name that is no identifier is written {{index . "file-path"}}. An argument
// whose schema has the type boolean is no text but a boolean, so that
// {{if .brief}} asks for its value. With [NewTyped] the data is a struct, and its
// fields have their Go names. What is absent is the empty text, or false: an
// argument that was not given, and a pointer that is nil.
//
// Values are data and never templates: a value that contains {{ stays as it
// is. So does the text around the actions, line ends included; {{- and -}}
// trim it, as text/template says. An error while a template runs is an error
// of the prompt: the client is told of an internal error, and Options.Logger
// of the server gets the rest.
//
// # Functions
//
// Beside those of text/template there are
//
//   - fence: {{fence .language .code}} is [prompts.Fence], a code block that
//     nothing in the code can end;
//   - untrusted: {{untrusted "the text" .issue}} is
//     [prompts.Untrusted], a frame for text that is not to be followed;
//   - json: {{json .title}} is the value as JSON, a string in quotes, with
//     nothing escaped for HTML;
//
// and those of [Options]. An error that one of those returns is the prompt's,
// so that it can blame an argument with [prompts.InvalidArgument].
//
// # What is checked
//
// [New] and [NewTyped] return everything that is wrong, joined, each with the
// message and its line:
//
//   - what text/template cannot parse, functions and partials that do not
//     exist, partials that call themselves;
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
package prompttemplate
