// Package promptfs loads prompts from Markdown files and reloads them when files change:
//
//	folder := promptfs.NewDir(&reg, "prompts", promptfs.Options{Logger: logger})
//	if err := folder.Reload(ctx); err != nil {
//		… // some files are invalid; the other prompts are served
//	}
//	go folder.Watch(ctx) // until ctx ends
//
// A folder of prompts:
//
//	prompts/
//	├── _partials/findings.md      a template that prompts share
//	├── review/code.md             the prompt review/code
//	├── notes/release.md           the prompt notes/release
//	├── notes/style/guide.txt      a resource in a message
//	└── skills/tests/SKILL.md      a skill, served as a prompt
//
// To load an [fs.FS] once, such as an embed.FS, call [Load]. docs/prompt-files.md in
// the repository describes the format for authors, with a JSON schema for editors.
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
//	What is the purpose of this code?
//
//	--- user: image diagrams/flow.png ---
//
// Every file with the extension .md or .markdown, in any case, is a prompt, except README.md and
// hidden files. A file is hidden if its name, or the name of a folder above, starts with a dot or
// an underscore. Files are UTF-8. A byte order mark is removed, and CRLF is read as LF.
//
// # Front matter
//
// Front matter stands between two --- lines at the start. A file without front matter is one
// message. Front matter is YAML without anchors, aliases, merge keys and tags. In YAML, # after a
// space begins a comment: quote a text with " #", see [Warnings]. All keys are optional:
//
//   - name: the name of the prompt. Default: the path without the extension, such as
//     review/code. A name in NFD, as macOS stores names of files, becomes NFC;
//   - title, description, version, icons (src, mimeType, sizes, theme) and meta, as
//     in [prompts.Prompt]. The version is kept as written: 1.10 is not 1.1;
//   - tags: labels for Options.Visible of the server, never sent;
//   - hints: false sends the descriptions of arguments without hints;
//   - template: false sends the text verbatim, with any braces. Such a prompt has no
//     arguments;
//   - arguments: a list, in display order.
//
// An argument has a name, and optionally title, description, required, sensitive
// (for a secret), default, the schema keywords type, enum, format, pattern, minimum,
// maximum, minLength and maxLength, and complete, a list of suggestions. The type is
// string (the default), integer, number, boolean or array. An array has items, with
// the same schema keywords, minItems and maxItems.
//
// In the template, a value has the type of the argument: {{if gt .severity 3}} compares a number,
// {{if .brief}} tests a boolean, and {{range .focus}} iterates over an array. Dates and durations
// are strings. Dates in the form 2026-07-28, which format: date checks, compare in calendar order.
//
// {{.price}} prints a number without an exponent from 0.000001 up to 1e21, such as
// 2500000. {{.focus}} prints the elements of an array with commas, such as speed,
// style. The functions print, println and printf with %v do the same. To print JSON,
// use {{json .focus}}.
//
// # Messages
//
// The text after the front matter is one message of the user, or several messages. A
// separator line starts each message:
//
//	--- user ---
//	--- assistant ---
//	--- user: image diagrams/flow.png ---
//	--- user: audio hello.wav ---
//	--- user: resource logs/app.log ---
//
// Text before the first separator is a message of the user. No text follows the last three kinds. A
// path is relative to the folder of the file, uses slashes, and must stay below the root. The
// target may be hidden. For an image or audio, the extension decides the MIME type. A resource is
// text if the file is UTF-8, and binary if not. Its URI is Options.ResourceBase and the path from
// the root, such as promptfs:///logs/app.log. To write a text line that looks like a separator, put
// a backslash in front. Blank lines around a message are removed.
//
// A text is a template of package prompttemplate, with the functions of that package and of
// Options.Funcs. Every placeholder must be an argument, and every argument must be used. For a
// literal {{, write {{"{{"}}. When a file is loaded, the template is executed once with generated
// values, and a template that can never work is an error. This calls the functions of Options.Funcs
// too. If such a function returns anything but a string, a number, a boolean, or a list or map of
// these, the rest of the message is not checked. Time and memory of templates are limited: see
// package prompttemplate.
//
// Files in the folder _partials are shared templates, with any extension. The name
// of a partial is its path in the folder without the extension: {{template
// "findings" .}}. Without the dot, the partial gets no arguments. The name may be in NFC or NFD.
//
// # Skills
//
// A file named SKILL.md, in any case, has the format of Agent Skills, and becomes a prompt. The
// prompt has the name of the skill, or of its folder, the description, and the text verbatim. Other
// keys are ignored. The folder of a skill contains no further prompts.
//
// With Options.Skills, the folder of a SKILL.md is a skill of package promptskills, too, with all
// files in it and below it, but those whose names begin with a dot. The path of the skill is that
// of the folder; of a SKILL.md in the root, its name. A folder with a SKILL.md below another is a
// skill of its own. A skill follows the rules of the format to the letter: see promptskills.Skill
// and [ParseFrontmatter]. A violation is an error, and the skill stays as it was.
//
// # Errors
//
// An invalid file is skipped, and other files are loaded. The error joins all errors of all files,
// each an [*Error] with the path, the line, the column if known, and a fix:
//
//	review/code.md:2: unknown key "titel" in front matter; did you mean "title"?
//	review/code.md:9: argument "lines": its default: 0 is not at least 1
//	review/code.md:17:3: unknown argument "langauge"; did you mean "language"?
//
// If two files have the same name, neither is loaded. These files are errors too:
// files that are too large, files that are not regular, links that point outside the
// root, and links to a folder that was already read.
//
// A link to a dotfile is an error, too: a file or folder whose name, or the name of a
// folder above it in the root, begins with a dot. Links may go through folders whose
// names begin with two dots, as in a volume of Kubernetes.
//
// # Reloading
//
// [Folder.Reload] combines all changes into one update, and [Folder.Watch] calls Reload after
// changes. After an invalid edit, the prompt keeps its last valid version until the file is fixed
// or removed. Changes to partials and included files update the prompts that use them.
//
// If a file's name is already used by a prompt defined in code, the code prompt wins. The file's
// prompt is added when the name becomes available. The Source of each prompt is "promptfs:" and the
// path of its file. If several folders fill one registry, give each its own Options.SourcePrefix.
//
// For files stored elsewhere, such as in a database or a key-value store, use a
// [Mirror]. [Files] reads a folder for an upload to such a store.
//
// A file is read again if its size, its time or the target of its link has changed.
// If a program changes a file, keeps its size and restores a time of more than two
// seconds ago, Watch misses the change until its next start.
package promptfs
