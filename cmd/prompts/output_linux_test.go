package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile is a text that a terminal would execute or show in another order: an escape sequence
// of colors, a title of the window, a CSI and an OSC of C1, and bidi controls.
const hostile = "\x1b[31;8m\x1b]0;title\x07\u009b2J\u009d0;t\u009c\u202ekcab\u2066\u200f\x7f\b"

// hostileFolder returns a folder whose names and texts are hostile.
func hostileFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	quoted, err := json.Marshal(hostile)
	require.NoError(t, err)
	for name, content := range map[string]string{
		"ok.md":                      "---\ndescription: " + string(quoted) + "\narguments:\n  - name: a\n    description: " + string(quoted) + "\n    examples: [" + string(quoted) + "]\n---\n" + text + hostile + "{{.a}}\n",
		"wrong" + hostile + ".md":    "---\nx" + hostile + ": 1\n---\n{{.x}}\n",
		"tmpl.md":                    "{{nope" + hostile + "}}\n",
		"ok.test.yaml":               "cases:\n  - name: one\n    expect:\n      contains: " + string(quoted) + "\n  - name: two\n    expect:\n      equals: o" + "k.golden\n      contains: other\n",
		"w" + hostile + ".test.yaml": "cases: x\n",
		"ok.golden":                  "--- user ---\nHi " + hostile + "\n",
		"command.prompt.md":          "a " + hostile + " ${input:x} {{\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "-")), []byte(content), 0o600))
	}
	return dir
}

// controls returns the controls in a text, but for tabs and ends of lines.
func controls(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !isControl(r) {
			return -1
		}
		return r
	}, text)
}

// No command prints a text of others with the controls of a terminal, in no format, except for
// the text of a prompt that another program reads. JSON keeps the text.
func TestNoCommandPrintsControls(t *testing.T) {
	t.Parallel()
	dir, other := hostileFolder(t, "Hi"), hostileFolder(t, "Hello")
	good, releases := folderOfHello(t), "oci-layout:"+t.TempDir()
	var out, errOut bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), []string{"push", good, releases + ":production", "--message", hostile}, nil, &out, &errOut), errOut.String())
	commands := [][]string{
		{"list", dir}, {"list", "--json", dir}, {"render", dir, "ok", "a=x", "b" + hostile + "=x"}, {"render", "--json", dir, "ok", "a=x"},
		{"render", dir, "none" + hostile}, {"render", dir, "ok", "a=@" + hostile}, {"push", dir, releases}, {"log", releases}, {"log", "--json", releases},
		{"tag", releases + ":production", "staging", "--reason", hostile}, {"log", releases + ":staging"}, {"log", "--json", releases + ":staging"},
		{"import", "vscode", dir, t.TempDir()}, {"import", "claude", dir, t.TempDir()}, {"check", hostile}, {"check", filepath.Join(dir, "wrong"+strings.ReplaceAll(hostile, "/", "-")+".md")},
		{"new", "a" + hostile, "--dir", dir}, {"pull", releases + ":none", dir}, {"serve", hostile}, {"preview", dir + hostile}, {"install", "cursor" + hostile, dir},
		{"install", "cursor", "--print", "--name", hostile, dir}, {hostile}, {"__complete", "render", dir, ""}, {"__complete", "render", dir, "ok", ""}, {"man", filepath.Join(dir, "ok.md")},
	}
	for format := range formats {
		commands = append(commands, []string{"check", "--format", format, dir})
	}
	for format := range testFormats {
		commands = append(commands, []string{"test", "--format", format, "--coverage", dir})
	}
	for format := range diffFormats {
		commands = append(commands, []string{"diff", "--format", format, dir, other})
	}
	for _, args := range commands {
		var out, errOut bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &errOut)
		name := fmt.Sprintf("%q: %d", args, code)
		assert.NotEmpty(t, out.String()+errOut.String(), name)
		assert.Empty(t, controls(out.String()), "%s: output %q", name, out.String())
		assert.Empty(t, controls(errOut.String()), "%s: error %q", name, errOut.String())
		if text := out.String(); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			lines := json.NewDecoder(strings.NewReader(text))
			has := false
			for lines.More() {
				var value any
				require.NoError(t, lines.Decode(&value), name)
				has = has || strings.Contains(fmt.Sprint(value), hostile)
			}
			assert.True(t, has || args[2] == "sarif", "%s: JSON has the text: %s", name, text)
		}
	}
	out.Reset()
	assert.Equal(t, exitOK, run(t.Context(), []string{"render", dir, "ok", "a=x"}, nil, &out, &errOut), errOut.String())
	assert.Equal(t, "Hi"+hostile+"x\n", out.String(), "another program reads the text")
}

// A terminal shows the controls in the text of a prompt, and executes the colors of the program.
func TestTerminalShowsControls(t *testing.T) { // not parallel: the test sets the environment
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	dir, other := hostileFolder(t, "Hi"), hostileFolder(t, "Hello")
	for _, args := range [][]string{{"render", dir, "ok", "a=x"}, {"check", dir}, {"test", dir}, {"diff", dir, other}, {"list", dir}} {
		terminal, screen := newTerminal(t)
		code := run(t.Context(), args, nil, terminal, terminal)
		require.NoError(t, terminal.Close())
		text, _ := io.ReadAll(screen) // ends with an error of the terminal
		shown := strings.ReplaceAll(string(text), "\r\n", "\n")
		for _, sequence := range []string{"G", "K", "0m", "1m", "1;31m", "1;33m", "1;36m", "31m", "32m", "36m", "31;9m"} {
			shown = strings.ReplaceAll(shown, "\x1b["+sequence, "")
		}
		assert.Empty(t, controls(shown), "%q: %d: %q", args, code, shown)
		assert.Contains(t, shown, "\u241b[31;8m\u241b]0;title\u2407\ufffd2J", "%q", args)
		assert.Equal(t, args[0] != "render" && args[0] != "list", strings.Contains(string(text), "\x1b[0m"), "%q has colors", args)
	}
}

// A character may be written in parts.
func TestOutputInParts(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	o := &output{w: &b}
	for _, c := range []byte("ä€😀\u009b\x1b\xff\x9b" + "x") {
		_, err := o.Write([]byte{c})
		require.NoError(t, err)
	}
	assert.Equal(t, "ä€😀\ufffd\u241b\ufffd\ufffdx", b.String())
}

// newTerminal returns a terminal, and what a person would see of it. The reader buffers what
// the terminal prints.
func newTerminal(t *testing.T) (terminal *os.File, screen io.Reader) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = master.Close() })
	var number, unlock int32
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(value)))
		require.Zero(t, failed)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	read, write := io.Pipe()
	seen := make(chan []byte, 1)
	go func() { // ends with the terminal
		text, _ := io.ReadAll(master)
		seen <- text
	}()
	go func() { _, _ = write.Write(<-seen); _ = write.Close() }() // ends with the reader
	return terminal, read
}
