package main

import (
	"cmp"
	"regexp"
	"strings"
)

var (
	vscodeVariable  = regexp.MustCompile(`\$\{([A-Za-z]+)(?::([^:}]*))?(?::([^}]*))?\}`)
	vscodeReference = regexp.MustCompile(`(?:^|\s)(#(?:file|tool|codebase|selection|changes|fetch|sym|folder)\b(?::\S+)?)`)
	markdownLink    = regexp.MustCompile(`\]\(((?:\./|\.\./|[\w-]+/)*[\w.-]+\.[a-z]+)\)`)
)

// vscodeValues are the variables that an editor fills in. A user of a prompt has to.
var vscodeValues = map[string]string{
	"selection":               "the selected text",
	"selectedText":            "the selected text",
	"file":                    "the path of the file",
	"fileBasename":            "the name of the file",
	"fileBasenameNoExtension": "the name of the file without its extension",
	"fileDirname":             "the folder of the file",
	"workspaceFolder":         "the path of the workspace",
	"workspaceFolderBasename": "the name of the workspace",
}

// vscode converts a prompt file of VS Code: ${input:name:placeholder} is a value that the
// user is asked for.
func (c *conversion) vscode() {
	if !c.split() {
		return
	}
	c.prompt.Name = c.front["name"]
	c.prompt.Description = cmp.Or(c.front["description"], firstLine(c.body))
	c.leaveOut("name", "description")
	for _, at := range vscodeReference.FindAllStringSubmatchIndex(c.body, -1) {
		c.note(c.line(at[2]), "%s stays as text; VS Code would resolve it", c.body[at[2]:at[3]])
	}
	for _, at := range markdownLink.FindAllStringSubmatchIndex(c.body, -1) {
		c.note(c.line(at[2]), "link to %s stays as text; VS Code would send the file too", c.body[at[2]:at[3]])
	}
	descriptions := map[string]string{}
	for _, m := range vscodeVariable.FindAllStringSubmatch(c.body, -1) {
		if m[1] == "input" && m[3] != "" && descriptions[m[2]] == "" {
			descriptions[m[2]] = m[3]
		}
	}
	last := 0
	for _, m := range vscodeVariable.FindAllStringSubmatchIndex(c.body, -1) {
		c.prompt.literal(c.body[last:m[0]])
		last = m[1]
		text, variable := c.body[m[0]:m[1]], c.body[m[2]:m[3]]
		if variable == "input" && m[4] >= 0 && strings.TrimSpace(c.body[m[4]:m[5]]) != "" {
			name := strings.TrimSpace(c.body[m[4]:m[5]])
			c.prompt.placeholder(fileArgument{Name: name, Description: cmp.Or(descriptions[c.body[m[4]:m[5]]], "the value of "+name), Required: true})
			continue
		}
		if description := vscodeValues[variable]; description != "" && m[4] < 0 {
			c.note(c.line(m[0]), "%s is an argument that the user fills in; VS Code does it itself", text)
			c.prompt.placeholder(fileArgument{Name: variable, Description: description, Required: true})
			continue
		}
		c.note(c.line(m[0]), "%s stays as text; it is not a variable of prompt files", text)
		c.prompt.literal(text)
	}
	c.prompt.literal(c.body[last:])
}
