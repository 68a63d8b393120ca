package doubt

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// document is a file that repositories have, and that is rarely a prompt.
var document = regexp.MustCompile(`(?i)^(?:AGENTS|CHANGELOG|CLAUDE|CODE_OF_CONDUCT|CONTRIBUTING|GEMINI|LICEN[CS]E|SECURITY)\.(?:md|markdown)$`)

// Describe returns the fix for a file without a description.
func Describe(name string) string {
	switch {
	case strings.Contains("/"+name, "/node_modules/"):
		return "add ignore: [node_modules] to prompts.yaml, or move the folder"
	case document.MatchString(path.Base(name)):
		return fmt.Sprintf("add the key description, or, if the file is no prompt, add ignore: [%s] to prompts.yaml", path.Base(name))
	}
	return "add the key description"
}

var (
	// commandKeys are keys of several programs in the front matter of commands. Prompts never have them.
	commandKeys = regexp.MustCompile(`(?m)^(?:agent|allowed-tools|argument-hint|disable-model-invocation|invokable|mode|model|subtask|tools|when_to_use)[ \t]*:`)
	// ownArguments is in the front matter of prompts alone: other programs have no arguments with keys.
	ownArguments = regexp.MustCompile(`(?m)^arguments:[ \t]*(?:\n[ \t]*- name:|\[\{)`)
)

// Foreign returns why front matter is that of a command of another program, or "".
func Foreign(front string) string {
	key := commandKeys.FindString(front)
	if key == "" || ownArguments.MatchString(front) {
		return ""
	}
	return "has the key " + strings.TrimRight(key, ": \t")
}

const settings = "prompts.yaml"

// almostSettings is the name of a file that is probably meant as the settings.
var almostSettings = regexp.MustCompile(`(?i)^prompts\.ya?ml$`)

// Names returns the doubts about the paths of a folder: each path whose name, or whose folder, differs
// from another only in case or form, and files of settings that are not read. Names is linear. fold
// returns one name for names that users take for the same.
func Names(paths []string, fold func(name string) string) []Doubt {
	slices.Sort(paths)
	var all []Doubt
	first := map[string]string{}
	for _, p := range paths {
		if almostSettings.MatchString(path.Base(p)) && p != settings {
			all = append(all, Doubt{Rule: "text", Path: p, Message: "file is not read as settings", Fix: "write the settings to " + settings + " at the top of the folder"})
		}
		file := p
		// Declared compares the names of prompts.
		if promptfile.IsPrompt(p) && !promptfile.IsHidden(p) {
			p = path.Dir(p)
		}
		f := fold(p)
		if first[f] == "" {
			first[f] = p
		} else if first[f] != p {
			all = append(all, Doubt{Rule: "text", Path: file, Message: fmt.Sprintf("path differs from %s only in case or form", first[f]), Fix: "rename one of the two, because systems such as macOS and Windows take them for one"})
			first[f] = p
		}
	}
	return all
}

// almostPrompt is how the path of a file ends that is no prompt for its extension alone.
var almostPrompt = regexp.MustCompile(`(?i)(?:^|/)[^/.]+$|\.(?:md\.)?(?:txt|text|mdx|mdwn|mkd|mdown)$`)

// Unread returns the doubt about a file that is no prompt, as its extension says, and has the front matter
// of one. text is called only if the name is near that of a prompt.
func Unread(name string, text func() string) (d Doubt, ok bool) {
	end := almostPrompt.FindString(name)
	if end == "" {
		return d, false
	}
	front, _, line := promptfile.Split(text())
	if end[0] != '.' {
		end = ""
	}
	return Doubt{Rule: "text", Path: name, Line: 1, Message: "file is ignored, because its name does not end in .md", Fix: "rename the file to " + strings.TrimSuffix(name, end) + ".md"}, line > 1 && explain.IsFront(front)
}

// betweenSlashes is an error about a pattern as JavaScript has it.
var betweenSlashes = regexp.MustCompile(`match the pattern (?:/.*/[a-z]*|\^?.*/[gimsuy]+), got `)

// Values returns the message of an error of generated values without the code for clients, and the fix.
func Values(text string) (message, fix string) {
	if betweenSlashes.MatchString(text) {
		fix = "write the pattern without slashes around it"
	}
	return strings.TrimSuffix(text, " (-32602)"), fix
}
