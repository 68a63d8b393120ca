package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/doubt"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

// foreignErrors match the errors that a file of another format has.
var foreignErrors = regexp.MustCompile(`file is empty|invalid YAML: |unknown key |unknown function |arguments must be a list `)

type foreignFolder struct {
	dir        string
	format     *format         // nil if several programs have such files
	paths      map[string]bool // of the files, in the folder
	why        string          // one of the paths looks like a command
	extensions []string        // of all files
}

// findForeign returns all files of its format if the folder is the program's own, and otherwise those that no
// prompt looks like, if they are half of the files. Otherwise, and if ctx ends, paths is empty.
func findForeign(ctx context.Context, dir string) foreignFolder {
	f := foreignFolder{dir: dir, format: formatOfFolder(dir), paths: map[string]bool{}}
	isOwn := f.format != nil
	extensions := map[string]bool{}
	seen := map[*format]bool{} // of files that one program alone has
	files := 0
	root := visibleFS(dir)
	_ = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // is reported by the check
			return nil
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		extensions[path.Ext(name)] = true
		if !slices.Contains([]string{".md", ".toml", ".prompt"}, path.Ext(name)) || checkLoaded(name) != nil {
			return nil
		}
		content, err := regular.Read(ctx, root, name, maxReadBytes)
		if err != nil || isImport(content) {
			return nil
		}
		files++
		if isOwn {
			if _, ok := f.format.target(name); ok || f.format.folder && path.Base(name) == fabricUser {
				f.paths[name] = true
				f.why = cmp.Or(f.why, name+" is in "+f.format.dir)
			}
		} else if of, why := formatOfFile(root, name, content); why != "" {
			f.paths[name], seen[of] = true, true
			f.why = cmp.Or(f.why, name+" "+why)
		}
		return nil
	})
	if ctx.Err() != nil || len(f.paths)*2 < files {
		f.paths = nil
	}
	delete(seen, nil)
	if !isOwn && len(seen) == 1 {
		for f.format = range seen {
		}
	}
	delete(extensions, "")
	f.extensions = slices.Sorted(maps.Keys(extensions))
	return f
}

// formatOfFile returns why a file is one of another program, or "". of is nil if several have such files.
func formatOfFile(root fs.FS, name string, content []byte) (of *format, why string) {
	front, _, _ := promptfile.Split(promptfile.Text(content))
	for i := range commandFormats {
		f := &commandFormats[i]
		switch dir, base := path.Split(name); {
		case f.key != nil && f.key.MatchString(front):
			return f, "has the key " + strings.TrimRight(f.key.FindString(front), ": \t")
		case f.name == "vscode" && strings.HasSuffix(name, f.files[0]):
			return f, "has the extension " + f.files[0]
		case f.name == "gemini" && path.Ext(name) == f.files[0] && tomlPrompt.Match(content):
			return f, "has the key prompt"
		case f.folder && dir != "" && front == "" && (base == f.files[0] || base == fabricUser) && regular.IsFile(root, dir+f.files[0]) && regular.IsFile(root, dir+fabricUser):
			return f, "is in a folder with " + fabricUser
		}
	}
	return nil, doubt.Foreign(front)
}

const fabricUser = "user.md" // which stands beside system.md

const noPromptsHint = "write prompts into files with the extension .md"

func hasPrompts(reg *prompts.Registry, prefix string) bool {
	for p := range reg.All() {
		if strings.HasPrefix(p.Source, prefix) {
			return true
		}
	}
	return false
}

func (f *foreignFolder) noPrompts() string {
	if len(f.extensions) == 0 {
		return "folder has no prompts"
	}
	return "folder has no prompts, but files with the extensions " + strings.Join(f.extensions, ", ")
}

func (f *foreignFolder) error() *promptfs.Error {
	name, files, start := "FORMAT", "commands of another program", ""
	if f.format != nil {
		name, files = f.format.name, "commands of "+f.format.title
	} else if strings.Contains(f.why, " has the key ") {
		start = "remove the key, or "
	}
	look := "look"
	if len(f.paths) == 1 {
		look = "looks"
	}
	return &promptfs.Error{
		Path: ".", Err: fmt.Errorf("%s %s like %s: %s", plural(len(f.paths), "file"), look, files, f.why),
		Hint: start + "run: " + shellQuoted("prompts", "import", name, f.dir, "NEW-FOLDER"),
	}
}

func (f *foreignFolder) isOf(path, text string) bool {
	return f.paths[path] && foreignErrors.MatchString(text)
}

// once returns the errors of the files with one error for all of the other format.
func (f *foreignFolder) once(err error) error {
	if len(f.paths) == 0 {
		return err
	}
	errs := []error{f.error()}
	for _, err := range all(err) {
		if e := (*promptfs.Error)(nil); !errors.As(err, &e) || !f.isOf(e.Path, e.Error()) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

type onceHandler struct {
	slog.Handler
	folder *foreignFolder
}

func (h onceHandler) Handle(ctx context.Context, r slog.Record) error {
	path, text := "", ""
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "path":
			path = a.Value.String()
		case "error":
			text = a.Value.String()
		}
		return true
	})
	if h.folder.isOf(path, text) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

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
	file    string
	readers []string // other clients that read the files
	all     string   // stands for what the user writes; empty if the program adds it to the text
	word    string   // stands for a word, with %d; empty if the program has no words
	escape  string   // before text that looks like a placeholder; empty if no escape exists
	wordIn  string   // is word before a letter or a digit, if that differs
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
	{name: "skills", title: "Agent Skills", dir: ".agents/skills", keys: "name description", shell: skillsShell, stays: skillsStays, file: "%s/SKILL.md", readers: []string{"Codex", "Copilot CLI"}},
}

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

func formatOf(name string, isWanted func(f *format) bool) *format {
	i := slices.IndexFunc(commandFormats, func(f format) bool { return f.name == name && isWanted(&f) })
	if i < 0 {
		return nil
	}
	return &commandFormats[i]
}

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

func (f *format) fileNames() string {
	if f.folder {
		return f.files[0]
	}
	return "*" + strings.Join(f.files, ", *")
}

func (f *format) target(name string) (string, bool) {
	for _, end := range f.files {
		if dir, base := path.Split(name); f.folder {
			return strings.TrimSuffix(dir, "/") + ".md", base == end
		}
		if bare, ok := strings.CutSuffix(name, end); ok {
			return bare + ".md", true
		}
	}
	return "", false
}

// importMark is in the first line of the front matter of a file that import wrote. A hash of
// the path of the source, from the folder on, and of the lines below follows it.
const importMark = "# prompts import "

func isImport(content []byte) bool { return bytes.HasPrefix(content, []byte("---\n"+importMark)) }
