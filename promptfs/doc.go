// Package promptfs makes prompts of Markdown files, and keeps a registry equal
// to a folder of them.
//
//	prompts/
//	├── _partials/findings.md      a template that prompts share
//	├── review/code.md             the prompt review/code
//	├── notes/release.md           the prompt notes/release
//	├── notes/style/guide.txt      a resource that it sends
//	└── skills/tests/SKILL.md      a skill, as a prompt
//
// [Load] reads any [fs.FS] once: an embed.FS, a zip, a directory. A [Folder]
// brings the files into a registry, and what becomes of them:
//
//	folder := promptfs.NewDir(&reg, "prompts", promptfs.Options{Logger: logger})
//	if err := folder.Reload(ctx); err != nil {
//		… // some files have faults; the others are there
//	}
//	go folder.Watch(ctx) // until ctx ends
//
// # A file
//
//	---
//	title: Code review
//	description: Reviews a change
//	arguments:
//	  - name: code
//	    description: the code to review
//	    required: true
//	  - name: language
//	    description: its programming language
//	    enum: [go, python, rust]
//	---
//
//	Please review this{{with .language}} {{.}}{{end}} code:
//
//	{{fence .language .code}}
//
//	{{template "findings"}}
//
//	--- assistant ---
//
//	What is it meant to do?
//
//	--- user: image diagrams/flow.png ---
//
// Prompts are all files whose names end in .md or .markdown, in any case, but
// README.md and what is hidden: files and folders whose names begin with a dot
// or an underscore. The text is UTF-8; a byte order mark is left out, and CRLF
// is read as LF.
//
// # Front matter
//
// Front matter stands between two lines --- at the beginning. Without it all of
// the file is the message. It is YAML without anchors, aliases, merge keys and
// tags, and has these keys, none of which is required:
//
//   - name: what clients ask for; default: the path without the extension, as review/code;
//   - title, description, version, icons (src, mimeType, sizes, theme), meta: those
//     of [prompts.Prompt]. A version is taken as it is written: 1.10 is not 1.1;
//   - tags: for Options.Visible of the server; they are never sent;
//   - hints: false, if nothing is to be appended to the descriptions of arguments;
//   - template: false, if the text is sent verbatim, whatever braces it has; the
//     prompt has no arguments then;
//   - arguments: a list, in the order in which they are shown.
//
// An argument has a name and, if wanted, title, description, required, sensitive
// for a secret, default, the schema's type, enum, format, pattern, minimum, maximum,
// minLength and maxLength, and complete, a list of values that are offered while others are allowed. The
// type is string, which is the default, integer, number, boolean or array; an
// array has items, with the same keys of a schema, minItems and maxItems.
//
// A value has its type in the template: {{if gt .severity 3}} compares an
// integer or a number, {{if .brief}} asks for the value of a boolean, and
// {{range .focus}} goes through an array. A date and a duration are strings;
// dates in the form 2026-07-28, which format: date checks, compare in the right
// order.
//
// {{.price}} writes a number without an exponent, such as 2500000, from 0.000001 up
// to 1e21, and {{.focus}} the elements of an array with commas between them, such
// as speed, style. So do print, println and the %v of printf. To write JSON, use
// {{json .focus}}.
//
// # Messages
//
// What follows is one message of the user, or several. Each begins with a line
// of its own, without anything before the dashes:
//
//	--- user ---
//	--- assistant ---
//	--- user: image diagrams/flow.png ---
//	--- user: audio hello.wav ---
//	--- user: resource logs/app.log ---
//
// Text before the first such line is the user's. Below the last three nothing
// follows. A path is that from the file's folder, with slashes, and leads to a
// file below the root, hidden or not. An image or a recording needs an extension
// that says its type. A resource is a text if it is UTF-8, and a blob if it is
// not; its URI is Options.ResourceBase and its path from the root, such as
// promptfs:///logs/app.log. A line of this form that is text has a backslash in
// front, which is left out. Blank lines around a message are left out too.
//
// A text is a template of package prompttemplate, with its functions and those
// of Options.Funcs. Every placeholder is an argument, and every argument is
// used. A literal {{ is written {{"{{"}}. A file is rendered once when it is
// loaded, with made-up values: a template that cannot work with values of the
// declared types is an error of the file. That rendering calls the functions of
// Options.Funcs, too. What follows the call of a function whose result is not a
// string, number or boolean, nor a list or map of these, is not judged.
//
// Templates are bounded, whatever is in them: see package prompttemplate.
//
// The files in the folder _partials are templates to share, whatever their
// extensions. The name of one is its path there without the extension, and
// {{template "findings" .}} calls it; without the dot it sees no arguments.
//
// # Skills
//
// A file SKILL.md, in any case of its name, is in the format of Agent Skills, and
// a prompt without changes: its name, or else its folder's, its description, and
// its text, which is no template. Its other keys are left alone, whatever they
// are. Nothing else in or below its folder is a prompt.
//
// # Faults
//
// A file with a fault has no effect, and others are loaded. The error has all
// faults of all files, each an [*Error] with the path, the line, the column if it
// is known, what is wrong and what to write instead:
//
//	review/code.md:2: a prompt has no key "titel"; did you mean title?
//	review/code.md:9: argument "lines": its default: 0 is not at least 1
//	review/code.md:17:3: there is no argument "langauge"; did you mean language?
//
// Of two files with one name neither is loaded, so that nothing depends on
// their order. Files that are too large, no regular files, or that a link leads
// to out of the root are not read. A folder is read once: a link to one that has
// been read already is a fault.
//
// # Reloading
//
// [Folder.Reload] makes one update of whatever has changed, and [Folder.Watch]
// calls it when something has. There is no moment without a prompt: a file that
// gets a fault keeps what it was, until it is mended or removed. Partials and
// files that a message sends count as parts of the prompt.
//
// Prompts of code may be in the same registry. A name that one of those has is
// never taken: the file has a fault until the name is free. Each prompt from a
// file has "promptfs:" and its path as its Source; where several folders fill one
// registry, each needs an Options.SourcePrefix of its own instead.
//
// Files that are in no file system, but in a database or a key-value store, are
// told to a [Mirror], which for the rest is as a Folder. [Files] is for those who
// bring a folder into such a store.
//
// A file is read again if its size, its time or what a link to it leads to has
// changed. A program that restores an old time of more than two seconds ago
// together with the same size is not noticed, until Watch starts anew.
package promptfs
