package doubt

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
)

// Declared returns the doubts about the names of a prompt and its arguments, and about the texts
// that users read. fold returns one name for names that users take for the same. names are the
// names of prompts with the same folded name.
func Declared(p *prompts.Prompt, names []string, fold func(name string) string) []Doubt {
	var all []Doubt
	add := func(argument, fix, format string, args ...any) {
		line := 1
		if argument != "" {
			line = 0
		}
		all = append(all, Doubt{"text", line, 0, argument, fmt.Sprintf(format, args...), fix})
	}
	compare := func(argument, name string, others []string) {
		for _, other := range others {
			if other != name {
				add(argument, "rename one of the two, because users and systems such as macOS and Windows take them for one", "name %q differs from %q only in case or form", name, other)
			}
		}
	}
	shown := func(argument, what, text string) {
		text = strings.ReplaceAll(text, " ", "")
		for _, a := range p.Arguments {
			for _, placeholder := range []string{"{{." + a.Name + "}}", "{{" + a.Name + "}}", "${" + a.Name + "}"} {
				if strings.Contains(text, placeholder) {
					add(argument, "write the text without values", "users see %s in the %s, which is no template", placeholder, what)
					return
				}
			}
		}
	}
	compare("", p.Name, names)
	shown("", "title", p.Title)
	shown("", "description", p.Description)
	before := map[string][]string{}
	for _, a := range p.Arguments {
		compare(a.Name, a.Name, before[fold(a.Name)])
		before[fold(a.Name)] = append(before[fold(a.Name)], a.Name)
		shown(a.Name, "title of "+a.Name, a.Title)
		shown(a.Name, "description of "+a.Name, a.Description)
		isInvisible := strings.ContainsFunc(a.Name, func(r rune) bool { return unicode.In(r, unicode.C) })
		if isInvisible || strings.ContainsAny(a.Name, "={}") || strings.TrimSpace(a.Name) != a.Name {
			add(a.Name, "write a name of letters, digits, _ and -", "argument name %q cannot be typed, as users of Gemini CLI do: --name=value", a.Name)
		}
	}
	return all
}

// typesOf are the types of files that [http.DetectContentType] knows for certain, by the extension.
var typesOf = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".bmp": "image/bmp", ".pdf": "application/pdf",
}

// Content returns how the data of a file differs from what its name says, or the empty string. kind
// is image, audio or resource.
func Content(kind, name string, data []byte) (message, fix string) {
	found, _, _ := strings.Cut(http.DetectContentType(data), ";")
	extension := strings.ToLower(path.Ext(name))
	want, isKnown := typesOf[extension]
	isText := strings.HasPrefix(found, "text/") && extension != ".svg"
	switch {
	case bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")):
		return name + " has a pointer of Git LFS in place of the content", "run git lfs pull"
	case len(data) == 0:
		return name + " is empty", "write the content, or remove the message"
	case isKnown && found != want || kind != "resource" && isText || kind == "audio" && strings.HasPrefix(found, "image/"):
		return fmt.Sprintf("%s has content of the type %s", name, found), "replace the file, or give the name the extension of the type"
	}
	return "", ""
}
