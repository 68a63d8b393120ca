// Package hosts has what was seen of the hosts that connect to servers for their
// users: the names by which they introduce themselves, and what they cannot do.
// table.go has the data. The server makes up for some limits, see [Traits]. Package
// portable finds the prompts that the other limits affect.
package hosts

import (
	"bytes"
	"strings"
)

type Host struct {
	Name string
	// Clients are the names in clientInfo. A name that ends with "*" is the beginning of names,
	// such as those with the name of the server at the end. Empty if the host was not run.
	Clients []string
	// Version is the version that was run. Empty if only its code or its issues were read.
	Version string
	// Seen is the day of the run, or the day on which the sources were read.
	Seen   string
	Limits []Limit
}

type Limit struct {
	Kind   Kind
	Effect string // what the host does
	Source string // the URL of the runs, of the host's code, or of an issue
}

type Kind int

const (
	NoPrompts       Kind = iota // no prompts at all
	OneArgument                 // no prompt with several arguments
	OneWordValues               // no value with a space
	Placeholders                // no values: placeholders in their place
	NoDefaults                  // no optional argument is left out
	OneMessage                  // no message but the first
	TextOnly                    // no content but text
	UserOnly                    // no message of the assistant
	AlternatingOnly             // no two messages of one role after each other
	NoSpaces                    // no name with a space
	PlainNames                  // no name with more than ASCII letters, digits and _ . -
	OnePage                     // no list beyond its first page
	NoToolAudio                 // of the result of a tool, no audio and no links
	NoToolLinks                 // of the result of a tool, no links
	JoinedTexts                 // no separator between the texts of a tool's result
	StructuredOnly              // of the result of a tool, structuredContent without the texts
	Dollars                     // no text with "$1" or "$ARGUMENTS"
	Commands                    // no text with a command, which the host runs
	NoEmptyServer               // no prompts of a server without tools
	EmptyFields                 // no argument is left out: an empty string in its place
	HiddenErrors                // no error of a prompt
	NamedOptional               // no optional argument without its name
	ToolBytes                   // no result of a tool beyond a size
	OwnNames                    // no name that is that of a command of its own
)

// Limits are the limits in words, for a table.
var Limits = map[Kind]string{
	NoPrompts:       "no prompts",
	OneArgument:     "one argument",
	OneWordValues:   "no spaces in values of arguments",
	Placeholders:    "no values of arguments",
	NoDefaults:      "no defaults of arguments",
	OneMessage:      "one message",
	TextOnly:        "text only",
	UserOnly:        "no messages of the assistant",
	AlternatingOnly: "messages of the user and the assistant by turns",
	NoSpaces:        "no spaces in names",
	PlainNames:      "names of ASCII letters, digits, `_`, `.` and `-`",
	OnePage:         "one page of a list",
	NoToolAudio:     "results of tools: no audio, no links",
	NoToolLinks:     "results of tools: no links",
	JoinedTexts:     "results of tools: one text",
	StructuredOnly:  "results of tools: `structuredContent` only",
	Dollars:         "no `$1` or `$ARGUMENTS` in texts",
	Commands:        "no text like `` !`date` ``",
	NoEmptyServer:   "no server without tools",
	EmptyFields:     "no arguments left out",
	HiddenErrors:    "no errors of prompts",
	NamedOptional:   "no optional argument by its position",
	ToolBytes:       "results of tools: part of a long text",
	OwnNames:        "no names of its own commands",
}

// Traits are the limits of a host that the server makes up for.
type Traits uint16

const (
	// SendsPlaceholders is a host that sends "$1" as the value of the first argument,
	// "$2" as that of the second, and puts what the user wrote into the result.
	SendsPlaceholders Traits = 1 << iota
	// ReadsTexts is a host that reads no content of a prompt but text.
	ReadsTexts
	// ReadsOneMessage is a host that reads one message of a prompt, or only those of the user.
	ReadsOneMessage
	// ReadsNoToolAudio is a host that reads no audio of a tool's result.
	ReadsNoToolAudio
	// ReadsNoToolLinks is a host that reads no links of a tool's result.
	ReadsNoToolLinks
	// JoinsTexts is a host that joins the texts of a tool's result without a separator.
	JoinsTexts
	// ExpandsTexts is a host that reads the text of a prompt as a command file of its own: it
	// puts words of the user in the place of $1 and $ARGUMENTS, and runs !`date` in a shell.
	ExpandsTexts
	// NeedsTools is a host that shows no prompts if tools/list is an error.
	NeedsTools
	// SendsEmptyFields is a host that sends "" for an argument that the user leaves out.
	SendsEmptyFields
	// HidesErrors is a host that shows its user no error of a prompt.
	HidesErrors
	// SkipsOptional is a host that sends what the user writes for required arguments alone. If
	// a prompt has one, it sends all of it, and an empty string for nothing.
	SkipsOptional
	// SplitsWords is a host that sends one word for an argument, and no request without a
	// required argument.
	SplitsWords
)

// Client is a client of a host that was run.
type Client struct {
	Host     string // the name of the host
	name     string
	isPrefix bool
	traits   Traits
}

// Find returns the client with the name in clientInfo, or nil.
func Find(name string) *Client {
	for i := range known {
		if c := &known[i]; name == c.name || c.isPrefix && strings.HasPrefix(name, c.name) {
			return c
		}
	}
	return nil
}

// Has reports whether a client has one of the traits. It returns false for a nil client.
func (c *Client) Has(t Traits) bool { return c != nil && c.traits&t != 0 }

// Prober is the name of a client that finds out which arguments may be placeholders.
const Prober = "io.github.mcp-prompts/placeholders"

// known are the clients in [Table], and Prober.
var known = func() (all []Client) {
	all = append(all, Client{Prober, Prober, false, SendsPlaceholders})
	of := map[Kind]Traits{Placeholders: SendsPlaceholders, TextOnly: ReadsTexts, OneMessage: ReadsOneMessage, UserOnly: ReadsOneMessage, NoToolAudio: ReadsNoToolAudio | ReadsNoToolLinks, NoToolLinks: ReadsNoToolLinks, JoinedTexts: JoinsTexts, Dollars: ExpandsTexts, Commands: ExpandsTexts,
		NoEmptyServer: NeedsTools, EmptyFields: SendsEmptyFields, HiddenErrors: HidesErrors, NamedOptional: SkipsOptional, OneWordValues: SplitsWords}
	for _, h := range Table {
		var traits Traits
		for _, l := range h.Limits {
			traits |= of[l.Kind]
		}
		for _, client := range h.Clients {
			name, isPrefix := strings.CutSuffix(client, "*")
			all = append(all, Client{h.Name, name, isPrefix, traits})
		}
	}
	return all
}()

// IsPlaceholder reports whether a value is what a host with SendsPlaceholders sends in
// place of a value: "$" and a number, or "$ARGUMENTS".
func IsPlaceholder(value string) bool {
	if len(value) < 2 || value[0] != '$' {
		return false
	}
	if value == "$ARGUMENTS" {
		return true
	}
	for i := 1; i < len(value); i++ {
		if value[i] < '0' || value[i] > '9' || i > 3 {
			return false
		}
	}
	return value[1] != '0'
}

// mark is in a placeholder while its prompt is rendered, so that the placeholder differs from
// the same characters in the text of the prompt. It is not a character.
const mark = "\ufdd0"

func Mark(placeholder string) string { return "$" + mark + placeholder[1:] }

func HasMark(text string) bool { return strings.Contains(text, "$"+mark) }

func Unmark(text []byte) []byte { return bytes.ReplaceAll(text, []byte("$"+mark), []byte("$")) }

// Inert returns a text in which a host with ExpandsTexts finds no syntax of its own but marked
// placeholders: a space follows "$" before a number or ARGUMENTS, and "!" before a backquote.
// The host looks for commands after it has put words of the user, or nothing, in the place of
// placeholders, which may be inside of each other.
func Inert(text string) string {
	var out strings.Builder
	for {
		i := strings.IndexAny(text, "!$") + 1
		if i == 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i])
		isCommand := text[i-1] == '!'
		text = text[i:]
		next := text
		if isCommand {
			next = strings.TrimLeft(text, "$0123456789ARGUMENTS"+mark)
		}
		if isCommand && strings.HasPrefix(next, "`") || !isCommand && (strings.HasPrefix(next, "ARGUMENTS") || next != "" && next[0] >= '0' && next[0] <= '9') {
			out.WriteByte(' ')
		}
	}
}
