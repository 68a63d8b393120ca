package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// format is how the commands of a program stand in files: Markdown with front matter, or TOML
// with the key prompt. docs/import.md has the rules, and where they were read.
type format struct {
	name, title string
	dir         string // of the commands in a project
	// key matches a line of front matter that commands of this program alone have.
	key *regexp.Regexp

	keys string // of front matter that the program reads, and that import or export has a use for

	// For import. files are the ends of the names of files, and nil for a format that import does
	// not read.
	files []string
	// place matches the placeholders. Its groups: escape is before a placeholder that is text;
	// all is all that the user writes; word is the number of a word; name and text are an
	// argument and its description; value is a value of the editor.
	place  *regexp.Regexp
	from   int            // the number of the first word
	keeps  bool           // a number whose word is missing stays as text, and so does one in code
	rest   bool           // the word of the highest number is followed by all words after it
	label  string         // before what the user writes, if the text has no place for it; "/" for the command itself
	shell  *regexp.Regexp // what runs a program
	stays  *regexp.Regexp // what the program replaces by more than the words of the user
	folder bool           // a prompt is a folder, and has its name, also if the folder is the source

	// For export. file has %s for the name; it is empty for a format that export does not write.
	file   string
	all    string // stands for what the user writes; empty if the program adds it to the text
	word   string // stands for a word, with %d; empty if the program has no words
	escape string // before text that looks like a placeholder; empty if no escape exists
	wordIn string // is word before a letter or a digit, if that differs
}

var (
	claudePlace   = regexp.MustCompile(`(?P<escape>\\*)\$(?:ARGUMENTS\[(?P<word>\d+)\]|(?P<word>\d+)\b|(?P<all>ARGUMENTS)|\d|)`)
	codexPlace    = regexp.MustCompile(`\$(?:\$|(?P<word>[1-9])|(?P<all>ARGUMENTS))`)
	opencodePlace = regexp.MustCompile(`\$(?:(?P<word>\d+)|(?P<all>ARGUMENTS))`)
	geminiPlace   = regexp.MustCompile(`(?P<all>\{\{args\}\})`)
	vscodePlace   = regexp.MustCompile(`\$\{(?:input:\s*(?P<name>[^:}]*[^:}\s])\s*(?::(?P<text>[^}]*))?|(?P<value>\w+))\}`)
	continuePlace = regexp.MustCompile(`(?P<all>\{\{\{\s*input\s*\}\}\})`)
	fabricPlace   = regexp.MustCompile(`\{\{(?:(?P<all>input)|(?P<name>[A-Za-z_]\w*))\}\}`)

	claudeShell   = regexp.MustCompile("(?m)(?:^|" + jsSpace + ")!`[^`]*[^`\\s][^`]*`|(?s:```!(?:[^`]|`{1,2}[^`])*?[^`\\s].*?```)")
	opencodeShell = regexp.MustCompile("!`[^`]+`")
	geminiShell   = regexp.MustCompile(`!\{[^}]*\}?`)

	attached     = regexp.MustCompile(`(?m)(?:^|[。、？！]|` + jsSpace + `)@[^\s"]*[./][^\s"]*\w`)
	claudeStays  = regexp.MustCompile(attached.String() + `|\$\{CLAUDE_[A-Z_]+\}`)
	geminiStays  = regexp.MustCompile(`@\{[^}]*\}?`)
	vscodeStays  = regexp.MustCompile(`(?m)(?:^|\s)#(?:file|tool|codebase|selection|changes|fetch|sym|folder)\b(?::\S+)?|\]\((?:\./|\.\./|[\w-]+/)*[\w.-]+\.[a-z]+\)`)
	codexStays   = regexp.MustCompile(`\$[A-Z][A-Z0-9_]*`)
	turbo        = regexp.MustCompile(`(?m)^[ \t]*// ?turbo(?:-all)?\b`)
	continueStay = regexp.MustCompile(`</?system>|\{\{\{?[^{}]*\}?\}\}`)
	skillsShell  = regexp.MustCompile(claudeShell.String() + "|" + opencodeShell.String())
	skillsStays  = regexp.MustCompile(`\$(?:\d|ARGUMENTS)`)
	fabricStays  = regexp.MustCompile(`\{\{[^{}]+\}\}`)
)

// jsSpace is \s of JavaScript.
const jsSpace = `[\s\v\x{a0}\x{feff}\p{Z}]`

// commandFormats are in the order of the documentation.
var commandFormats = []format{
	{
		name: "claude", title: "Claude Code", dir: ".claude/commands", keys: "name description argument-hint arguments", key: regexp.MustCompile(`(?m)^allowed-tools[ \t]*:`),
		files: []string{".md"}, place: claudePlace, keeps: true, label: "ARGUMENTS: ", shell: claudeShell, stays: claudeStays,
		file: "%s.md", all: "$ARGUMENTS", word: "$%d", wordIn: "$ARGUMENTS[%d]", escape: `\`,
	},
	{name: "codex", title: "Codex", dir: ".codex/prompts", keys: "description argument-hint", files: []string{".md"}, place: codexPlace, from: 1, stays: codexStays},
	{
		name: "opencode", title: "opencode", dir: ".opencode/commands", keys: "description", key: regexp.MustCompile(`(?m)^subtask[ \t]*:`),
		files: []string{".md"}, place: opencodePlace, from: 1, rest: true, shell: opencodeShell, stays: attached,
		file: "%s.md", all: "$ARGUMENTS", word: "$%d",
	},
	{
		name: "gemini", title: "Gemini CLI", dir: ".gemini/commands", keys: "prompt description",
		files: []string{".toml"}, place: geminiPlace, label: "/", shell: geminiShell, stays: geminiStays,
		file: "%s.toml", all: "{{args}}",
	},
	{
		name: "qwen", title: "Qwen Code", dir: ".qwen/commands", keys: "prompt description argument-hint", key: regexp.MustCompile(`(?m)^when_to_use[ \t]*:`),
		files: []string{".md", ".toml"}, place: geminiPlace, label: "/", shell: geminiShell, stays: geminiStays,
		file: "%s.md", all: "{{args}}",
	},
	{
		name: "vscode", title: "VS Code", dir: ".github/prompts", keys: "name description argument-hint",
		files: []string{".prompt.md"}, place: vscodePlace, stays: vscodeStays,
		file: "%s.prompt.md",
	},
	{name: "cursor", title: "Cursor", dir: ".cursor/commands", keys: "description", files: []string{".md"}, file: "%s.md"},
	{name: "cline", title: "Cline", dir: ".clinerules/workflows", keys: "description", files: []string{".md"}},
	{name: "roo", title: "Roo Code", dir: ".roo/commands", keys: "description argument-hint", files: []string{".md"}},
	{name: "windsurf", title: "Windsurf", dir: ".windsurf/workflows", keys: "description", files: []string{".md"}},
	{name: "antigravity", title: "Antigravity", dir: ".agents/workflows", keys: "description", files: []string{".md"}, stays: turbo},
	{
		name: "continue", title: "Continue", dir: ".continue/prompts", keys: "name description invokable", key: regexp.MustCompile(`(?m)^invokable[ \t]*:`),
		files: []string{".md", ".prompt"}, place: continuePlace, stays: continueStay,
	},
	{name: "fabric", title: "fabric", dir: "data/patterns", files: []string{"system.md"}, place: fabricPlace, stays: fabricStays, folder: true},
	{name: "skills", title: "Agent Skills", dir: ".agents/skills", keys: "name description", shell: skillsShell, stays: skillsStays, file: "%s/SKILL.md"},
}

// formatNames returns the names of the formats that import reads, or that export writes.
func formatNames(isWanted func(f *format) bool) []string {
	var names []string
	for i := range commandFormats {
		if isWanted(&commandFormats[i]) {
			names = append(names, commandFormats[i].name)
		}
	}
	return names
}

func isImported(f *format) bool { return f.files != nil }
func isExported(f *format) bool { return f.file != "" }

// formatOf returns the format with a name; nil if no format has the name.
func formatOf(name string, isWanted func(f *format) bool) *format {
	i := slices.IndexFunc(commandFormats, func(f format) bool { return f.name == name && isWanted(&f) })
	if i < 0 {
		return nil
	}
	return &commandFormats[i]
}

// formatOfFolder returns the format of the files in a folder that is the one of a program, or
// that is below; nil for another.
func formatOfFolder(dir string) *format {
	of := filepath.ToSlash(absolute(dir)) + "/"
	of = strings.NewReplacer("/.opencode/command/", "/.opencode/commands/", "/.agent/workflows/", "/.agents/workflows/").Replace(of)
	for i := range commandFormats {
		if f := &commandFormats[i]; isImported(f) && strings.Contains(of, "/"+f.dir+"/") {
			return f
		}
	}
	return nil
}

// files is what import says of the names of the files.
func (f *format) fileNames() string {
	if f.folder {
		return f.files[0]
	}
	return "*" + strings.Join(f.files, ", *")
}
